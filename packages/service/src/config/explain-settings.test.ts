import fs from "node:fs";
import os from "node:os";
import path from "node:path";
import { expect, it, onTestFinished } from "vitest";
import type { ServiceInitConfig } from "./service-config.js";
import { readSettings } from "./settings.js";

/** The explained settings of a service, by key. */
async function explain(files: Record<string, string>, environment = {}, init: ServiceInitConfig = {}) {
  const directory = fs.mkdtempSync(path.join(os.tmpdir(), "servicekit-explain-"));
  onTestFinished(() => fs.rmSync(directory, { recursive: true, force: true }));
  for (const [file, text] of Object.entries(files)) fs.writeFileSync(path.join(directory, file), text);
  const { settings } = await readSettings(init, { directory, environment, argv: ["--port", "1"] });
  return new Map(settings.explain().map(({ key, ...setting }) => [key, setting]));
}

it("C73 explains each documented key with its value, source and environment variable", async () => {
  const middlewares = { cors: false, rateLimit: { limit: 7 } };
  const config = JSON.stringify({ host: "::1", limits: { page: { max: 7 } }, middlewares });
  const files = { "package.json": "{}", "service.config.json": config, ".env": "LOG_LEVEL=warn\nDATABASE_URL=x" };
  const settings = await explain(
    files,
    { TRUST_PROXY: "2" },
    {
      ...{ welcomeMessage: "Hello", webhooks: { encryptionKey: Buffer.alloc(32).toString("base64") } },
    },
  );
  const expected = {
    DATABASE_URL: { value: "x", source: "DATABASE_URL (.env)", variable: "DATABASE_URL" },
    NODE_ENV: { value: "development", source: undefined, variable: "NODE_ENV" },
    port: { value: 1, source: "the command line", variable: "PORT" },
    welcomeMessage: { value: "Hello", source: "the init object", variable: "SERVICE_WELCOME_MESSAGE" },
    host: { value: "::1", source: "service.config.json", variable: "HOST" },
    "limits.page.max": { value: 7, source: "service.config.json", variable: "SERVICE_LIMITS_PAGE_MAX" },
    "middlewares.cors": { value: false, source: "service.config.json", variable: "SERVICE_MIDDLEWARES_CORS" },
    logLevel: { value: "warn", source: "LOG_LEVEL (.env)", variable: "LOG_LEVEL" },
    trustProxy: { value: 2, source: "TRUST_PROXY", variable: "TRUST_PROXY" },
  };
  for (const [key, setting] of Object.entries(expected))
    expect(settings.get(key), key).toEqual({ ...setting, isSecret: false });
  expect(settings.get("middlewares.rateLimit.limit")).toMatchObject({ value: 7, source: "service.config.json" });
  expect([...settings.keys()]).not.toContain("middlewares.rateLimit");
  expect(settings.get("webhooks.encryptionKey")).toMatchObject({ isSecret: true });
});

it("C73 explains the defaults under the documented keys", async () => {
  const settings = await explain({ "package.json": "{}" });
  const defaults = {
    host: "localhost",
    "limits.page.default": 20,
    "limits.terms": 100,
    "limits.urlBytes": 8192,
    "request.parameters.allowDangerousOrmQueryOptions": false,
    "routers.strict": false,
    "timeouts.statement": 5000,
  };
  for (const [key, value] of Object.entries(defaults))
    expect(settings.get(key), key).toMatchObject({ value, source: undefined });
  expect(settings.get("publicUrl")).toMatchObject({ value: undefined, variable: "SERVICE_PUBLIC_URL" });
});

it("C73 explains variables of the environment without the models, which have a command of their own", async () => {
  const database = { client: {} as never, models: { format: 1, enums: [], models: [] } } as const;
  const variables = { DATABASE_URL: "postgresql://one", NODE_ENV: "production" };
  const init: ServiceInitConfig = {
    database,
    models: { Note: { hidden: ["text"] } as never },
    host: undefined as never,
  };
  const settings = await explain({ "package.json": "{}", ".env": "DATABASE_URL=x" }, variables, init);
  for (const [name, value] of Object.entries(variables))
    expect(settings.get(name)).toMatchObject({ value, source: name, variable: name });
  expect(settings.get("host")).toMatchObject({ value: "localhost", source: undefined });
  expect([...settings.keys()].filter((key) => /^(models|database\.models)/.test(key))).toEqual([]);
});
