import { afterEach, describe, expect, it } from "vitest";
import { ServiceRouter } from "../src/index.js";
import { makeFailingStarter } from "./failing-start.js";
import { models as gallery } from "./generated/gallery/models.js";

const { textOf, closeAll } = makeFailingStarter();
afterEach(closeAll);

const models = { format: 1, enums: [], models: [] };

describe("C38 a failing startup reports", () => {
  it("C38 the issues of models, modules, the user model and routes, with a misspelled key", async () => {
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
      "The service cannot start (6 errors):
        - authentication.mode (the init object): found "statik" (text), expected "static" or "dynamic". Did you mean "static"?
        - prot (the init object): Unknown key. Did you mean port?
        - models.auth.hooks.beforeLogn: Unknown key. Did you mean beforeLogin?
        - models: Unknown model Pictur. Did you mean Picture?
        - models.Album.auth.findMny: Unknown key. Did you mean findMany?
        - GET /a (packages/service/test/start-errors-models.test.ts:13): compresion: Unknown key. Did you mean compression?"
    `);
    const { mode: _, ...login } = config.authentication;
    const right = { ...config, authentication: { ...login, mode: "static" }, models: {}, use: [] };
    expect(await textOf(right, {}, environment)).toMatchInlineSnapshot(`
      "The service cannot start (2 errors):
        - prot (the init object): Unknown key. Did you mean port?
        - authentication.login.allowedUsernames: email: the model User has no field email."
    `);
  });

  it("C100 that there are tenants, but no authentication", async () => {
    const database = { client: () => expect.unreachable(), models: gallery };
    const environment = { DATABASE_URL: "postgresql://localhost:1/none" };
    expect(
      await textOf({ database, tenant: { field: "title", of: () => "a", shared: [] } }, {}, environment),
    ).toContain("- tenant: Tenants are those of callers. Add the block `authentication`, or remove this one.");
  });

  it("C61 that NODE_ENV is none of the three values", async () => {
    for (const NODE_ENV of ["prod", "Production", "staging"]) {
      expect(await textOf({}, {}, { NODE_ENV })).toContain(
        `NODE_ENV: found "${NODE_ENV}" (text), expected "development", "production" or "test".`,
      );
    }
    expect(await textOf({ prot: 1 }, {}, { NODE_ENV: "prod" })).toMatchInlineSnapshot(`
      "The service cannot start (2 errors):
        - prot (the init object): Unknown key. Did you mean port?
        - NODE_ENV: found "prod" (text), expected "development", "production" or "test". Did you mean "production"?"
    `);
    expect(await textOf({}, { ".env": "NODE_ENV=staging" })).toContain('NODE_ENV: found "staging"');
  });

  it("C61 that access rules are not enforced", async () => {
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
      "The service cannot start (3 errors):
        - models.Picture.auth: Without the block \`authentication\`, permissions are not checked and these routes are open to everyone. Add the block (with enabled: false if this is intended), or remove auth.
        - models.file-upload.auth: Without the block \`authentication\`, permissions are not checked and these routes are open to everyone. Add the block (with enabled: false if this is intended), or remove auth.
        - apidocs.auth: Without the block \`authentication\`, permissions are not checked and these routes are open to everyone. Add the block (with enabled: false if this is intended), or remove auth."
    `);
  });

  it("C44 misspelled names in the modules auth and file-upload, in code and in files, with the nearest name", async () => {
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
      "The service cannot start (11 errors):
        - models.auth.auth.sigup: Unknown key. Did you mean signup?
        - models.auth.auth.getMe: Only signed-in users can do this: use true, a list of roles or { rule }.
        - models.auth.hooks.beforeLogn: Unknown key. Did you mean beforeLogin?
        - models.auth.schemas.login: found 1 (a number), expected a Zod schema or a class with class-validator decorators.
        - models.auth.jwt: Unknown key; expected one of: auth, hooks, schemas, router.
        - models.file-upload.auth.uploadFile: found "ADMIN" (text), expected true, false, a list of roles or an object with rule.
        - models.file-upload.auth.deleteFile.where: Unknown key; expected one of: rule.
        - models.file-upload.auth.findFil: Unknown key. Did you mean findFile?
        - models.file-upload.hooks.x: Unknown key; expected one of: beforeUploadFile, afterUploadFile, beforeFindFile, afterFindFile, beforeDeleteFile, afterDeleteFile.
        - models.file-upload.auht: Unknown key. Did you mean auth?
        - models: Unknown model fileUplod. Did you mean file-upload?"
    `);
    expect(await textOf({ models: { zzz: {} } })).toMatchInlineSnapshot(`
      "The service cannot start (1 error):
        - models: Unknown model zzz; expected one of auth, file-upload."
    `);
    const files = {
      "src/modules/file-upload/file-upload.model.mjs": "export default { auth: { findFil: true } };",
      "src/modules/auth/auth.model.mjs": "export default { login: {} };",
    };
    expect(await textOf({ authentication }, files, environment)).toMatchInlineSnapshot(`
      "The service cannot start (2 errors):
        - <project>/src/modules/auth/auth.model.mjs: auth.login: Unknown key; expected one of: auth, hooks, schemas, router.
        - <project>/src/modules/file-upload/file-upload.model.mjs: file-upload.auth.findFil: Unknown key. Did you mean findFile?"
    `);
  });

  it("C48 plain routes without validation, and none of our own", async () => {
    const router = ServiceRouter().get("/plain", () => undefined);
    const everything = {
      validation: { resolver: "zod", strict: true },
      apidocs: { mode: "orm" },
      authentication: { mode: "static" },
      database: { client: { $disconnect: async () => undefined, user: {}, album: {}, picture: {} }, models: gallery },
    };
    const environment = { JWT_SECRET: "x".repeat(40) };
    expect(await textOf({ ...everything, use: [router] }, {}, environment)).toMatch(
      /^The service cannot start \(1 error\):\n {2}- GET \/plain \(packages\/service\/test\/start-errors-models\.test\.ts:\d+\): validation\.strict requires/,
    );
  });

  it("fields with the name of a filter keyword, unless they are hidden", async () => {
    const words = ["AND", "OR", "NOT"].map((name) => ({ kind: "scalar", name, type: "String", isOptional: true }));
    const fields = [{ kind: "scalar", name: "id", type: "Int" }, ...words];
    const logic = [{ name: "Logic", fields, keys: [{ kind: "id", fields: ["id"] }] }];
    const database = { client: () => expect.unreachable(), models: { ...models, models: logic } };
    const environment = { DATABASE_URL: "postgresql://localhost:1/none" };
    const hidden = { Logic: { hidden: ["AND", "NOT"] } };
    expect(await textOf({ database, models: hidden }, {}, environment)).toMatchInlineSnapshot(`
      "The service cannot start (1 error):
        - model Logic: The field OR has the name of a filter keyword. Rename it (@map preserves its column), or hide it: /// @hidden in the schema, or models.Logic.hidden."
    `);
  });

  it("a model with the path of a built-in router", async () => {
    const model = (name: string) => ({
      name,
      fields: [{ kind: "scalar", name: "id", type: "Int" }],
      keys: [{ kind: "id", fields: ["id"] }],
    });
    const client = { $disconnect: async () => undefined, upload: {}, apiDoc: {} };
    const database = { client, models: { ...models, models: [model("Upload"), model("ApiDoc")] } };
    expect(await textOf({ database, routers: { disable: ["available-resources"] } })).toMatchInlineSnapshot(`
      "The service cannot start (4 errors):
        - GET /api/api-docs (the generated route findMany of the model ApiDoc): The same method and path are declared in the API documentation as GET /api/api-docs.
        - GET /api/api-docs/:id (the generated route findOne of the model ApiDoc): The same method and path are declared in the API documentation as GET /api/api-docs/:file.
        - model Upload: Its path /api/uploads is that of the built-in router file-uploader: rename the model (@@map preserves its table), or move or disable the router (routers.disable).
        - model ApiDoc: Its path /api/api-docs is that of the built-in router api-docs: rename the model (@@map preserves its table), or move or disable the router (routers.disable)."
    `);
    const fileUpload = { baseRoute: "/api/files" };
    expect(await textOf({ database, fileUpload, routers: { disable: ["api-docs"] } })).toBe("It started.");
  });

  it("that the folder of modules does not exist", async () => {
    expect(await textOf({ modulesDirectory: "modules" })).toMatchInlineSnapshot(`
      "The service cannot start (1 error):
        - modulesDirectory: The folder <project>/modules does not exist. The path is relative to <project>."
    `);
  });
});
