import path from "node:path";
import type { DatabaseConfig } from "@servicekit/service";
import { afterAll, beforeAll, describe, expect, inject, it } from "vitest";
import { z } from "zod";
import { PrismaClient } from "../../../../packages/service/test/generated/secrets/client/client.js";
import { models } from "../../../../packages/service/test/generated/secrets/models.js";
import { makeStarter } from "../../../../packages/service/test/start.js";
import { createPushedDatabase } from "../../../../scripts/test/template-database.js";

const { init, closeAll } = makeStarter();
let url = "";
let drop: () => Promise<void>;
beforeAll(async () => {
  ({ url, drop } = await createPushedDatabase(
    inject("postgresUrl"),
    path.join(import.meta.dirname, "../../../../packages/service/test/fixtures/secrets"),
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

describe("C102 fields of $extends({ result })", () => {
  const extended = (client: PrismaClient) =>
    client.$extends({
      result: {
        drawer: {
          shout: { needs: { label: true }, compute: ({ label }) => `${label.toUpperCase()}!` },
          length: { needs: { label: true }, compute: ({ label }) => label.length },
        },
      },
    });
  /** With a field that needs another one. */
  const twice = (client: PrismaClient) =>
    extended(client).$extends({
      result: { drawer: { whisper: { needs: { shout: true }, compute: ({ shout }) => `(${shout})` } } },
    });

  it.each(["a function", "an instance"])("are part of responses, with the client as %s", async (kind) => {
    const adapter = await adapterOf();
    const client =
      kind === "an instance"
        ? twice(new PrismaClient({ adapter }))
        : ({ adapter: own }: never) => twice(new PrismaClient({ adapter: own }));
    const { url: at } = await start({ client: client as never });
    const made = await send(`${at}/api/drawers`, "POST", { label: "loud" });
    expect(made.body.data).toMatchObject({ label: "loud", shout: "LOUD!", length: 4, whisper: "(LOUD!)" });
    const { id } = made.body.data;
    expect((await send(`${at}/api/drawers/${id}?fields=whisper`)).body.data).toEqual({ whisper: "(LOUD!)" });
    const changed = await send(`${at}/api/drawers/many?id=${id}`, "PATCH", { label: "quiet" });
    expect(changed.body.data[0].shout).toBe("QUIET!");
    const owner = new PrismaClient({ adapter });
    const vault = await owner.vault.create({ data: { name: "V", secret: "s", drawers: { connect: { id } } } });
    await owner.$disconnect();
    const included = await send(`${at}/api/vaults/${vault.id}?include=drawers`);
    expect(included.body.data.drawers[0].whisper).toBe("(QUIET!)");
    expect((await send(`${at}/api/drawers?shout=x`)).body.detail).toContain("computed field");
  });

  it("receive the values of stored fields that an extension replaces", async () => {
    const { url: at } = await start({
      client: ({ adapter }) =>
        extended(new PrismaClient({ adapter })).$extends({
          result: { drawer: { label: { needs: { label: true }, compute: ({ label }) => `[${label}]` } } },
        }),
    });
    const { data } = (await send(`${at}/api/drawers`, "POST", { label: "loud" })).body;
    expect(data).toMatchObject({ label: "[loud]", shout: "[LOUD]!" });
    const { body } = await send(`${at}/api/drawers/${data.id}?fields=shout,vaultId&include=vault`);
    expect(body.data).toEqual({ shout: "[LOUD]!", vaultId: null, vault: null });
  });

  it("are documented with any value, or with the type of the configuration", async () => {
    const service = await init(
      {
        database: { models, client: ({ adapter }) => extended(new PrismaClient({ adapter })) },
        models: { Drawer: { computed: { shout: { type: z.string() } } } },
      },
      { environment: { NODE_ENV: "test", DATABASE_URL: url } },
    );
    // biome-ignore lint/suspicious/noExplicitAny: the parts of a document
    const { components } = (await service.openapi()) as any;
    const { properties, required } = components.schemas.Drawer;
    expect([properties.shout, properties.length]).toEqual([{ type: "string", readOnly: true }, { readOnly: true }]);
    expect(required).toContain("shout");
  });

  it("stop the start if the configuration has the type of a field that nothing computes", async () => {
    const started = init(
      {
        database: { models, client: ({ adapter }) => extended(new PrismaClient({ adapter })) },
        models: { Drawer: { computed: { shot: { type: z.string() } } } },
      },
      { environment: { NODE_ENV: "test", DATABASE_URL: url } },
    );
    await expect(started).rejects.toThrow(
      "models.Drawer.computed.shot: Add needs and compute, because the Prisma client has no field shot of Drawer either.",
    );
  });
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
