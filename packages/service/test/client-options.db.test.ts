import path from "node:path";
import { afterAll, beforeAll, expect, inject, it } from "vitest";
import { createPushedDatabase } from "../../../scripts/test/template-database.js";
import type { DatabaseConfig } from "../src/config/service-config.js";
import { PrismaClient } from "./generated/secrets/client/client.js";
import { models } from "./generated/secrets/models.js";
import { makeStarter } from "./start.js";

const { init, closeAll, logged } = makeStarter();
let url = "";
let drop: () => Promise<void>;
beforeAll(async () => {
  ({ url, drop } = await createPushedDatabase(
    inject("postgresUrl"),
    path.join(import.meta.dirname, "fixtures/secrets"),
  ));
  const owner = new PrismaClient({ adapter: await adapterOf() });
  for (const statement of [
    `CREATE FUNCTION limit_drawers() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
       IF NEW.label = 'full' THEN RAISE EXCEPTION 'A vault has at most 5 drawers.' USING ERRCODE = 'LIM01'; END IF;
       RETURN NEW; END $$`,
    `CREATE TRIGGER limit_drawers BEFORE INSERT ON "Drawer" FOR EACH ROW EXECUTE FUNCTION limit_drawers()`,
    `CREATE ROLE ${role}`,
    `GRANT USAGE ON SCHEMA public TO ${role}`,
    `GRANT ALL ON ALL TABLES IN SCHEMA public TO ${role}`,
    `GRANT ALL ON ALL SEQUENCES IN SCHEMA public TO ${role}`,
    `REVOKE DELETE ON "Drawer" FROM ${role}`,
    `ALTER TABLE "Drawer" ENABLE ROW LEVEL SECURITY`,
    `CREATE POLICY plain ON "Drawer" USING (true) WITH CHECK (label <> 'secret')`,
  ])
    await owner.$executeRawUnsafe(statement);
  await owner.$disconnect();
});
afterAll(async () => {
  await closeAll();
  const owner = new PrismaClient({ adapter: await adapterOf() });
  await owner.$executeRawUnsafe(`DROP OWNED BY ${role}`);
  await owner.$executeRawUnsafe(`DROP ROLE ${role}`);
  await owner.$disconnect();
  await drop?.();
});

const role = `reader_${process.pid}_${Date.now()}`;
const adapterOf = async () => {
  const { makePostgresAdapter } = await import("@servicekit/prisma/postgres");
  return makePostgresAdapter({ url });
};
const start = (database: Partial<DatabaseConfig> = {}, databaseUrl = url) =>
  init(
    { database: { models, client: ({ adapter }) => new PrismaClient({ adapter }), ...database } },
    { environment: { NODE_ENV: "test", DATABASE_URL: databaseUrl } },
  );
const send = async (target: string, method = "GET", body?: unknown) => {
  const response = await fetch(target, {
    method,
    ...(body === undefined ? {} : { headers: { "content-type": "application/json" }, body: JSON.stringify(body) }),
  });
  const text = await response.text();
  return { status: response.status, body: text === "" ? undefined : JSON.parse(text) };
};

it.each([
  ["auto", "sql"],
  ["prisma", "prisma"],
] as const)(
  "C94 excludes the fields in omit of the Prisma client, with database.engine %s",
  async (engine, expected) => {
    const omit = { drawer: { label: true } };
    const { url: at, database } = await start({
      client: ({ adapter }) => new PrismaClient({ adapter, omit }),
      engine,
    });
    expect(database?.engines.get("Drawer")?.engine).toBe(expected);
    const made = await send(`${at}/api/drawers`, "POST", { label: "private" });
    expect([made.status, Object.keys(made.body.data)]).toEqual([201, ["id", "vaultId"]]);
    const { id } = made.body.data;
    for (const target of [`drawers/${id}`, "drawers", "vaults?include=drawers", `drawers/${id}?fields=-vaultId`])
      expect(JSON.stringify((await send(`${at}/api/${target}`)).body), target).not.toContain("label");
    for (const target of [
      "drawers?label=private",
      "drawers?sort=label",
      "drawers?fields=label",
      "drawers?search=private",
    ]) {
      const { status, body } = await send(`${at}/api/${target}`);
      expect(status === 400 || body.data.length === 0, target).toBe(true);
    }
    expect(JSON.stringify((await send(`${at}/api/drawers/${id}`, "PATCH", { label: "other" })).body)).not.toContain(
      "other",
    );
  },
);

it("C94 reports the fields that an extension computes", async () => {
  await start({
    client: ({ adapter }) =>
      new PrismaClient({ adapter }).$extends({
        result: { drawer: { shout: { needs: { label: true }, compute: ({ label }) => label.toUpperCase() } } },
      }),
  });
  const line = logged().find(({ msg }) => String(msg).includes("$extends({ result })"));
  expect(line?.fields).toEqual(["Drawer.shout"]);
});

it("C91 includes the message of RAISE in a response only if the configuration exposes it", async () => {
  for (const [exposeRaisedMessages, expected] of [
    [false, /rejects this change/],
    [true, /^A vault has at most 5 drawers\.$/],
  ] as const) {
    const { url: at } = await start({ exposeRaisedMessages });
    const { status, body } = await send(`${at}/api/drawers`, "POST", { label: "full" });
    expect([status, body.code]).toEqual([400, "RejectedByDatabase"]);
    expect(body.detail).toMatch(expected);
  }
});

it.each([
  ["auto", "sql"],
  ["prisma", "prisma"],
] as const)(
  "C91 returns 403 if row-level security rejects a write, and 500 for a missing privilege, with database.engine %s",
  async (engine, expected) => {
    const asRole = `${url}${url.includes("?") ? "&" : "?"}options=${encodeURIComponent(`-c role=${role}`)}`;
    const { url: at, database } = await start({ engine }, asRole);
    expect(database?.engines.get("Drawer")?.engine).toBe(expected);
    const made = await send(`${at}/api/drawers`, "POST", { label: "open" });
    expect(made.status, JSON.stringify(made.body)).toBe(201);
    const { id } = made.body.data;
    expect((await send(`${at}/api/drawers`, "POST", { label: "secret" })).status).toBe(403);
    expect((await send(`${at}/api/drawers/${id}`, "PATCH", { label: "secret" })).status).toBe(403);
    expect((await send(`${at}/api/drawers/many`, "POST", [{ label: "a" }, { label: "secret" }])).status).toBe(403);
    expect((await send(`${at}/api/drawers/many`, "PATCH", [{ id, label: "secret" }])).status).toBe(403);
    expect((await send(`${at}/api/drawers/${id}`, "DELETE")).status).toBe(500);
  },
);
