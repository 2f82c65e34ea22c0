import { type ChildProcess, spawn } from "node:child_process";
import fs from "node:fs";
import http from "node:http";
import net from "node:net";
import os from "node:os";
import path from "node:path";
import { pathToFileURL } from "node:url";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { welcomeMessage } from "../src/welcome-message.js";
import { makeApi, type Problem } from "./api.js";
import { readCurl } from "./read-curl.js";

const example = path.join(import.meta.dirname, "..");
const built = path.join(example, "dist", "start-shop.js");

interface Run {
  readonly child: ChildProcess;
  readonly exit: Promise<number | null>;
  output(): string;
  /** Milliseconds until the output holds the text. */
  until(text: string): Promise<number>;
}

function freePort(): Promise<number> {
  return new Promise((resolve) => {
    const server = net.createServer().listen(0, "127.0.0.1", () => {
      const { port } = server.address() as net.AddressInfo;
      server.close(() => resolve(port));
    });
  });
}

/** What `npm start` runs, in a folder of its own. */
function start(directory: string, port: number): Run {
  const main = `import { startShop } from ${JSON.stringify(pathToFileURL(built).href)};
    startShop({ directory: ${JSON.stringify(directory)}, environment: process.env, say: (line) => console.log(line) })
      .catch((error) => { console.error(error.message); process.exitCode = 1; });`;
  const { DATABASE_URL: _, ...environment } = process.env;
  const child = spawn(process.execPath, ["--input-type=module", "-e", main], {
    env: { ...environment, PORT: String(port), HOST: "127.0.0.1" },
  });
  const began = Date.now();
  let text = "";
  for (const stream of [child.stdout, child.stderr]) stream?.on("data", (chunk) => (text += chunk));
  const exit = new Promise<number | null>((resolve) => child.once("exit", resolve));
  return {
    child,
    exit,
    output: () => text,
    until: async (wanted) => {
      while (!text.includes(wanted)) {
        if (child.exitCode !== null) expect.fail(`The shop ended with ${child.exitCode}:\n${text}`);
        if (Date.now() - began > 60_000) expect.fail(`Nothing said "${wanted}" within a minute:\n${text}`);
        await new Promise((resolve) => setTimeout(resolve, 10));
      }
      return Date.now() - began;
    },
  };
}

describe("npm start", () => {
  let directory: string;
  let port: number;
  let running: Run;
  const restarts: number[] = [];
  beforeAll(async () => {
    if (!fs.existsSync(built)) throw new Error("The example is not built: npm run build");
    directory = fs.mkdtempSync(path.join(os.tmpdir(), "servicekit-shop-"));
    // Within reach of the account that the server runs as when this is root.
    fs.chmodSync(directory, 0o755);
    for (const part of ["prisma", "package.json", "service.config.ts", "src/welcome-message.ts"]) {
      fs.cpSync(path.join(example, part), path.join(directory, part), { recursive: true });
    }
    port = await freePort();
    running = start(directory, port);
    await running.until("Ctrl+C");
  });
  afterAll(async () => {
    running?.child.kill("SIGTERM");
    await running?.exit;
    fs.rmSync(directory, { recursive: true, force: true });
  });

  const url = () => `http://127.0.0.1:${port}`;
  const api = () => makeApi(url());
  /** The file that a PostgreSQL keeps while it runs. */
  const servers = () =>
    fs
      .readdirSync(path.join(directory, ".data"), { recursive: true, encoding: "utf8" })
      .filter((name) => name.endsWith("postmaster.pid"));

  it("C39 is configured by the service.config.ts of its folder", async () => {
    const answer = await api().call<{ message: string }>("GET", "/api");
    expect(answer.body.message).toBe(welcomeMessage);
  });

  it("says where it is, and what it did", () => {
    expect(running.output()).toContain(`${url()}/api`);
    expect(running.output()).toMatch(/Applied migration \d+_open_the_shop/);
    expect(running.output()).toMatch(/Seeded [\d,]+ rows/);
  });

  it("prints three curl lines that work as they stand", async () => {
    const lines = running.output().match(/^ +curl .*$/gm) ?? [];
    expect(lines).toHaveLength(3);
    const answers = [];
    for (const line of lines) {
      const { method, path, body } = readCurl(line);
      answers.push(await api().call<Problem>(method, path, body));
    }
    expect(answers.map(({ status }) => status)).toEqual([200, 201, 400]);
    const { data } = await api().list(
      "/api/products?status=ACTIVE&price__lt=50&sort=-price&limit=3&fields=name,price&include=category",
    );
    expect(data.map((row) => Object.keys(row).sort())).toEqual(data.map(() => ["category", "name", "price"]));
    expect(answers[2]?.body.errors?.length).toBeGreaterThan(1);
  });

  it("refuses a second start, names the first and harms nothing", async () => {
    const second = start(directory, port);
    expect(await second.exit).toBe(1);
    expect(second.output()).toContain(`running already at ${url()}`);
    expect(second.output()).not.toMatch(/\bat .*:\d+:\d+/);
    expect((await api().list("/api/tags")).meta.total).toBe(25);
    expect(servers()).toHaveLength(1);
  });

  it("tells another program at the address from itself", async () => {
    const server = http.createServer((_request, response) => response.end("hi"));
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
    const second = start(directory, (server.address() as net.AddressInfo).port);
    expect(await second.exit).toBe(1);
    expect(second.output()).toContain("Another program");
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
  });

  it.each(["SIGTERM", "SIGINT"] as const)(
    "C41 stops on %s with 0, the database too, and comes back",
    async (signal) => {
      running.child.kill(signal);
      expect(await running.exit).toBe(0);
      expect(servers()).toEqual([]);
      await expect(fetch(`${url()}/api`)).rejects.toThrow();
      running = start(directory, port);
      restarts.push(await running.until("Ctrl+C"));
      expect(running.output()).not.toContain("Seeded");
      expect((await api().list("/api/tags?name=my own")).meta.total).toBe(1);
    },
  );

  it("C41 listens again within 3 s, database included", { timeout: 60_000 }, async () => {
    // The best of a few: the machine may be busy with other tests.
    while (Math.min(...restarts) >= 3000 && restarts.length < 8) {
      running.child.kill("SIGTERM");
      await running.exit;
      running = start(directory, port);
      restarts.push(await running.until("Ctrl+C"));
    }
    expect(Math.min(...restarts)).toBeLessThan(3000);
  });

  it("takes its database over after a kill -9", async () => {
    running.child.kill("SIGKILL");
    await running.exit;
    running = start(directory, port);
    await running.until("Ctrl+C");
    expect((await api().list("/api/tags?name=my own")).meta.total).toBe(1);
    running.child.kill("SIGTERM");
    expect(await running.exit).toBe(0);
    expect(servers()).toEqual([]);
  });
});
