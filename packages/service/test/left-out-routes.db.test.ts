import path from "node:path";
import { afterAll, beforeAll, describe, expect, inject, it } from "vitest";
import type { ServiceInitConfig } from "../src/config/service-config.js";
import { type ServedSchema, serveSchema } from "./served-schema.js";
import { makeStarter } from "./start.js";

const { create, closeAll, logged } = makeStarter();
let served: ServedSchema;
const folder = (name: string) => path.join(import.meta.dirname, name, "secrets");
const auth = {
  authentication: { mode: "static", login: { allowedUsernames: ["username"] }, jwt: { secret: "s".repeat(40) } },
} as const;

beforeAll(async () => {
  served = await serveSchema(inject("postgresUrl"), {
    generated: folder("generated"),
    schema: { directory: folder("fixtures") },
  });
});
afterAll(async () => {
  await closeAll();
  await served?.close();
});

/** What a start tells of routes that it leaves out, and the operations of the document that create. */
async function started(config: ServiceInitConfig) {
  const { models } = await import(path.join(folder("generated"), "models.ts"));
  const { PrismaClient } = await import(path.join(folder("generated"), "client/client.ts"));
  const service = await create(
    { database: { models, client: ({ adapter }) => new PrismaClient({ adapter }) }, ...config },
    { environment: { NODE_ENV: "test", DATABASE_URL: served.databaseUrl } },
  );
  const { paths = {} } = await service.openapi();
  const told = logged().flatMap(({ msg }) => (String(msg).includes("is left out") ? [String(msg)] : []));
  const documented = Object.entries(paths).flatMap(([at, item]) => (item?.post === undefined ? [] : [at]));
  await closeAll();
  return { told, documented };
}

describe("a create route that no request could use", () => {
  it("C64 F22 takes the password of any model, and never shows it", async () => {
    const made = await served.call("POST", "/networks", { name: "home", password: "let me in" });
    expect([made.status, made.body]).toEqual([201, { data: { id: 1, name: "home" } }]);
    expect(await served.sql(`SELECT password FROM "Network"`)).toEqual([{ password: "let me in" }]);
    expect((await served.call("GET", "/networks?password=x")).status).toBe(400);
    expect((await served.call("POST", "/networks", { name: "home" })).body.errors[0].path).toBe("/password");
  });

  it.each(["/vaults", "/vaults/many", "/users", "/users/many"])("C64 F22 answers 405 to POST %s", async (target) => {
    const { status, headers } = await served.call("POST", target, { name: "a" });
    expect([status, headers.get("allow")?.includes("POST") ?? false]).toEqual([405, false]);
  });

  it("C64 F22 creates no such row through a relation either", async () => {
    const { status, body } = await served.call("POST", "/drawers", { label: "a", vault: { name: "b" } });
    expect([status, body.errors[0].path]).toEqual([400, "/vault"]);
    expect((await served.call("POST", "/drawers", { label: "a" })).status).toBe(201);
  });

  it("C64 F22 is told once at start with the remedies, and stands in no document", async () => {
    const { told, documented } = await started({});
    expect(documented).toEqual(expect.arrayContaining(["/api/networks", "/api/drawers"]));
    expect(documented.filter((at) => /vaults|users/.test(at))).toEqual([]);
    expect(told).toHaveLength(4);
    expect(told).toContain(
      'createOne of Vault is left out: no body can set secret, which a new row needs. Remedies: open the field with models.Vault.writable: ["secret"]; set it in the hook beforeCreateOne; give the column a default; say that it is on purpose with models.Vault.operations.createOne: false.',
    );
    expect(told.find((line) => line.startsWith("createOne of User"))).toContain(
      "configure authentication, which takes and hashes the password",
    );
  });

  it("C64 F22 is there where a hook, the configuration or authentication mends it", async () => {
    const hooked = await started({
      models: { Vault: { hooks: { beforeCreateOne: (_q, _s, next) => next() } } },
      ...auth,
    });
    expect(hooked.told.map((line) => line.split(" is ")[0])).toEqual(["createMany of Vault"]);
    expect(hooked.documented).toEqual(expect.arrayContaining(["/api/vaults", "/api/users", "/api/users/many"]));
    const opened = await started({ models: { Vault: { writable: ["secret"] } }, ...auth });
    expect([opened.told, opened.documented.includes("/api/vaults/many")]).toEqual([[], true]);
    const closed = await started({
      models: { Vault: { operations: { createOne: false, createMany: false } } },
      ...auth,
    });
    expect([closed.told, closed.documented.includes("/api/vaults")]).toEqual([[], false]);
  });
});
