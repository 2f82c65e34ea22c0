import path from "node:path";
import { StartupError } from "@servicekit/service";
import { createDatabase } from "@servicekit/service/dev-database";
import { afterAll, beforeAll, describe, expect, inject, it } from "vitest";
import { createClient } from "../../src/database.js";
import { startShop } from "../../src/start-shop.js";
import { makeApi } from "../api.js";
import { readCurl } from "../read-curl.js";
import { secret } from "./account-shop.js";

const directory = path.join(import.meta.dirname, "..", "..");

describe("ACCOUNTS=… npm start", () => {
  let database: Awaited<ReturnType<typeof createDatabase>>;
  beforeAll(async () => {
    database = await createDatabase(inject("postgresUrl"));
  });
  afterAll(() => database?.drop());

  const start = async (environment: Record<string, string>) => {
    const text: string[] = [];
    const all = { DATABASE_URL: database.url, PORT: "0", HOST: "127.0.0.1", ...environment };
    const shop = await startShop({ directory, environment: all, describe: (line) => text.push(line) });
    return { shop, text };
  };
  const countUsers = async () => {
    const client = createClient(database.url);
    return client.user.count().finally(() => client.$disconnect());
  };

  it("rejects any other value", async () => {
    await expect(start({ ACCOUNTS: "statik" })).rejects.toThrow(StartupError);
    await expect(start({ ACCOUNTS: "statik" })).rejects.toThrow(/ACCOUNTS: must be static or dynamic/);
  });

  it("in production creates no account and no secret", { timeout: 300_000 }, async () => {
    await expect(start({ ACCOUNTS: "static", NODE_ENV: "production" })).rejects.toThrow(/JWT_SECRET/);
    expect(await countUsers()).toBe(0);
    const { shop, text } = await start({ ACCOUNTS: "static", NODE_ENV: "production", JWT_SECRET: secret });
    await shop.close();
    expect(await countUsers()).toBe(0);
    expect(text.join("\n")).not.toContain("harbour and pine");
  });

  it.each(["static", "dynamic"])("%s: prints names and password, and lines that work", async (ACCOUNTS) => {
    const { shop, text } = await start({ ACCOUNTS, NODE_ENV: "development" });
    try {
      expect(text.join("\n")).toMatch(/ada and ben .*\n.*harbour and pine/);
      expect(await countUsers()).toBe(5);
      const lines = text.filter((line) => line.includes("curl ")).map((line) => line.trim());
      const [login, read, write] = lines.map((line) => line.replace(/-[bc] jar /, "")).map(readCurl);
      if (login === undefined || read === undefined || write === undefined) throw new Error("Three lines are printed.");
      const api = makeApi(shop.url);
      const signedIn = await api.call(login.method, login.path, login.body);
      expect(signedIn.status).toBe(200);
      const cookie = signedIn.headers.getSetCookie()[0]?.split(";")[0] ?? "";
      const orders = await api.call<{ data: unknown[] }>(read.method, read.path, undefined, { cookie });
      expect([orders.status, orders.body.data.length > 0]).toEqual([200, true]);
      expect((await api.call(write.method, write.path, write.body, { cookie })).status).toBe(403);
    } finally {
      await shop.close();
    }
  });
});
