import os from "node:os";
import path from "node:path";
import { afterEach, describe, expect, it } from "vitest";
import type { RuntimeEnvironment } from "../src/config/settings.js";
import { defineConfig, type ServiceConfig, type ServiceInitConfig, type ServiceSettings } from "../src/index.js";
import { loadSettings } from "./load-settings.js";
import { makeProjects } from "./project-folder.js";
import { alone } from "./start.js";

const { project, removeAll } = makeProjects();
afterEach(removeAll);

/** The settings of a service; their effects are tested where they are used. */
const settingsOf = (init: ServiceInitConfig, around: RuntimeEnvironment = {}): Promise<ServiceSettings> =>
  loadSettings(init, { ...alone, ...around });

/** The content of a configuration file. */
function toSource(value: unknown): string {
  if (value instanceof RegExp || typeof value === "function") return String(value);
  if (Array.isArray(value)) return `[${value.map(toSource).join(",")}]`;
  if (typeof value !== "object" || value === null) return JSON.stringify(value);
  return `{${Object.entries(value).map(([key, inner]) => `${JSON.stringify(key)}:${toSource(inner)}`)}}`;
}

interface Row {
  readonly file: ServiceConfig;
  /** The same with the names of the init form, if they differ. */
  readonly code?: ServiceInitConfig;
  /** The tested part of the settings. */
  readonly of: (settings: ServiceSettings) => unknown;
  readonly is: unknown;
  /** Its value if the key is not set. */
  readonly otherwise: unknown;
}

const secret = "0f7a1c94-5e2b-4d38-9a60-b1c2d3e4f5a6";
const auth = { mode: "static", jwt: { secret } } as const;
const jwt = (reported: NonNullable<NonNullable<ServiceConfig["authentication"]>["jwt"]>): ServiceConfig => ({
  authentication: { mode: "static", jwt: { secret, ...reported } },
});
const serverStatic = { maxAge: "1d", etag: false };

const rows: Readonly<Record<string, Row>> = {
  "authentication.enabled": {
    file: { authentication: { mode: "static", enabled: false } },
    of: ({ authentication }) => authentication?.enabled,
    is: false,
    otherwise: undefined,
  },
  "authentication.enabled, true by default": {
    file: { authentication: auth },
    of: ({ authentication }) => authentication?.enabled,
    is: true,
    otherwise: undefined,
  },
  "authentication.mode": {
    file: { authentication: { ...auth, mode: "dynamic" } },
    of: ({ authentication }) => authentication?.mode,
    is: "dynamic",
    otherwise: undefined,
  },
  "authentication.login": {
    file: {
      authentication: { ...auth, login: { allowedUsernames: ["email"], sendAccessTokenThrough: "cookie-only" } },
    },
    of: ({ authentication }) => authentication?.login,
    is: { allowedUsernames: ["email"], sendAccessTokenThrough: "cookie-only", normalizeNames: true },
    otherwise: undefined,
  },
  "authentication.login, by default": {
    file: { authentication: auth },
    of: ({ authentication }) => authentication?.login,
    is: { allowedUsernames: ["username"], sendAccessTokenThrough: "both", normalizeNames: true },
    otherwise: undefined,
  },
  "authentication.login.normalizeNames": {
    file: { authentication: { ...auth, login: { normalizeNames: false } } },
    of: ({ authentication }) => authentication?.login.normalizeNames,
    is: false,
    otherwise: undefined,
  },
  "authentication.signup": {
    file: { authentication: { ...auth, signup: { silent: true } } },
    of: ({ authentication }) => authentication?.signup,
    is: { silent: true },
    otherwise: undefined,
  },
  "authentication.password.maxPerRequest": {
    file: { authentication: { ...auth, password: { maxPerRequest: 5 } } },
    of: ({ authentication }) => authentication?.password,
    is: { cost: 12, maxPerRequest: 5 },
    otherwise: undefined,
  },
  "authentication.rateLimit": {
    file: { authentication: { ...auth, rateLimit: { windowMs: 1000, limit: 3, message: "Slowly" } } },
    of: ({ authentication }) => authentication?.rateLimit,
    is: { counts: true, windowMs: 1000, limit: 3, message: "Slowly" },
    otherwise: undefined,
  },
  "authentication.rateLimit, partly": {
    file: { authentication: { ...auth, rateLimit: { limit: 3 } } },
    of: ({ authentication }) => authentication?.rateLimit,
    is: { counts: true, windowMs: 5000, limit: 3, message: "Too many requests" },
    otherwise: undefined,
  },
  "authentication.rateLimit, off": {
    file: { authentication: { ...auth, rateLimit: false } },
    of: ({ authentication }) => authentication?.rateLimit.counts,
    is: false,
    otherwise: undefined,
  },
  "authentication.rateLimit, max": {
    file: { authentication: { ...auth, rateLimit: { max: 3 } } },
    of: ({ authentication }) => authentication?.rateLimit.limit,
    is: 3,
    otherwise: undefined,
  },
  "authentication.jwt.secret, several": {
    file: jwt({ secret: `${secret}, old` }),
    of: ({ authentication }) => authentication?.jwt.secrets,
    is: [secret, "old"],
    otherwise: undefined,
  },
  "authentication.jwt.expiresIn": {
    file: jwt({ expiresIn: "12h" }),
    of: ({ authentication }) => authentication?.jwt.lifetime,
    is: 43_200,
    otherwise: undefined,
  },
  "authentication.jwt.expiresIn, 30d by default": {
    file: jwt({}),
    of: ({ authentication }) => authentication?.jwt.lifetime,
    is: 2_592_000,
    otherwise: undefined,
  },
  "authentication.jwt.cookie": {
    file: jwt({ cookie: { secure: true, httpOnly: false, sameSite: "strict" } }),
    of: ({ authentication }) => authentication?.jwt.cookie,
    is: { secure: true, httpOnly: false, sameSite: "strict" },
    otherwise: undefined,
  },
  "authentication.jwt.issuer and audience": {
    file: jwt({ issuer: "shop", audience: "app" }),
    of: ({ authentication }) => [authentication?.jwt.issuer, authentication?.jwt.audience],
    is: ["shop", "app"],
    otherwise: [undefined, undefined],
  },
  "authentication.password.cost": {
    file: { authentication: { ...auth, password: { cost: 10 } } },
    of: ({ authentication }) => authentication?.password.cost,
    is: 10,
    otherwise: undefined,
  },
  "authentication.cacheMs": {
    file: { authentication: { ...auth, cacheMs: 2000 } },
    of: ({ authentication }) => authentication?.cacheMs,
    is: 2000,
    otherwise: undefined,
  },
  "fileUpload.baseUploadDir": {
    file: { fileUpload: { baseUploadDir: "/srv/files" } },
    of: ({ fileUpload }) => fileUpload.baseUploadDir,
    is: "/srv/files",
    otherwise: path.join(import.meta.dirname, "uploads"),
  },
  "fileUpload.baseRoute": {
    file: { fileUpload: { baseRoute: "/api/files" } },
    of: ({ fileUpload }) => fileUpload.baseRoute,
    is: "/api/files",
    otherwise: "/api/uploads",
  },
  "fileUpload.serverStatic and serverStaticOptions": {
    file: { fileUpload: { serverStatic } },
    code: { fileUpload: { serverStaticOptions: serverStatic } },
    of: ({ fileUpload }) => [fileUpload.serverStatic.maxAge, fileUpload.serverStatic.etag],
    is: [86_400, false],
    otherwise: [0, true],
  },
  "fileUpload.restrictions": {
    file: {
      fileUpload: { restrictions: { images: { maxCount: 2, maxSize: 1000, supportedFilesRegex: /png|webp/i } } },
    },
    of: ({ fileUpload: { restrictions } }) => [
      restrictions.images.maxCount,
      restrictions.images.maxSize,
      restrictions.images.supportedFiles("webp", "image/webp"),
      restrictions.images.supportedFiles("gif", "image/gif"),
      restrictions.videos.maxCount,
    ],
    is: [2, 1000, true, false, 10],
    otherwise: [30, 15 * 1024 * 1024, true, true, 10],
  },
  "fileUpload.storage": {
    file: { fileUpload: { storage: { type: "s3", bucket: "files" } } },
    of: ({ fileUpload }) => fileUpload.storage,
    is: { type: "s3", bucket: "files" },
    otherwise: { type: "disk" },
  },
  "fileUpload.image": {
    file: { fileUpload: { image: { width: 100, format: "webp" } } },
    of: ({ fileUpload }) => fileUpload.image,
    is: { width: 100, format: "webp" },
    otherwise: undefined,
  },
  "fileUpload.imageQuery": {
    file: { fileUpload: { imageQuery: { maxWidth: 800, formats: ["webp"] } } },
    of: ({ fileUpload }) => fileUpload.imageQuery,
    is: { maxWidth: 800, maxHeight: 2048, formats: ["webp"] },
    otherwise: undefined,
  },
  "apidocs.enableAfterBuild": {
    file: { apidocs: { mode: "orm", enableAfterBuild: true } },
    of: ({ apiDocs }) => apiDocs.enabled,
    is: true,
    otherwise: true,
  },
  "apidocs.endpoint": {
    file: { apidocs: { mode: "orm", endpoint: "/docs" } },
    of: ({ apiDocs }) => apiDocs.endpoint,
    is: "/docs",
    otherwise: "/api/api-docs",
  },
  "apidocs.mode": {
    file: { apidocs: { mode: "schema-lib" } },
    of: ({ apiDocs }) => apiDocs.mode,
    is: "zod",
    otherwise: "prisma",
  },
  "apidocs.strict": {
    file: { apidocs: { mode: "orm", strict: true } },
    of: ({ apiDocs }) => apiDocs.strict,
    is: true,
    otherwise: false,
  },
  "apidocs.options": {
    file: {
      apidocs: {
        mode: "orm",
        options: {
          definition: { info: { title: "Shop", version: "1", description: "All." }, servers: [{ url: "/" }] },
          deepLinking: true,
          tryItOutEnabled: true,
        },
      },
    },
    of: ({ apiDocs: { options } }) => [
      options.definition?.info?.title,
      options.definition?.servers,
      options.deepLinking,
    ],
    is: ["Shop", [{ url: "/" }], true],
    otherwise: [undefined, undefined, undefined],
  },
  "apidocs.referenceUiConfiguration": {
    file: { apidocs: { mode: "orm", referenceUiConfiguration: { theme: "moon" } } },
    of: ({ apiDocs }) => apiDocs.referenceUiConfiguration,
    is: { theme: "moon" },
    otherwise: {},
  },
  "request.parameters.allowDangerousOrmQueryOptions": {
    file: { request: { parameters: { allowDangerousOrmQueryOptions: true } } },
    of: (settings) => [settings.allowDangerousOrmQueryOptions, settings.modelRouter.allowDangerousOrmQueryOptions],
    is: [true, true],
    otherwise: [false, false],
  },
  "limits of exports and event streams": {
    file: { limits: { exportRows: 5, eventStreams: 6, eventStreamsPerClient: 2 } },
    of: ({ modelRouter }) => [modelRouter.exportRows, modelRouter.eventStreams, modelRouter.eventStreamsPerClient],
    is: [5, 6, 2],
    otherwise: [100_000, 2_000, 20],
  },
  "limits.response": {
    file: { limits: { response: "2kb" } },
    of: ({ modelRouter }) => modelRouter.responseBytes,
    is: 2_048,
    otherwise: 5 * 1024 * 1024,
  },
  "limits.bytesPerSecond": {
    file: { limits: { bytesPerSecond: 7 } },
    of: ({ bytesPerSecond }) => bytesPerSecond,
    is: 7,
    otherwise: 500,
  },
  workers: {
    file: { workers: 3 },
    of: ({ workers }) => workers,
    is: 3,
    otherwise: undefined,
  },
  "workers, one for each processor": {
    file: { workers: "auto" },
    of: ({ workers }) => workers,
    is: os.availableParallelism(),
    otherwise: undefined,
  },
  "cache.keyHeader": {
    file: { cache: { purge: () => undefined, keyHeader: "Cache-Tag" } },
    of: ({ modelRouter }) => modelRouter.surrogateKeyHeader,
    is: "Cache-Tag",
    otherwise: undefined,
  },
  "cache.keyHeader, by default": {
    file: { cache: { purge: () => undefined } },
    of: ({ modelRouter }) => modelRouter.surrogateKeyHeader,
    is: "Surrogate-Key",
    otherwise: undefined,
  },
  modulesDirectory: {
    file: { modulesDirectory: os.tmpdir() },
    of: ({ modulesDirectory }) => modulesDirectory,
    is: { path: os.tmpdir(), isConfigured: true },
    otherwise: { path: path.join(import.meta.dirname, "..", "src", "modules"), isConfigured: false },
  },
  publicUrl: {
    file: { publicUrl: "https://api.example.com/" },
    of: ({ publicUrl, fileUpload }) => [publicUrl, fileUpload.publicUrl()],
    is: ["https://api.example.com/", "https://api.example.com"],
    otherwise: [undefined, "http://localhost:8000"],
  },
  "debugging.dynamicLoader": {
    file: { debugging: { dynamicLoader: { level: 2, filters: { modules: ["post"], components: ["router"] } } } },
    of: ({ debugging }) => debugging.dynamicLoader,
    is: { level: 2, filters: { modules: ["post"], components: ["router"] } },
    otherwise: undefined,
  },
};

describe("C38 C55 each key of the blocks, in every form", () => {
  it.each(Object.entries(rows))("%s", async (_title, { file, code, of, is, otherwise }) => {
    const text = `export default ${toSource(defineConfig(file))};`;
    const directory = project({ "service.config.mjs": text });
    expect(of(await settingsOf({}, { directory })), "in a file").toEqual(is);
    expect(of(await settingsOf(file)), "in code").toEqual(is);
    if (code !== undefined) expect(of(await settingsOf(code)), "by the init names").toEqual(is);
    expect(of(await settingsOf({})), "without the key").toEqual(otherwise);
  });
});

describe("C38 the environment variables of authentication", () => {
  const environment = {
    JWT_SECRET: secret,
    JWT_EXPIRES_IN: "60",
    JWT_COOKIE_SECURE: "true",
    JWT_COOKIE_HTTP_ONLY: "false",
    JWT_COOKIE_SAME_SITE: "Strict",
  };
  const jwtOf = async (config: ServiceInitConfig, reported: Readonly<Record<string, string>>, files = {}) =>
    (await settingsOf(config, { environment: reported, directory: project(files) })).authentication?.jwt;

  it("apply with a block, in code and in a file", async () => {
    const reported = { secrets: [secret], lifetime: 60, cookie: { secure: true, httpOnly: false, sameSite: "strict" } };
    expect(await jwtOf({ authentication: { mode: "static" } }, environment)).toMatchObject(reported);
    const files = { "service.config.json": '{"authentication":{"mode":"dynamic"}}' };
    expect(await jwtOf({}, environment, files)).toMatchObject(reported);
    const dotenv = { ".env": "JWT_SECRET=from-the-file\n" };
    expect((await jwtOf({ authentication: { mode: "static" } }, {}, dotenv))?.secrets).toEqual(["from-the-file"]);
  });

  it("are not read without a block", async () => {
    expect(await jwtOf({}, { ...environment, JWT_COOKIE_SECURE: "perhaps" })).toBeUndefined();
  });

  it("yield to the file, which yields to service.init", async () => {
    const files = {
      "service.config.json":
        '{"authentication":{"mode":"static","jwt":{"expiresIn":"2s","cookie":{"sameSite":"lax"}}}}',
    };
    const init = { authentication: { mode: "static", jwt: { expiresIn: "1s" } } } as const;
    expect(await jwtOf(init, environment, files)).toMatchObject({
      lifetime: 1,
      secrets: [secret],
      cookie: { secure: true, sameSite: "lax" },
    });
  });

  it.each([
    ["production", { secure: true, httpOnly: true, sameSite: "none" }, false],
    ["development", { secure: false, httpOnly: true, sameSite: "lax" }, true],
    ["test", { secure: false, httpOnly: true, sameSite: "lax" }, true],
  ])("have defaults by NODE_ENV: %s", async (NODE_ENV, cookie, documented) => {
    const { authentication, apiDocs } = await settingsOf(
      { authentication: auth, apidocs: { mode: "orm" } },
      { environment: { NODE_ENV } },
    );
    expect(authentication?.jwt.cookie).toEqual(cookie);
    expect(apiDocs.enabled).toBe(documented);
  });
});

it("C38 the settings of the blocks are frozen", async () => {
  const { authentication, fileUpload, apiDocs, modulesDirectory } = await settingsOf({ authentication: auth });
  for (const slice of [authentication, fileUpload, apiDocs, modulesDirectory]) expect(slice).toSatisfy(Object.isFrozen);
});

it("C55 limits.body is the limit of JSON if serverJson has none", async () => {
  const limitOf = async (init: ServiceInitConfig) => (await settingsOf(init)).middlewares.serverJson;
  expect(await limitOf({ limits: { body: "2kb" } })).toEqual({ limit: "2kb" });
  expect(await limitOf({ limits: { body: "2kb" }, jsonBodyParserOptions: { strict: false } })).toEqual({
    limit: "2kb",
    strict: false,
  });
  expect(await limitOf({ limits: { body: "2kb" }, jsonBodyParserOptions: { limit: 7 } })).toEqual({ limit: 7 });
  expect(await limitOf({ limits: { body: "2kb" }, jsonBodyParserOptions: false })).toBe(false);
});
