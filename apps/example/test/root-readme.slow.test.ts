import { execFile, spawnSync } from "node:child_process";
import fs from "node:fs";
import type { AddressInfo } from "node:net";
import os from "node:os";
import path from "node:path";
import { promisify } from "node:util";
import service from "@servicekit/service";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { makeShopConfig } from "../src/app.js";
import { createAccountDatabase, secret, startAccounts } from "./accounts/account-shop.js";
import { createShopDatabase } from "./shop.js";

const root = path.join(import.meta.dirname, "../../..");
const readme = fs.readFileSync(path.join(root, "README.md"), "utf8");
const run = promisify(execFile);
const hasCurl = spawnSync("curl", ["--version"]).status === 0;
if (!hasCurl) console.warn("Skipped: the tours of the README require curl.");

const place = fs.mkdtempSync(path.join(os.tmpdir(), "servicekit-readme-"));
afterAll(() => fs.rmSync(place, { recursive: true, force: true }));

/** The lines of a tour: a block that begins with the URL. */
const tours = [...readme.matchAll(/^```sh\nA=.*\n([\s\S]*?)^```/gm)].map(([, lines = ""]) => lines.trim().split("\n"));

/** Runs a line in a shell, and returns the status of its response. */
async function statusOf(line: string, url: string, cwd: string): Promise<string> {
  const reported = line.replace(
    /^curl /,
    "curl --silent --show-error --output response.json --write-out '%{http_code}' ",
  );
  const env = { ...process.env, A: `${url}/api` };
  return (await run("bash", ["-c", reported], { cwd, env })).stdout;
}

/** The status at the start of a comment; without one, any successful status. */
function expectStatus(line: string, status: string): void {
  if (!line.startsWith("curl ")) return;
  const [, reported] = /# (\d{3})\b/.exec(line) ?? [];
  if (reported === undefined) expect(status).toMatch(/^20\d$/);
  else expect(status).toBe(reported);
}

describe.skipIf(!hasCurl)("the tours of the README", () => {
  const folder = (name: string): string => fs.mkdtempSync(path.join(place, name));

  it("has two", () => {
    expect(tours.map((lines) => lines.length)).toEqual([25, 10]);
  });

  describe("of the open shop", () => {
    const cwd = folder("open-");
    let url: string;
    const ends: (() => Promise<void>)[] = [];
    beforeAll(async () => {
      const created = await createShopDatabase();
      ends.unshift(() => created.drop());
      const { server, close } = await service.create(
        {
          ...makeShopConfig(),
          middlewares: { requestLogger: false },
          fileUpload: { baseUploadDir: path.join(cwd, "uploads") },
        },
        { directory: path.join(import.meta.dirname, ".."), environment: { DATABASE_URL: created.url } },
      );
      ends.unshift(close);
      await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
      url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
    });
    afterAll(async () => {
      for (const end of ends) await end();
    });

    it.each(tours[0] ?? [])("%s", async (line) => {
      expectStatus(line, await statusOf(line, url, cwd));
      // An empty list would demonstrate nothing.
      if (!line.startsWith("curl ") || !fs.existsSync(path.join(cwd, "response.json"))) return;
      const text = fs.readFileSync(path.join(cwd, "response.json"), "utf8");
      if (text.startsWith('{"data":[')) expect(JSON.parse(text).data.length).toBeGreaterThan(0);
    });
  });

  describe("of the shop with accounts", () => {
    const cwd = folder("accounts-");
    let url: string;
    const ends: (() => Promise<void>)[] = [];
    beforeAll(async () => {
      const database = await createAccountDatabase();
      ends.unshift(() => database.drop());
      const shop = await startAccounts({ database, accounts: "static", environment: { JWT_SECRET: secret } });
      ends.unshift(() => shop.close());
      url = shop.url;
    });
    afterAll(async () => {
      for (const end of ends) await end();
    });

    it.each(tours[1] ?? [])("%s", async (line) => {
      expectStatus(line, await statusOf(line, url, cwd));
    });
  });
});
