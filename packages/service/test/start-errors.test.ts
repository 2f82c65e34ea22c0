import fs from "node:fs";
import type { AddressInfo } from "node:net";
import os from "node:os";
import path from "node:path";
import { afterEach, describe, expect, it } from "vitest";
import service, { ServiceRouter } from "../src/index.js";
import { models as gallery } from "./generated/gallery/models.js";
import { makeStarter } from "./start.js";

const { create, init, closeAll } = makeStarter();
const folders: string[] = [];
afterEach(async () => {
  await closeAll();
  for (const folder of folders.splice(0)) fs.rmSync(folder, { recursive: true });
});

function project(files: Readonly<Record<string, string>>): string {
  const folder = fs.realpathSync(fs.mkdtempSync(path.join(os.tmpdir(), "servicekit-start-")));
  folders.push(folder);
  fs.writeFileSync(path.join(folder, "package.json"), '{"type":"module"}');
  for (const [name, text] of Object.entries(files)) {
    fs.mkdirSync(path.dirname(path.join(folder, name)), { recursive: true });
    fs.writeFileSync(path.join(folder, name), text);
  }
  return folder;
}

/** The whole text of a start that fails. */
async function textOf(
  config: unknown,
  files: Readonly<Record<string, string>> = {},
  environment: Readonly<Record<string, string>> = {},
  argv: readonly string[] = [],
): Promise<string> {
  const directory = project(files);
  const error = await create(config as object, { directory, environment, argv }).then(
    () => new Error("It started."),
    (reason: Error) => reason,
  );
  const place = path.relative(process.cwd(), directory);
  return error.message.replaceAll(place, "<project>").replaceAll(directory, "<project>");
}

const models = { format: 1, enums: [], models: [] };

describe("C38 a start that fails says", () => {
  it("every unknown key, at every level, in each form", async () => {
    const config = {
      usse: [],
      jsonBodyParserOption: {},
      middlewares: { disabled: ["cors"], compression: { levle: 1 } },
      routers: { welcomeRout: false },
      jsonBodyParserOptions: { limt: "1mb" },
      validation: { resolver: "zod", stric: true },
      debugging: { requests: { filters: [] } },
      timeouts: { requests: 1 },
    };
    expect(await textOf(config)).toMatchInlineSnapshot(`
      "The service cannot start (9 faults):
        - validation.stric (the init object): There is no such key. Did you mean strict?
        - middlewares.compression.levle (the init object): There is no such key. Did you mean level?
        - middlewares.disabled (the init object): There is no such key. Did you mean disable?
        - routers.welcomeRout (the init object): There is no such key. Did you mean welcomeRoute?
        - debugging.requests.filters (the init object): There is no such key. Did you mean filter?
        - timeouts.requests (the init object): There is no such key. Did you mean request?
        - jsonBodyParserOptions.limt (the init object): There is no such key. Did you mean limit?
        - usse (the init object): There is no such key. Did you mean use?
        - jsonBodyParserOption (the init object): There is no such key. Did you mean jsonBodyParserOptions?"
    `);
  });

  it("which keys of a file only service.init takes, and what they are called in a file", async () => {
    const text = `export default {
      use: [], configureApp() {}, compressionOptions: false, cors: false, middlewares: { disable: [] } };`;
    expect(await textOf({}, { "service.config.mjs": text })).toMatchInlineSnapshot(`
      "The service cannot start (5 faults):
        - middlewares.disable (service.config.mjs): Only service.init takes it.
        - use (service.config.mjs): Only service.init takes it.
        - configureApp (service.config.mjs): Only service.init takes it.
        - compressionOptions (service.config.mjs): This is its name in service.init; here it is middlewares.compression.
        - cors (service.config.mjs): This is its name in service.init; here it is middlewares.cors."
    `);
  });

  it("what the blocks cannot be without", async () => {
    expect(
      await textOf({ authentication: {}, fileUpload: {}, apidocs: {}, request: {}, validation: {} }),
    ).toMatchInlineSnapshot(`
      "The service cannot start (4 faults):
        - authentication.jwt.secret (JWT_SECRET): Authentication needs a secret to sign access tokens with. Make one with: node -e "console.log(require('node:crypto').randomBytes(48).toString('base64url'))"
        - validation.resolver: found nothing, expected "zod", "schema-lib", "class-validator" or "class-lib". The environment variable SERVICE_VALIDATION_RESOLVER sets it too.
        - authentication.mode: found nothing, expected "static" or "dynamic". The environment variable SERVICE_AUTHENTICATION_MODE sets it too.
        - apidocs.mode: found nothing, expected "orm", "class-lib", "schema-lib", "prisma", "class-validator" or "zod". The environment variable SERVICE_APIDOCS_MODE sets it too."
    `);
  });

  it("every unknown key of the blocks", async () => {
    const config = {
      authentification: {},
      authentication: { mode: "static", login: { username: [] }, jwt: { secrets: "x", cookie: { samesite: "lax" } } },
      fileUpload: { baseUploadDirs: "x", restrictions: { image: {}, files: { maxsize: 1 } }, serverStaticOption: {} },
      apidocs: { mode: "orm", endpoints: "/docs" },
      apiDocs: {},
      request: { parameter: {}, parameters: { allowDangerousOrmQueryOption: true } },
      modulesDir: "x",
    };
    expect(await textOf(config)).toMatchInlineSnapshot(`
      "The service cannot start (14 faults):
        - authentication.login.username (the init object): There is no such key; known here: allowedUsernames, sendAccessTokenThrough, normalizeNames.
        - authentication.jwt.cookie.samesite (the init object): There is no such key. Did you mean sameSite?
        - authentication.jwt.secrets (the init object): There is no such key. Did you mean secret?
        - fileUpload.restrictions.files.maxsize (the init object): There is no such key. Did you mean maxSize?
        - fileUpload.restrictions.image (the init object): There is no such key. Did you mean images?
        - fileUpload.baseUploadDirs (the init object): There is no such key. Did you mean baseUploadDir?
        - fileUpload.serverStaticOption (the init object): There is no such key. Did you mean serverStatic?
        - apidocs.endpoints (the init object): There is no such key. Did you mean endpoint?
        - request.parameters.allowDangerousOrmQueryOption (the init object): There is no such key. Did you mean allowDangerousOrmQueryOptions?
        - request.parameter (the init object): There is no such key. Did you mean parameters?
        - authentification (the init object): There is no such key. Did you mean authentication?
        - apiDocs (the init object): There is no such key. Did you mean apidocs?
        - modulesDir (the init object): There is no such key. Did you mean modulesDirectory?
        - authentication.jwt.secret (JWT_SECRET): Authentication needs a secret to sign access tokens with. Make one with: node -e "console.log(require('node:crypto').randomBytes(48).toString('base64url'))""
    `);
  });

  it("every wrong type in the blocks, without showing a secret", async () => {
    const config = {
      authentication: {
        enabled: "no",
        mode: "statik",
        login: { allowedUsernames: [], sendAccessTokenThrough: "cookie" },
        rateLimit: { windowMs: 0, limit: "10" },
        jwt: { secret: { mine: "hunter2" }, expiresIn: "a month", cookie: { secure: "yes", sameSite: "laxx" } },
      },
      fileUpload: {
        baseUploadDir: "",
        baseRoute: "uploads",
        serverStatic: { maxAge: "long" },
        restrictions: { images: { maxSize: -1, supportedFilesRegex: "png" } },
        storage: "s3",
      },
      apidocs: { mode: "openapi", endpoint: "docs", strict: 1, options: { definition: { servers: {} } } },
      request: { parameters: { allowDangerousOrmQueryOptions: "true" } },
      modulesDirectory: 7,
      limits: { body: "much" },
    };
    const text = await textOf(config);
    expect(text).toMatchInlineSnapshot(`
      "The service cannot start (23 faults):
        - authentication.enabled (the init object): found "no" (text), expected true or false.
        - authentication.mode (the init object): found "statik" (text), expected "static" or "dynamic". Did you mean "static"?
        - authentication.login.allowedUsernames (the init object): found an empty list, expected a list of user fields.
        - authentication.login.sendAccessTokenThrough (the init object): found *** (text), expected "cookie-only", "response-only" or "both". Did you mean "cookie-only"?
        - authentication.rateLimit.windowMs (the init object): found 0 (a number), expected a whole number of milliseconds.
        - authentication.rateLimit.limit (the init object): found "10" (text), expected a whole number of at least 1.
        - authentication.jwt.secret (the init object): found an object, expected a text or a list of at least 1 item.
        - authentication.jwt.expiresIn (the init object): found "a month" (text), expected a lifetime such as 30d, 12h, 15m or 3600s.
        - authentication.jwt.cookie.secure (the init object): found "yes" (text), expected true or false.
        - authentication.jwt.cookie.sameSite (the init object): found "laxx" (text), expected "lax", "strict" or "none". Did you mean "lax"?
        - fileUpload.baseUploadDir (the init object): found an empty text, expected a text that is not empty.
        - fileUpload.baseRoute (the init object): found "uploads" (text), expected a path such as /api/uploads.
        - fileUpload.serverStatic.maxAge (the init object): found "long" (text), expected a number of milliseconds or a text such as 1d.
        - fileUpload.restrictions.images.maxSize (the init object): found -1 (a number), expected a whole number of at least 1.
        - fileUpload.restrictions.images.supportedFilesRegex (the init object): found "png" (text), expected a regular expression.
        - fileUpload.storage (the init object): found "s3" (text), expected "disk" or an object.
        - apidocs.endpoint (the init object): found "docs" (text), expected a path such as /api/api-docs.
        - apidocs.mode (the init object): found "openapi" (text), expected "orm", "class-lib", "schema-lib", "prisma", "class-validator" or "zod".
        - apidocs.strict (the init object): found 1 (a number), expected true or false.
        - apidocs.options.definition.servers (the init object): found an object, expected a list.
        - request.parameters.allowDangerousOrmQueryOptions (the init object): found "true" (text), expected true or false.
        - modulesDirectory (the init object): found 7 (a number), expected a text that is not empty.
        - limits.body (the init object): found "much" (text), expected a number of bytes or a text such as 1mb."
    `);
    expect(text).not.toContain("hunter2");
  });

  it("what the variables of authentication say, where there is such a block", async () => {
    const environment = {
      NODE_ENV: "production",
      JWT_SECRET: "hunter2",
      JWT_EXPIRES_IN: "a month",
      JWT_COOKIE_SECURE: "perhaps",
      JWT_COOKIE_HTTP_ONLY: "2",
      JWT_COOKIE_SAME_SITE: "non",
    };
    const text = await textOf({}, { "service.config.json": '{"authentication":{}}' }, environment);
    expect(text).toMatchInlineSnapshot(`
      "The service cannot start (6 faults):
        - JWT_COOKIE_SECURE: found "perhaps" (text), expected true or false.
        - JWT_COOKIE_HTTP_ONLY: found "2" (text), expected true or false.
        - JWT_COOKIE_SAME_SITE: found "non" (text), expected "lax", "strict" or "none". Did you mean "none"?
        - authentication.jwt.secret (JWT_SECRET): The secret has 7 bytes; in production at least 32 are expected. Make one with: node -e "console.log(require('node:crypto').randomBytes(48).toString('base64url'))"
        - authentication.mode: found nothing, expected "static" or "dynamic". The environment variable SERVICE_AUTHENTICATION_MODE sets it too.
        - authentication.jwt.expiresIn (the environment variable JWT_EXPIRES_IN): found "a month" (text), expected a lifetime such as 30d, 12h, 15m or 3600s."
    `);
    expect(text).not.toContain("hunter2");
  });

  it("F27 the same of an option, whether it is told for all or for a route", async () => {
    const router = ServiceRouter().get(
      {
        path: "/a",
        compression: { strategy: 99, levle: 1 },
        rateLimit: { windowMs: 0, max: 1 },
        queryParser: { parseNumber: 1 },
        bodyParser: [{ parser: "json", options: { limit: "much" } }],
      } as never,
      () => undefined,
    );
    const middlewares = {
      compression: { strategy: 99, levle: 1 },
      rateLimit: { windowMs: 0, max: 1 },
      queryParser: { parseNumber: 1 },
      serverJson: { limit: "much" },
    };
    const words = (text: string): string[] =>
      [
        ...text.matchAll(
          /(?:compression|rateLimit|queryParser|options|serverJson)\.([a-zA-Z]+)(?: \(the init object\))?: (.*)/g,
        ),
      ]
        .map(([, key, said]) => `${key}: ${said}`)
        .sort();
    const global = words(await textOf({ middlewares }));
    expect(global).toEqual([
      "levle: There is no such key. Did you mean level?",
      'limit: found "much" (text), expected a number of bytes or a text such as 1mb.',
      "parseNumber: found 1 (a number), expected true or false.",
      "strategy: found 99 (a number), expected a whole number from 0 to 4.",
      "windowMs: found 0 (a number), expected a whole number of milliseconds.",
    ]);
    expect(words(await textOf({ use: [router] }))).toEqual(global);
  });

  it("F27 which options the library of validation does not have", async () => {
    const zod = { resolver: "zod", validationOptions: { reportInput: true, whitelist: true } };
    const classes = { resolver: "class-lib", validationOptions: { whitelst: true, forbidUnknownValues: false } };
    expect(await textOf({ validation: zod })).toMatchInlineSnapshot(`
      "The service cannot start (1 fault):
        - validation.validationOptions.whitelist (the init object): There is no such key; known here: error, reportInput, jitless."
    `);
    expect(await textOf({ validation: classes })).toMatchInlineSnapshot(`
      "The service cannot start (2 faults):
        - validation.validationOptions.forbidUnknownValues (the init object): found false, expected true, because nothing else keeps unknown objects out (CVE-2019-18413).
        - validation.validationOptions.whitelst (the init object): There is no such key. Did you mean whitelist?"
    `);
  });

  it("F27 what a database needs", async () => {
    expect(await textOf({ database: {} })).toMatchInlineSnapshot(`
      "The service cannot start (2 faults):
        - database.client: found nothing, expected a Prisma client, or a function ({ adapter }) => new PrismaClient({ adapter }).
        - database.models: found nothing, expected the models that the generator servicekit-prisma wrote."
    `);
  });

  it("F27 C38 what is wrong with models, modules, the user model and routes, with a misspelt key", async () => {
    const router = ServiceRouter().get({ path: "/a", compresion: true } as never, () => undefined);
    const config = {
      prot: 1,
      authentication: { mode: "statik", login: { allowedUsernames: ["email"] } },
      database: { client: () => expect.unreachable(), models: gallery },
      models: { Pictur: {}, Album: { auth: { findMny: true } }, auth: { hooks: { beforeLogn: () => undefined } } },
      use: [router],
    };
    const environment = { JWT_SECRET: "x".repeat(40), DATABASE_URL: "postgresql://localhost:1/none" };
    expect(await textOf(config, {}, environment)).toMatchInlineSnapshot(`
      "The service cannot start (6 faults):
        - authentication.mode (the init object): found "statik" (text), expected "static" or "dynamic". Did you mean "static"?
        - prot (the init object): There is no such key. Did you mean port?
        - models.auth.hooks.beforeLogn: There is no such key. Did you mean beforeLogin?
        - models: There is no model Pictur; did you mean Picture?
        - models.Album.auth.findMny: There is no such key. Did you mean findMany?
        - GET /a (packages/service/test/start-errors.test.ts:258): compresion: There is no such key. Did you mean compression?"
    `);
    const { mode: _, ...login } = config.authentication;
    const right = { ...config, authentication: { ...login, mode: "static" }, models: {}, use: [] };
    expect(await textOf(right, {}, environment)).toMatchInlineSnapshot(`
      "The service cannot start (2 faults):
        - prot (the init object): There is no such key. Did you mean port?
        - authentication.login.allowedUsernames: email: the model User has no field email."
    `);
  });

  it("F10 C61 that NODE_ENV is none of the three", async () => {
    for (const NODE_ENV of ["prod", "Production", "staging"]) {
      expect(await textOf({}, {}, { NODE_ENV })).toContain(
        `NODE_ENV: found "${NODE_ENV}" (text), expected "development", "production" or "test".`,
      );
    }
    expect(await textOf({ prot: 1 }, {}, { NODE_ENV: "prod" })).toMatchInlineSnapshot(`
      "The service cannot start (2 faults):
        - prot (the init object): There is no such key. Did you mean port?
        - NODE_ENV: found "prod" (text), expected "development", "production" or "test". Did you mean "production"?"
    `);
    expect(await textOf({}, { ".env": "NODE_ENV=staging" })).toContain('NODE_ENV: found "staging"');
  });

  it("F6 C61 that rights stand where nothing checks them", async () => {
    const router = ServiceRouter().get({ path: "/a", authentication: true }, () => undefined);
    const config = {
      database: { client: () => expect.unreachable(), models: gallery },
      models: {
        Picture: { auth: { findMany: false } },
        "file-upload": { auth: { findFile: ["ADMIN"] } },
      },
      apidocs: { mode: "orm", auth: ["ADMIN"] },
      use: [router],
    };
    const environment = { DATABASE_URL: "postgresql://localhost:1/none", NODE_ENV: "production" };
    expect(await textOf(config, {}, environment)).toMatchInlineSnapshot(`
      "The service cannot start (3 faults):
        - models.Picture.auth: Nothing checks rights without a block authentication: these routes would be open to everyone. Give the block (with enabled: false it is off on purpose), or take auth out.
        - models.file-upload.auth: Nothing checks rights without a block authentication: these routes would be open to everyone. Give the block (with enabled: false it is off on purpose), or take auth out.
        - apidocs.auth: Nothing checks rights without a block authentication: these routes would be open to everyone. Give the block (with enabled: false it is off on purpose), or take auth out."
    `);
  });

  it("F38 C44 what is misspelt in the modules auth and file-upload, in code and in files, with the nearest name", async () => {
    const models = {
      "file-upload": {
        auht: {},
        auth: { findFil: true, uploadFile: "ADMIN", deleteFile: { where: () => true } },
        hooks: { x: 1 },
      },
      auth: {
        auth: { sigup: true, getMe: false },
        hooks: { beforeLogn: () => undefined },
        schemas: { login: 1 },
        jwt: {},
      },
      fileUplod: {},
    };
    const database = { client: () => expect.unreachable(), models: gallery };
    const environment = { JWT_SECRET: "x".repeat(40), DATABASE_URL: "postgresql://localhost:1/none" };
    const authentication = { mode: "static" };
    expect(await textOf({ models, database, authentication }, {}, environment)).toMatchInlineSnapshot(`
      "The service cannot start (11 faults):
        - models.auth.auth.sigup: There is no such key. Did you mean signup?
        - models.auth.auth.getMe: Who does this is signed in: it can be true, a list of roles or { rule }, but not open to everyone.
        - models.auth.hooks.beforeLogn: There is no such key. Did you mean beforeLogin?
        - models.auth.schemas.login: found 1 (a number), expected a Zod schema or a class with class-validator decorators.
        - models.auth.jwt: There is no such key; known here: auth, hooks, schemas, router.
        - models.file-upload.auth.uploadFile: found "ADMIN" (text), expected true, false, a list of roles or an object with rule.
        - models.file-upload.auth.deleteFile.where: There is no such key; known here: rule.
        - models.file-upload.auth.findFil: There is no such key. Did you mean findFile?
        - models.file-upload.hooks.x: There is no such key; known here: beforeUploadFile, afterUploadFile, beforeFindFile, afterFindFile, beforeDeleteFile, afterDeleteFile.
        - models.file-upload.auht: There is no such key. Did you mean auth?
        - models: There is no model fileUplod; did you mean file-upload?"
    `);
    expect(await textOf({ models: { zzz: {} } })).toMatchInlineSnapshot(`
      "The service cannot start (1 fault):
        - models: There is no model zzz; known are auth, file-upload."
    `);
    const files = {
      "src/modules/file-upload/file-upload.model.mjs": "export default { auth: { findFil: true } };",
      "src/modules/auth/auth.model.mjs": "export default { login: {} };",
    };
    expect(await textOf({ authentication }, files, environment)).toMatchInlineSnapshot(`
      "The service cannot start (2 faults):
        - <project>/src/modules/auth/auth.model.mjs: auth.login: There is no such key; known here: auth, hooks, schemas, router.
        - <project>/src/modules/file-upload/file-upload.model.mjs: file-upload.auth.findFil: There is no such key. Did you mean findFile?"
    `);
  });

  it("F27 C48 which plain routes say nothing of validation, and none of our own", async () => {
    const router = ServiceRouter().get("/plain", () => undefined);
    const everything = {
      validation: { resolver: "zod", strict: true },
      apidocs: { mode: "orm" },
      authentication: { mode: "static" },
      database: { client: { $disconnect: async () => undefined, user: {}, album: {}, picture: {} }, models: gallery },
    };
    const environment = { JWT_SECRET: "x".repeat(40) };
    expect(await textOf({ ...everything, use: [router] }, {}, environment)).toMatch(
      /^The service cannot start \(1 fault\):\n {2}- GET \/plain \(packages\/service\/test\/start-errors\.test\.ts:\d+\): validation\.strict asks/,
    );
  });

  it("F35 which fields are called like a word of filters, unless they are hidden", async () => {
    const words = ["AND", "OR", "NOT"].map((name) => ({ kind: "scalar", name, type: "String", isOptional: true }));
    const fields = [{ kind: "scalar", name: "id", type: "Int" }, ...words];
    const logic = [{ name: "Logic", fields, keys: [{ kind: "id", fields: ["id"] }] }];
    const database = { client: () => expect.unreachable(), models: { ...models, models: logic } };
    const environment = { DATABASE_URL: "postgresql://localhost:1/none" };
    const hidden = { Logic: { hidden: ["AND", "NOT"] } };
    expect(await textOf({ database, models: hidden }, {}, environment)).toMatchInlineSnapshot(`
      "The service cannot start (1 fault):
        - model Logic: The field OR bears a word of filters. Rename it (@map keeps its column), or hide it: /// @hidden in the schema, or models.Logic.hidden."
    `);
  });

  it("F35 which model has the path of a built-in router", async () => {
    const model = (name: string) => ({
      name,
      fields: [{ kind: "scalar", name: "id", type: "Int" }],
      keys: [{ kind: "id", fields: ["id"] }],
    });
    const client = { $disconnect: async () => undefined, upload: {}, apiDoc: {} };
    const database = { client, models: { ...models, models: [model("Upload"), model("ApiDoc")] } };
    expect(await textOf({ database, routers: { disable: ["available-resources"] } })).toMatchInlineSnapshot(`
      "The service cannot start (4 faults):
        - GET /api/api-docs (the generated route findMany of the model ApiDoc): The same method and path are declared in the API documentation as GET /api/api-docs.
        - GET /api/api-docs/:id (the generated route findOne of the model ApiDoc): The same method and path are declared in the API documentation as GET /api/api-docs/:file.
        - model Upload: Its path /api/uploads is that of the built-in router file-uploader: rename the model (@@map keeps its table), or put the router elsewhere or out (routers.disable).
        - model ApiDoc: Its path /api/api-docs is that of the built-in router api-docs: rename the model (@@map keeps its table), or put the router elsewhere or out (routers.disable)."
    `);
    const fileUpload = { baseRoute: "/api/files" };
    expect(await textOf({ database, fileUpload, routers: { disable: ["api-docs"] } })).toBe("It started.");
  });

  it("F27 which options of the page would do nothing", async () => {
    const options = { customCssUrl: "/my.css", explorer: true, customCss: ".a {}" };
    expect(await textOf({ apidocs: { mode: "orm", options } })).toMatchInlineSnapshot(`
      "The service cannot start (2 faults):
        - apidocs.options.customCssUrl (the init object): The page loads no file but its own: say styles as customCss.
        - apidocs.options.explorer (the init object): The page shows the document of this service alone."
    `);
  });

  it("that the secret of a configuration is known to everybody", async () => {
    const authentication = { mode: "static", jwt: { secret: "secret-".repeat(8) } };
    expect(await textOf({ authentication }, {}, { NODE_ENV: "production" })).toMatchInlineSnapshot(`
      "The service cannot start (1 fault):
        - authentication.jwt.secret (JWT_SECRET): The secret is a placeholder that everybody knows. Make one with: openssl rand -base64 48"
    `);
  });

  it("that one setting of uploads is told twice, and by which name in a file", async () => {
    const fileUpload = { serverStatic: { etag: false }, serverStaticOptions: { etag: true } };
    const files = { "service.config.json": '{"fileUpload":{"serverStaticOptions":{}}}' };
    expect(await textOf({ fileUpload })).toMatchInlineSnapshot(`
      "The service cannot start (1 fault):
        - fileUpload.serverStaticOptions (the init object): fileUpload.serverStatic is told in another way too."
    `);
    expect(await textOf({}, files)).toMatchInlineSnapshot(`
      "The service cannot start (1 fault):
        - fileUpload.serverStaticOptions (service.config.json): This is its name in service.init; here it is fileUpload.serverStatic."
    `);
  });

  it("that the folder of modules is not there", async () => {
    expect(await textOf({ modulesDirectory: "modules" })).toMatchInlineSnapshot(`
      "The service cannot start (1 fault):
        - modulesDirectory: The folder <project>/modules is not there. It is looked for below <project>."
    `);
  });

  it("every wrong type, without showing what is secret", async () => {
    const config = {
      port: 65_536,
      host: "",
      use: ["a", { get() {} }],
      configureApp: {},
      cookieParserParameters: "my secret",
      middlewares: {
        compression: { level: 10 },
        rateLimit: true,
        cors: { allowedOrigins: ["https://a.example/", "a.example"] },
        serverJson: { limit: "much" },
        errorHandler: {},
        additional: {},
      },
      email: { host: "mail.example", auth: { user: "u", pass: 12345 } },
      debugging: { requests: { level: 4, filter: ["Query", "Cookies"] } },
      models: { Product: { bulkItems: "many" } },
      trustProxy: {},
      publicUrl: "api.example.com",
      logger: {},
    };
    expect(await textOf(config)).toMatchInlineSnapshot(`
      "The service cannot start (21 faults):
        - port (the init object): found 65536 (a number), expected a whole number from 0 to 65535.
        - host (the init object): found an empty text, expected a text that is not empty.
        - middlewares.cors.allowedOrigins.0 (the init object): found "https://a.example/" (text), expected an origin such as https://app.example.com, or "*".
        - middlewares.cors.allowedOrigins.1 (the init object): found "a.example" (text), expected an origin such as https://app.example.com, or "*".
        - middlewares.compression.level (the init object): found 10 (a number), expected a whole number from -1 to 9.
        - middlewares.rateLimit (the init object): found true, expected false, an object or a function.
        - middlewares.serverJson.limit (the init object): found "much" (text), expected a number of bytes or a text such as 1mb.
        - middlewares.errorHandler (the init object): found an object, expected false or a function.
        - middlewares.additional (the init object): found an object, expected a list of handlers.
        - email.auth.pass (the init object): found *** (a number), expected a text.
        - debugging.requests.level (the init object): found 4 (a number), expected a whole number from 0 to 3.
        - debugging.requests.filter.1 (the init object): found "Cookies" (text), expected "Params", "Query", "Headers" or "Body".
        - trustProxy (the init object): found an object, expected true, false, a whole number of at least 0, a text or a list.
        - publicUrl (the init object): found "api.example.com" (text), expected a URL.
        - logger (the init object): found an object, expected a pino logger.
        - use.0 (the init object): found "a" (text), expected a handler or a router.
        - use.1 (the init object): found an object, expected a handler or a router.
        - configureApp (the init object): found an object, expected a function.
        - cookieParserParameters (the init object): found *** (text), expected false, a list of a signing secret and options or a function.
        - models: There is no model Product; known are auth, file-upload.
        - models.Product.bulkItems: found "many" (text), expected a whole number of at least 1."
    `);
  });

  it("that the library of validation and parts of the mail settings are missing", async () => {
    const environment = { EMAIL_HOST: "mail.example", EMAIL_PORT: "smtp" };
    expect(await textOf({ validation: { strict: true } }, {}, environment)).toMatchInlineSnapshot(`
      "The service cannot start (3 faults):
        - EMAIL_PORT: found "smtp" (text), expected a whole number from 1 to 65535.
        - validation.resolver: found nothing, expected "zod", "schema-lib", "class-validator" or "class-lib". The environment variable SERVICE_VALIDATION_RESOLVER sets it too.
        - email.auth: found nothing, expected an object. The environment variables EMAIL_USER and EMAIL_PASSWORD set it too."
    `);
  });

  it("F26 that mails would come from nobody, or from what is no address", async () => {
    const environment = { EMAIL_HOST: "mail.example", EMAIL_USER: "apikey", EMAIL_PASSWORD: "hunter2" };
    expect(await textOf({}, {}, environment)).toMatchInlineSnapshot(`
      "The service cannot start (1 fault):
        - email.from: It is missing: auth.user is no mail address, so that mails come from nobody. Give from (EMAIL_FROM)."
    `);
    expect(await textOf({ email: { from: "The Shop <shop@example.com>" } }, {}, environment)).toMatchInlineSnapshot(`
      "The service cannot start (1 fault):
        - email.from (the init object): found "The Shop <shop@example.com>" (text), expected a mail address."
    `);
    expect(await textOf({}, {}, { ...environment, EMAIL_FROM: "shop@example.com" })).toBe("It started.");
    expect(await textOf({}, {}, { ...environment, EMAIL_USER: "shop@example.com" })).toBe("It started.");
  });

  it("C51 which routers and middlewares there are, where a name is unknown", async () => {
    const config = {
      middlewares: { disable: ["cross-origin"], replace: { globalErrorHandlr: () => undefined } },
      routers: { disable: ["welcomeEndpoints"], replace: { fileUpload: () => undefined } },
    };
    expect(await textOf(config)).toMatchInlineSnapshot(`
      "The service cannot start (4 faults):
        - middlewares.disable.0 (the init object): There is no "cross-origin"; known are security-headers, request-logger, cors, cookie-parser, compression, rate-limit, server-json, query-parser, error-handler, global-rate-limit, json-body-parser, global-error-handler.
        - middlewares.replace.globalErrorHandlr (the init object): There is no "globalErrorHandlr"; known are security-headers, request-logger, cors, cookie-parser, compression, rate-limit, server-json, query-parser, error-handler, global-rate-limit, json-body-parser, global-error-handler. Did you mean global-error-handler?
        - routers.disable.0 (the init object): There is no "welcomeEndpoints"; known are welcome-endpoint, file-uploader, auth-router, model-router, available-routes, available-resources, auth-actions, api-docs, health. Did you mean welcome-endpoint?
        - routers.replace.fileUpload (the init object): There is no "fileUpload"; known are welcome-endpoint, file-uploader, auth-router, model-router, available-routes, available-resources, auth-actions, api-docs, health. Did you mean file-uploader?"
    `);
  });

  it("that one setting is told twice", async () => {
    const handler = () => undefined;
    const config = {
      compressionOptions: { level: 1 },
      middlewares: {
        compression: false,
        disable: ["cors"],
        replace: { cors: handler, globalErrorHandler: handler, "error-handler": handler },
      },
      routers: {
        welcomeRoute: handler,
        disable: ["welcome-endpoint", "health"],
        replace: { health: handler, authRouter: handler, "auth-router": handler },
      },
    };
    expect(await textOf(config)).toMatchInlineSnapshot(`
      "The service cannot start (6 faults):
        - compressionOptions (the init object): middlewares.compression is told in another way too.
        - middlewares.replace.cors (the init object): middlewares.cors is told in another way too.
        - middlewares.replace.error-handler (the init object): middlewares.errorHandler is told in another way too.
        - routers.welcomeRoute (the init object): routers.disable says something else of welcome-endpoint.
        - routers.replace.health (the init object): routers.disable says something else of health.
        - routers.replace.auth-router (the init object): routers.replace.authRouter says something else of auth-router."
    `);
  });

  it("that DATABASE_URL is missing, together with all else", async () => {
    const database = { client: () => expect.unreachable(), models };
    expect(await textOf({ database, prot: 1 }, {}, { PORT: "many" })).toMatchInlineSnapshot(`
      "The service cannot start (3 faults):
        - prot (the init object): There is no such key. Did you mean port?
        - PORT: found "many" (text), expected a whole number from 0 to 65535.
        - the environment variable DATABASE_URL: is missing: database.client is a function that takes an adapter made from it. Expected a URL such as postgresql://user:password@localhost:5432/name."
    `);
  });

  it.each([["mysql://user:hunter2@localhost/shop"], ["hunter2"]])(
    "that DATABASE_URL leads to no PostgreSQL, without showing it: %s",
    async (url) => {
      const database = { client: () => expect.unreachable(), models };
      const text = await textOf({ database }, { ".env": `DATABASE_URL=${url}` });
      expect(text).toMatchInlineSnapshot(`
      "The service cannot start (1 fault):
        - the environment variable DATABASE_URL: is no URL of a PostgreSQL. Expected a URL such as postgresql://user:password@localhost:5432/name."
    `);
      expect(text).not.toContain("hunter2");
    },
  );

  it("what is wrong in each source, at once", async () => {
    const files = { "service.config.json": '{"host":7,"welcomMessage":"x"}' };
    const text = await textOf({ limits: { page: { maximum: 5 } } }, files, { EMAIL_SECURE: "perhaps" }, [
      "-p",
      "eighty",
    ]);
    expect(text).toMatchInlineSnapshot(`
      "The service cannot start (5 faults):
        - limits.page.maximum (the init object): There is no such key. Did you mean max?
        - -p: found "eighty" (text), expected a port from 0 to 65535.
        - EMAIL_SECURE: found "perhaps" (text), expected true or false.
        - host (service.config.json): found 7 (a number), expected a text that is not empty.
        - welcomMessage (service.config.json): There is no such key. Did you mean welcomeMessage?"
    `);
  });

  it.each([
    ["no object", 5],
    ["null", null],
    ["a list", []],
  ])("that what service.init was given is %s", async (_title, config) => {
    const started = service.init(config as object, { directory: project({}), environment: {}, argv: [] });
    await expect(started).rejects.toThrow(/the configuration \(the init object\): found .*expected an object/);
  });
});

it.each<[string, unknown, RegExp]>([
  ["names of what every object has", { middlewares: { disable: ["constructor", "__proto__"] } }, /2 faults/],
  [
    "the same for routers",
    { routers: { replace: { constructor: () => undefined } } },
    /routers\.replace\.constructor \(the init object\): There is no "constructor"; known are/,
  ],
  ["a prototype", JSON.parse('{"__proto__":{"port":1}}'), /__proto__/],
  ["text in place of lists and objects", { use: "ab", middlewares: "ab", routers: "ab" }, /3 faults/],
  ["null in place of them", { use: null, middlewares: null, routers: null, cors: null, limits: null }, /5 faults/],
  [
    "null and text in place of the blocks",
    { authentication: null, fileUpload: "x", apidocs: [], request: 1, modulesDirectory: null },
    /5 faults/,
  ],
  [
    "null inside of the blocks",
    { authentication: { mode: null, jwt: null }, fileUpload: { restrictions: null } },
    /3 faults/,
  ],
  ["a prototype in a block", { request: JSON.parse('{"__proto__":{"parameters":{}}}') }, /__proto__/],
  [
    "null and numbers inside of them",
    { use: [null, 1], middlewares: { disable: [null], replace: [1] } },
    /4 faults|5 faults/,
  ],
  ["numbers that are none", { port: Number.NaN, timeouts: { request: Number.POSITIVE_INFINITY } }, /2 faults/],
  ["a list that is no list", { use: { length: 2 } }, /use \(the init object\): found an object/],
])("C38 hostile: %s", async (_title, config, text) => {
  expect(await textOf(config)).toMatch(text);
});

it("C38 an object that contains itself stops the start, not the process", async () => {
  const limits: Record<string, unknown> = {};
  limits.page = limits;
  expect(await textOf({ limits })).toMatch(/limits\.page\.page/);
});

describe("C39 a configuration file that cannot be used", () => {
  it("is shown by its own line when it throws", async () => {
    // biome-ignore lint/suspicious/noTemplateCurlyInString: it is a template in the file that is written
    const text = 'const name: string = "x";\n\nthrow new Error(`no ' + "${name}`);\n";
    expect(await textOf({}, { "service.config.ts": text })).toMatchInlineSnapshot(`
      "The service cannot start (1 fault):
        - service.config.ts: Error: no x
          at <project>/service.config.ts:3:7
          3 | throw new Error(\`no \${name}\`);
                    ^"
    `);
  });

  it("is shown by its own line when it is no JSON", async () => {
    expect(await textOf({}, { "service.config.json": '{\n  "port": 1,\n}\n' })).toMatchInlineSnapshot(`
      "The service cannot start (1 fault):
        - service.config.json: Expected double-quoted property name in JSON at position 15
          at <project>/service.config.json:3
          3 | }"
    `);
  });

  it("says what it exports in place of an object", async () => {
    expect(await textOf({}, { "service.config.mjs": "export const port = 1;\n" })).toMatchInlineSnapshot(`
      "The service cannot start (1 fault):
        - service.config.mjs: found nothing, expected an object as the default export."
    `);
  });

  it("is named when it cannot be read", async () => {
    const directory = project({});
    fs.symlinkSync("nowhere", path.join(directory, "service.config.json"));
    await expect(create({}, { directory })).rejects.toThrow(/service\.config\.json: The file cannot be read: ENOENT/);
  });

  it("is one of two", async () => {
    const files = { "service.config.json": "{}", "service.config.ts": "export default {};" };
    expect(await textOf({}, files)).toMatchInlineSnapshot(`
      "The service cannot start (1 fault):
        - service.config: <project> holds service.config.ts and service.config.json: keep one of them."
    `);
  });
});

it("C40 a port that is taken is named, and how to choose another", async () => {
  const first = await init();
  const { port } = first.server.address() as AddressInfo;
  const error = await init({ port }).catch((reason: Error) => reason);
  expect((error as Error).message.replaceAll(String(port), "<port>")).toMatchInlineSnapshot(`
    "The service cannot start (1 fault):
      - 127.0.0.1:<port>: Cannot listen: another program listens there already; stop it, or choose another port (PORT=8001)."
  `);
});

it("an address that this machine has not is named too", async () => {
  await expect(init({ host: "192.0.2.1" })).rejects.toThrow(/192\.0\.2\.1:0: Cannot listen: this machine has no such/);
});
