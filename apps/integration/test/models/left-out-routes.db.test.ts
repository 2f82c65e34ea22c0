import path from "node:path";
import { StartupError } from "@servicekit/core";
import type { ServiceInitConfig } from "@servicekit/service";
import { afterAll, beforeAll, describe, expect, inject, it } from "vitest";
import { type ServedSchema, serveSchema } from "../../../../packages/service/test/served-schema.js";
import { makeStarter } from "../../../../packages/service/test/start.js";

const { create, closeAll, logged } = makeStarter();
let served: ServedSchema;
const folder = (name: string) => path.join(import.meta.dirname, "../../../../packages/service/test", name, "secrets");
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

/** The log lines of a startup about omitted routes, and the creating operations of the document. */
async function started(config: ServiceInitConfig) {
  const { models } = await import(path.join(folder("generated"), "models.ts"));
  const { PrismaClient } = await import(path.join(folder("generated"), "client/client.ts"));
  const service = await create(
    { database: { models, client: ({ adapter }) => new PrismaClient({ adapter }) }, ...config },
    { environment: { NODE_ENV: "test", DATABASE_URL: served.databaseUrl } },
  );
  const { paths = {} } = await service.openapi();
  const reported = logged().flatMap(({ msg }) => (String(msg).includes("is not available") ? [String(msg)] : []));
  const documented = Object.entries(paths).flatMap(([at, item]) => (item?.post === undefined ? [] : [at]));
  await closeAll();
  return { reported, documented };
}

const aboutVault = (reported: readonly string[]): string[] => reported.filter((line) => line.includes("Vault"));

describe("a create route that no request could use", () => {
  it("C64 accepts the password of any model, and never returns it", async () => {
    const made = await served.call("POST", "/networks", { name: "home", password: "let me in" });
    expect([made.status, made.body]).toEqual([201, { data: { id: 1, name: "home" } }]);
    expect(await served.sql(`SELECT password FROM "Network"`)).toEqual([{ password: "let me in" }]);
    expect((await served.call("GET", "/networks?password=x")).status).toBe(400);
    expect((await served.call("POST", "/networks", { name: "home" })).body.errors[0].path).toBe("/password");
  });

  it.each(["/vaults", "/vaults/many", "/users", "/users/many"])("C64 returns 405 to POST %s", async (target) => {
    const { status, headers } = await served.call("POST", target, { name: "a" });
    expect([status, headers.get("allow")?.includes("POST") ?? false]).toEqual([405, false]);
  });

  it("C64 does not create such a row through a relation either", async () => {
    const { status, body } = await served.call("POST", "/drawers", { label: "a", vault: { name: "b" } });
    expect([status, body.errors[0].path]).toEqual([400, "/vault"]);
    expect((await served.call("POST", "/drawers", { label: "a" })).status).toBe(201);
  });

  it("C64 is logged once at startup with the fixes, and is not in the document", async () => {
    const { reported, documented } = await started({});
    expect(documented).toEqual(expect.arrayContaining(["/api/networks", "/api/drawers"]));
    expect(documented.filter((at) => /vaults|users|meters|sites/.test(at))).toEqual([]);
    expect(reported).toHaveLength(8);
    expect(reported).toContain(
      'createOne of Vault is not available: no body can set secret, which a new row requires. Fixes: allow the field with models.Vault.writable: ["secret"]; set it in the hook beforeCreateOne; give the column a default; disable the operation with models.Vault.operations.createOne: false.',
    );
    expect(reported.find((line) => line.startsWith("createOne of User"))).toContain(
      "configure authentication, which takes and hashes the password",
    );
  });

  it("C64 returns 405 to a POST of a model with a required @ignore column, and names the column and the fixes", async () => {
    for (const target of ["/meters", "/meters/many", "/sites", "/sites/many"]) {
      expect([target, (await served.call("POST", target, { label: "a" })).status]).toEqual([target, 405]);
    }
    expect((await served.call("POST", "/gauges", { label: "a" })).status).toBe(201);
    const { reported } = await started({});
    expect(reported).toContain(
      'createOne of Meter is not available: no body can set serial, which a new row requires. Fixes: @default(dbgenerated("…")) if the database sets the column, for example with a trigger; make the column optional; disable the operation with models.Meter.operations.createOne: false.',
    );
    expect(reported.some((line) => line.startsWith("createOne of Site is not available: no body can set at,"))).toBe(
      true,
    );
    const closed = await started({ models: { Meter: { operations: { write: false } } } });
    expect(closed.reported.filter((line) => line.includes("Meter"))).toEqual([]);
  });

  const cannotWork = (model: string, field: string) => `createOne of ${model} cannot work: no body can set ${field},`;
  it.each<[string, NonNullable<ServiceInitConfig["models"]>, string, string]>([
    ["a role", { Vault: { auth: { createOne: ["*"] } } }, "models.Vault.auth.createOne", cannotWork("Vault", "secret")],
    [
      "a role, with other writes",
      { Vault: { auth: { write: ["*"] } } },
      "models.Vault.auth.write",
      cannotWork("Vault", "secret"),
    ],
    ["everyone, with all", { Meter: { auth: { all: false } } }, "models.Meter.auth.all", cannotWork("Meter", "serial")],
    [
      "its operation",
      { Site: { operations: { createOne: true } } },
      "models.Site.operations.createOne",
      cannotWork("Site", "at"),
    ],
    [
      "the bulk alone",
      { Vault: { auth: { createMany: true }, hooks: { beforeCreateOne: (_q, _s, next) => next() } } },
      "models.Vault.auth.createMany",
      "createMany of Vault cannot work: no body can set secret,",
    ],
  ])("C64 prevents startup if the configuration enables it for %s", async (_title, models, where, message) => {
    const error = await started({ ...auth, models }).catch((thrown: StartupError) => thrown);
    expect(error).toBeInstanceOf(StartupError);
    const { issues } = error as StartupError;
    expect(issues).toEqual([expect.objectContaining({ where, message: expect.stringContaining(message) })]);
    expect(issues[0]?.message).toContain("Fixes: ");
  });

  it("C64 starts if a hook sets the column for one row and the access rules name all writes", async () => {
    const hooks = { beforeCreateOne: (_request: unknown, _response: unknown, next: () => void) => next() };
    const { reported } = await started({ ...auth, models: { Vault: { auth: { write: ["*"] }, hooks } } });
    expect(reported.filter((line) => line.includes("Vault")).map((line) => line.split(" is ")[0])).toEqual([
      "createMany of Vault",
    ]);
  });

  it("C64 exists if a hook, the configuration or authentication sets the fields", async () => {
    const hooked = await started({
      models: { Vault: { hooks: { beforeCreateOne: (_q, _s, next) => next() } } },
      ...auth,
    });
    expect(aboutVault(hooked.reported).map((line) => line.split(" is ")[0])).toEqual(["createMany of Vault"]);
    expect(hooked.documented).toEqual(expect.arrayContaining(["/api/vaults", "/api/users", "/api/users/many"]));
    const opened = await started({ models: { Vault: { writable: ["secret"] } }, ...auth });
    expect([aboutVault(opened.reported), opened.documented.includes("/api/vaults/many")]).toEqual([[], true]);
    const closed = await started({
      models: { Vault: { operations: { createOne: false, createMany: false } } },
      ...auth,
    });
    expect([aboutVault(closed.reported), closed.documented.includes("/api/vaults")]).toEqual([[], false]);
  });
});
