import fs from "node:fs";
import http from "node:http";
import net from "node:net";
import path from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { welcomeMessage } from "../src/welcome-message.js";
import { makeApi, type Problem } from "./api.js";
import { readCurl } from "./read-curl.js";
import { freePort, makeShopFolder, type ShopRun, startBuiltShop } from "./run-built-shop.js";

describe("npm start", () => {
  let directory: string;
  let port: number;
  let running: ShopRun;
  beforeAll(async () => {
    directory = makeShopFolder();
    port = await freePort();
    running = startBuiltShop(directory, port);
    await running.until("Ctrl+C");
  });
  afterAll(async () => {
    running?.child.kill("SIGTERM");
    await running?.exit;
    fs.rmSync(directory, { recursive: true, force: true });
  });

  const url = () => `http://127.0.0.1:${port}`;
  const api = () => makeApi(url());
  /** The file that exists while PostgreSQL runs. */
  const servers = () =>
    fs
      .readdirSync(path.join(directory, ".data"), { recursive: true, encoding: "utf8" })
      .filter((name) => name.endsWith("postmaster.pid"));

  it("C39 is configured by the service.config.ts of its folder", async () => {
    const reply = await api().call<{ message: string }>("GET", "/api");
    expect(reply.body.message).toBe(welcomeMessage);
  });

  it("prints its URL and what it did", () => {
    expect(running.output()).toContain(`${url()}/api`);
    expect(running.output()).toMatch(/Applied migration \d+_open_the_shop/);
    expect(running.output()).toMatch(/Seeded [\d,]+ rows/);
  });

  it("prints three curl lines that work as printed", async () => {
    const lines = running.output().match(/^ +curl .*$/gm) ?? [];
    expect(lines).toHaveLength(3);
    const responses = [];
    for (const line of lines) {
      const { method, path, body } = readCurl(line);
      responses.push(await api().call<Problem>(method, path, body));
    }
    expect(responses.map(({ status }) => status)).toEqual([200, 201, 400]);
    const { data } = await api().list(
      "/api/products?status=ACTIVE&price__lt=50&sort=-price&limit=3&fields=name,price&include=category",
    );
    expect(data.map((row) => Object.keys(row).sort())).toEqual(data.map(() => ["category", "name", "price"]));
    expect(responses[2]?.body.errors?.length).toBeGreaterThan(1);
  });

  it("rejects a second start, names the first and has no effect on it", async () => {
    const second = startBuiltShop(directory, port);
    expect(await second.exit).toBe(1);
    expect(second.output()).toContain(`running already at ${url()}`);
    expect(second.output()).not.toMatch(/\bat .*:\d+:\d+/);
    expect((await api().list("/api/tags")).meta.total).toBe(25);
    expect(servers()).toHaveLength(1);
  });

  it("distinguishes another program at the address from itself", async () => {
    const server = http.createServer((_request, response) => response.end("hi"));
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
    const second = startBuiltShop(directory, (server.address() as net.AddressInfo).port);
    expect(await second.exit).toBe(1);
    expect(second.output()).toContain("Another program");
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
  });

  it.each(["SIGTERM", "SIGINT"] as const)(
    "C41 stops on %s with 0, including the database, and starts again",
    async (signal) => {
      running.child.kill(signal);
      expect(await running.exit).toBe(0);
      expect(servers()).toEqual([]);
      await expect(fetch(`${url()}/api`)).rejects.toThrow();
      running = startBuiltShop(directory, port);
      await running.until("Ctrl+C");
      expect(running.output()).not.toContain("Seeded");
      expect((await api().list("/api/tags?name=my own")).meta.total).toBe(1);
    },
  );

  it("reuses its database after a kill -9", async () => {
    running.child.kill("SIGKILL");
    await running.exit;
    running = startBuiltShop(directory, port);
    await running.until("Ctrl+C");
    expect((await api().list("/api/tags?name=my own")).meta.total).toBe(1);
    running.child.kill("SIGTERM");
    expect(await running.exit).toBe(0);
    expect(servers()).toEqual([]);
  });
});
