import { symlink } from "node:fs/promises";
import path from "node:path";
import { StartupError } from "@servicekit/core";
import { describe, expect, it } from "vitest";
import { z } from "zod";
import { type LoadConfigOptions, loadConfig } from "../src/index.js";
import { readConfig } from "../src/internal.js";
import { makeProject } from "./project.js";

const schema = z.strictObject({
  port: z.int().min(0).max(65_535),
  host: z.string().default("localhost"),
  databaseUrl: z.string().optional(),
  authentication: z
    .strictObject({
      mode: z.enum(["static", "dynamic"]),
      jwt: z.strictObject({ secret: z.string(), expiresIn: z.string().optional(), secure: z.boolean().optional() }),
    })
    .optional(),
});

const variables = {
  PORT: { key: "port", type: "port" },
  HOST: { key: "host", type: "text" },
  JWT_SECRET: { key: "authentication.jwt.secret", type: "text", within: "authentication" },
  JWT_COOKIE_SECURE: { key: "authentication.jwt.secure", type: "boolean", within: "authentication" },
} as const;

type Given = Partial<LoadConfigOptions<typeof schema>>;

const load = (directory: string, given: Given = {}) =>
  loadConfig({
    directory,
    baseName: "service",
    schema,
    environment: {},
    variables,
    arguments: { port: { key: "port", type: "port", short: "p" } },
    defaults: () => ({ port: 8000 }),
    ...given,
  });

const errorOf = async (loading: Promise<unknown>): Promise<StartupError> => {
  const error: unknown = await loading.catch((thrown: unknown) => thrown);
  expect(error).toBeInstanceOf(StartupError);
  return error as StartupError;
};

describe("loadConfig", () => {
  it("C38 reads the port from arguments, init, file, environment, .env and defaults, in this order", async () => {
    const folder = await makeProject({ "service.config.json": '{"port": 3}', ".env": "PORT=5" });
    const bare = await makeProject({ ".env": "PORT=5" });
    const empty = await makeProject({});
    const argv = ["--port=1"];
    const init = { port: 2 };
    const environment = { PORT: "4" };
    const portOf = async (directory: string, given?: Given) => (await load(directory, given)).config.port;
    expect(await portOf(folder, { argv, init, environment })).toBe(1);
    expect(await portOf(folder, { init, environment })).toBe(2);
    expect(await portOf(folder, { environment })).toBe(3);
    expect(await portOf(bare, { environment })).toBe(4);
    expect(await portOf(bare)).toBe(5);
    expect(await portOf(empty)).toBe(8000);
  });

  it("C38 merges the layers deeply and returns the file and the environment", async () => {
    const folder = await makeProject({
      "service.config.mjs": 'export default { authentication: { mode: "static", jwt: { expiresIn: "1d" } } };',
      ".env.test": "JWT_SECRET=from-file",
    });
    const loaded = await load(folder, { nodeEnv: "test", environment: { JWT_COOKIE_SECURE: "true" } });
    expect(loaded.config).toEqual({
      port: 8000,
      host: "localhost",
      authentication: { mode: "static", jwt: { expiresIn: "1d", secret: "from-file", secure: true } },
    });
    expect(loaded.file).toBe(path.join(folder, "service.config.mjs"));
    expect({ ...loaded.environment }).toEqual({ JWT_SECRET: "from-file", JWT_COOKIE_SECURE: "true", NODE_ENV: "test" });
  });

  it("passes the environment to the defaults", async () => {
    const folder = await makeProject({ ".env": "NODE_ENV=production" });
    const { config } = await load(folder, {
      defaults: ({ NODE_ENV }) => ({ port: NODE_ENV === "production" ? 80 : 8000 }),
    });
    expect(config.port).toBe(80);
  });

  it("ignores variables whose block is not configured", async () => {
    const folder = await makeProject({});
    const { config } = await load(folder, { environment: { JWT_SECRET: "s", JWT_COOKIE_SECURE: "maybe" } });
    expect(config).toEqual({ port: 8000, host: "localhost" });
  });

  it("C38 reports the issues of all sources together, each with its source, secrets hidden", async () => {
    const folder = await makeProject({
      "service.config.json":
        '{"prot": 3, "host": 5, "authentication": {"mode": "statik", "jwt": {"secret": ["hunter2"]}}}',
    });
    const error = await errorOf(
      load(folder, {
        argv: ["-p", "http"],
        init: { authentication: { jwt: { expiresIn: 3 } } },
        environment: { JWT_COOKIE_SECURE: "maybe" },
      }),
    );
    expect(error.message).toMatchInlineSnapshot(`
      "The service cannot start (7 errors):
        - -p: found "http" (text), expected a port from 0 to 65535.
        - JWT_COOKIE_SECURE: found "maybe" (text), expected true or false.
        - host (service.config.json): found 5 (a number), expected a string.
        - authentication.mode (service.config.json): found "statik" (text), expected "static" or "dynamic". Did you mean "static"?
        - authentication.jwt.secret (service.config.json): found a list of 1, expected a string.
        - authentication.jwt.expiresIn (the init object): found 3 (a number), expected a string.
        - prot (service.config.json): Unknown key. Did you mean port?"
    `);
    expect(error.message).not.toContain("hunter2");
  });

  it("names the variable that can set a missing value", async () => {
    const folder = await makeProject({});
    const error = await errorOf(load(folder, { init: { authentication: { mode: "static", jwt: {} } } }));
    expect(error.message).toContain(
      "authentication.jwt.secret: found nothing, expected a string. The environment variable JWT_SECRET sets it too.",
    );
    const one = await errorOf(load(folder, { environment: { PORT: "x" }, defaults: () => ({}) }));
    expect(one.issues).toHaveLength(1);
    expect(one.issues[0]?.where).toBe("PORT");
  });

  it("changes none of its inputs, and loads twice in one process", async () => {
    const folder = await makeProject({
      "service.config.mjs": "export default { host: 'h', authentication: undefined };",
    });
    const init = Object.freeze({ port: 2 });
    const environment = Object.freeze({ HOST: "x" });
    const [one, two] = await Promise.all([load(folder, { init, environment }), load(folder, { environment })]);
    expect([one.config.port, two.config.port, one.config.host]).toEqual([2, 8000, "h"]);
  });

  it("passes on an error of a schema that is not an issue", async () => {
    const folder = await makeProject({});
    const broken = z.unknown().transform(() => {
      throw new RangeError("a failing schema");
    });
    await expect(loadConfig({ directory: folder, baseName: "x", schema: broken, environment: {} })).rejects.toThrow(
      RangeError,
    );
  });
});

it("C38 reports issues of the complete configuration with all others", async () => {
  const seen: unknown[] = [];
  const check: Given["check"] = (config, environment) => {
    seen.push(config.host, environment.SECRET);
    return [{ where: "SECRET", message: "is missing." }];
  };
  const folder = await makeProject({ ".env": "HOST=a.example" });
  const error = await errorOf(load(folder, { check, init: { prot: 1 } }));
  expect(error.issues.map(({ where: place }) => place)).toEqual(["SECRET", "prot"]);
  expect(seen).toEqual(["a.example", undefined]);
});

it("C38 names the variables for values missing inside an object", async () => {
  const error = await errorOf(load(await makeProject({}), { init: { authentication: { mode: "static" } } }));
  expect(error.message).toContain(
    "authentication.jwt: found nothing, expected an object. The environment variables JWT_SECRET and JWT_COOKIE_SECURE set it too.",
  );
});

it("C39 reports an invalid JSON file without a code position", async () => {
  const folder = await makeProject({});
  await symlink("nowhere", path.join(folder, "service.config.json"));
  const error = await errorOf(load(folder));
  expect(error.message).toMatch(
    /^The service cannot start \(1 error\):\n.*service\.config\.json: The file cannot be read: ENOENT.*\.$/,
  );
});

describe("readConfig", () => {
  const read = (directory: string, given: Given = {}) =>
    readConfig({ directory, baseName: "service", schema, environment: {}, variables, ...given });

  it("C38 returns what is valid together with the errors", async () => {
    const { config, issues } = await read(await makeProject({}), { init: { port: 1, host: 2 } });
    expect(config).toEqual({ port: 1, host: "localhost" });
    expect(issues.map(({ where }) => where)).toEqual(["host"]);
  });

  it("C38 throws the errors when nothing is valid", async () => {
    const error = await errorOf(read(await makeProject({})));
    expect(error.issues.map(({ where }) => where)).toEqual(["port"]);
  });
});
