import path from "node:path";
import { afterAll, beforeAll, expect, inject, it } from "vitest";
import type { ServiceInitConfig } from "../src/config/service-config.js";
import { type ServedSchema, serveSchema } from "./served-schema.js";
import { makeStarter } from "./start.js";

const { create, closeAll, logged } = makeStarter();
const folder = (name: string) => path.join(import.meta.dirname, name, "secrets");
let served: ServedSchema;
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

const authentication = {
  mode: "static",
  login: { allowedUsernames: ["username"] },
  jwt: { secret: "0123456789abcdefghijklmnopqrstuvwxyz/ABC" },
} as const;

/** The log lines of a startup about the documentation. */
async function linesOf(config: ServiceInitConfig, nodeEnv: string): Promise<string[]> {
  const { models } = await import(path.join(folder("generated"), "models.ts"));
  const { PrismaClient } = await import(path.join(folder("generated"), "client/client.ts"));
  await create(
    { database: { models, client: ({ adapter }) => new PrismaClient({ adapter }) }, ...config },
    { environment: { NODE_ENV: nodeEnv, DATABASE_URL: served.databaseUrl } },
  );
  const lines = logged().map(({ msg }) => String(msg));
  await closeAll();
  return lines.filter((line) => line.includes("apidocs.auth"));
}

it("C47 logs once at startup, in production, who may read the documentation and how to open it", async () => {
  const apidocs = { mode: "orm", enableAfterBuild: true } as const;
  expect(await linesOf({ authentication, apidocs }, "production")).toEqual([
    "The API documentation at /api/api-docs is open to superusers. To open it, set apidocs.auth to a list of roles, true (signed-in users) or false (everyone).",
  ]);
});

it.each<[string, ServiceInitConfig, string]>([
  [
    "apidocs.auth is set",
    { authentication, apidocs: { mode: "orm", enableAfterBuild: true, auth: false } },
    "production",
  ],
  [
    "signed-in users may read it",
    { authentication, apidocs: { mode: "orm", enableAfterBuild: true, auth: true } },
    "production",
  ],
  ["there is no documentation", { authentication }, "production"],
  ["there is no authentication", { apidocs: { mode: "orm", enableAfterBuild: true } }, "production"],
  ["it is open in development", { authentication }, "development"],
])("C47 logs nothing about it if %s", async (_title, config, nodeEnv) => {
  expect(await linesOf(config, nodeEnv)).toEqual([]);
});
