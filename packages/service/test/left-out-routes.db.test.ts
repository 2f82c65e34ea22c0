import path from "node:path";
import { StartError } from "@servicekit/core";
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

const aboutVault = (told: readonly string[]): string[] => told.filter((line) => line.includes("Vault"));

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
    expect(documented.filter((at) => /vaults|users|meters|sites/.test(at))).toEqual([]);
    expect(told).toHaveLength(8);
    expect(told).toContain(
      'createOne of Vault is left out: no body can set secret, which a new row needs. Remedies: open the field with models.Vault.writable: ["secret"]; set it in the hook beforeCreateOne; give the column a default; say that it is on purpose with models.Vault.operations.createOne: false.',
    );
    expect(told.find((line) => line.startsWith("createOne of User"))).toContain(
      "configure authentication, which takes and hashes the password",
    );
  });

  it("C64 answers 405 to a POST of a model with a required @ignore column, and names the column and the remedies", async () => {
    for (const target of ["/meters", "/meters/many", "/sites", "/sites/many"]) {
      expect([target, (await served.call("POST", target, { label: "a" })).status]).toEqual([target, 405]);
    }
    expect((await served.call("POST", "/gauges", { label: "a" })).status).toBe(201);
    const { told } = await started({});
    expect(told).toContain(
      'createOne of Meter is left out: no body can set serial, which a new row needs. Remedies: @default(dbgenerated("…")) where the database sets the column, a trigger included; make the column optional; say that it is on purpose with models.Meter.operations.createOne: false.',
    );
    expect(told.some((line) => line.startsWith("createOne of Site is left out: no body can set at,"))).toBe(true);
    const closed = await started({ models: { Meter: { operations: { write: false } } } });
    expect(closed.told.filter((line) => line.includes("Meter"))).toEqual([]);
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
  ])("C64 stops the start where the configuration opens it to %s", async (_title, models, where, message) => {
    const error = await started({ ...auth, models }).catch((thrown: StartError) => thrown);
    expect(error).toBeInstanceOf(StartError);
    const { faults } = error as StartError;
    expect(faults).toEqual([expect.objectContaining({ where, message: expect.stringContaining(message) })]);
    expect(faults[0]?.message).toContain("Remedies: ");
  });

  it("C64 starts where a hook sets the column for one row and the rights name all writes", async () => {
    const hooks = { beforeCreateOne: (_request: unknown, _response: unknown, next: () => void) => next() };
    const { told } = await started({ ...auth, models: { Vault: { auth: { write: ["*"] }, hooks } } });
    expect(told.filter((line) => line.includes("Vault")).map((line) => line.split(" is ")[0])).toEqual([
      "createMany of Vault",
    ]);
  });

  it("C64 F22 is there where a hook, the configuration or authentication mends it", async () => {
    const hooked = await started({
      models: { Vault: { hooks: { beforeCreateOne: (_q, _s, next) => next() } } },
      ...auth,
    });
    expect(aboutVault(hooked.told).map((line) => line.split(" is ")[0])).toEqual(["createMany of Vault"]);
    expect(hooked.documented).toEqual(expect.arrayContaining(["/api/vaults", "/api/users", "/api/users/many"]));
    const opened = await started({ models: { Vault: { writable: ["secret"] } }, ...auth });
    expect([aboutVault(opened.told), opened.documented.includes("/api/vaults/many")]).toEqual([[], true]);
    const closed = await started({
      models: { Vault: { operations: { createOne: false, createMany: false } } },
      ...auth,
    });
    expect([aboutVault(closed.told), closed.documented.includes("/api/vaults")]).toEqual([[], false]);
  });
});
