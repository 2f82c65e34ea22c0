import { readFileSync } from "node:fs";
import { ServiceRouter } from "@servicekit/router";
import { afterAll, describe, expect, it } from "vitest";
import { z } from "zod";
import { models as gallery } from "./generated/gallery/models.js";
import { makeProjects } from "./project-folder.js";
import { makeStarter } from "./start.js";

const { create, init, closeAll, logged } = makeStarter();
const { project, removeAll } = makeProjects();
afterAll(async () => {
  await closeAll();
  removeAll();
});

type Files = Readonly<Record<string, string>>;

const environment = { NODE_ENV: "test", JWT_SECRET: "x".repeat(40), DATABASE_URL: "postgresql://localhost:1/none" };
const client = { $disconnect: async () => undefined, user: {}, album: {}, picture: {} };
const database = { client, models: gallery };
const authentication = { mode: "static", login: { allowedUsernames: ["username"] } };
const handler = () => undefined;
const model = (config: unknown) => ({ database, authentication, models: { Picture: config } });
const route = (config: unknown) => () => ({ use: [ServiceRouter().get(config as never, handler)] });
const post = (config: object) => ({ use: [ServiceRouter().post({ path: "/a", ...config } as never, handler)] });
const modules = { database, authentication };

type Mistake = readonly [name: string, config: unknown, text: string | RegExp, files?: Files];

/** A user's mistake, and the startup error: the place and the nearest name. */
const mistakes: readonly Mistake[] = [
  ["a misspelt key", { prot: 80 }, "prot (the init object): Unknown key. Did you mean port?"],
  ["a misspelt block", { authentification: {} }, "Did you mean authentication?"],
  [
    "a misspelt key of a block",
    { timeouts: { reqest: 1 } },
    "timeouts.reqest (the init object): Unknown key. Did you mean request?",
  ],
  ["a key of the wrong case", { apiDocs: { mode: "orm" } }, "Did you mean apidocs?"],
  [
    "the name that a route has for a folder, in the global block",
    { fileUpload: { uploadDir: "files" } },
    "fileUpload.uploadDir (the init object): Unknown key. Did you mean baseUploadDir?",
  ],
  ["a key in the wrong block", { port: 0, jwt: {} }, "jwt (the init object): Unknown key"],
  ["a misspelt key of the database", { database: { ...database, engin: "auto" } }, "Did you mean engine?"],
  [
    "an engine per direction",
    { database: { ...database, reads: "auto" } },
    "database.reads (the init object): Unknown key",
  ],
  ["an engine that is not known", { database: { ...database, engine: "sql" } }, "database.engine (the init object)"],
  [
    "a default page size above the maximum",
    { limits: { page: { default: 200 } } },
    "limits.page.default: is greater than the maximum: found 200, and limits.page.max is 100.",
  ],
  [
    "a database.client that returns a promise",
    { database: { models: gallery, client: async () => client } },
    "database.client: The function returned a promise in place of a Prisma client. Expected ({ adapter }) =>",
  ],
  [
    "an import in use that is undefined",
    { use: [undefined] },
    "use.0 (the init object): found nothing, expected a handler or a router.",
  ],
  [
    "additional middleware that is undefined",
    { middlewares: { additional: [handler, undefined] } },
    "middlewares.additional.1 (the init object): found nothing, expected a function.",
  ],
  [
    "a proxy that is not an address",
    { trustProxy: "one" },
    "trustProxy: invalid IP address: one. Expected true, false, a number of proxies, or addresses",
  ],
  [
    "a route with authentication in a service without it",
    route({ path: "/a", authentication: true }),
    /GET \/a .*authentication requires the block authentication in the configuration/,
  ],
  [
    "a route with idempotency in a service without a store of keys",
    post({ idempotency: true }),
    /POST \/a .*idempotency requires the model IdempotencyKey in the schema, or idempotency: \{ store: "redis" \}/,
  ],
  ["a port that is text", { port: "eighty" }, 'port (the init object): found "eighty" (text), expected'],
  ["a port out of range", { port: 70000 }, "port (the init object): found 70000"],
  [
    "seconds in place of milliseconds as text",
    { timeouts: { request: "30s" } },
    'timeouts.request (the init object): found "30s" (text)',
  ],
  ["a size with an unknown unit", { limits: { body: "1 megabyte" } }, "limits.body (the init object)"],
  ["a misspelt mode", { authentication: { mode: "statik" } }, 'Did you mean "static"?'],
  ["a misspelt resolver", { validation: { resolver: "zodd" } }, 'Did you mean "zod"?'],
  [
    "a misspelt router to disable",
    { routers: { disable: ["welcome-endpiont"] } },
    /welcome-endpiont.*welcome-endpoint/,
  ],
  ["a misspelt middleware to disable", { middlewares: { disable: ["corss"] } }, /corss.*cors/],
  [
    "a misspelt middleware to replace",
    { middlewares: { replace: { rateLimt: handler } } },
    /rateLimt.*rateLimit|rateLimt.*rate-limit/,
  ],
  ["a value that is not a router", { use: [{ get: handler }] }, /use\.?\[?0/],
  ["a list instead of an object", { cors: ["https://a.example"] }, "cors (the init object): found a list"],
  ["a misspelt variable's value", {}, 'NODE_ENV: found "prod" (text)', { ".env": "NODE_ENV=prod" }],
  ["a wrong name of a model", { database, models: { Pictures: {} } }, "Unknown model Pictures. Did you mean Picture?"],
  ["a misspelt key of a model", model({ hiden: ["title"] }), "models.Picture.hiden: Unknown key. Did you mean hidden?"],
  ["a wrong name of a field", model({ hidden: ["titel"] }), /models\.Picture.*titel.*title/],
  ["a wrong name of a readonly field", model({ readonly: ["positon"] }), /positon.*position/],
  ["a wrong name of a searchable field", model({ searchable: ["titl"] }), /titl.*title/],
  ["a wrong name of a writable relation", model({ writable: ["albun"] }), /albun.*album/],
  ["a wrong name of a default order", model({ query: { findMany: { orderBy: { titel: "asc" } } } }), /titel.*title/],
  ["a wrong name of an omitted field", model({ query: { findMany: { omit: { titel: true } } } }), /titel.*title/],
  [
    "a relation among omitted fields",
    model({ query: { findMany: { omit: { album: true } } } }),
    "models.Picture.query.findMany.omit: album is a relation of Picture, not a field; expected one of",
  ],
  [
    "a relation as a default order",
    model({ query: { findMany: { orderBy: { album: "asc" } } } }),
    "album is a relation of Picture, not a sort field",
  ],
  ["a wrong direction", model({ query: { findMany: { orderBy: { title: "up" } } } }), /orderBy/],
  [
    "a wrong name of an operation",
    model({ operations: { findAll: false } }),
    "models.Picture.operations.findAll: Unknown key",
  ],
  [
    "a wrong name of an operation in rights",
    model({ auth: { creatOne: true } }),
    "models.Picture.auth.creatOne: Unknown key. Did you mean createOne?",
  ],
  ["a wrong name of a field in rights", model({ auth: { fields: { EDITOR: ["titel"] } } }), /titel.*title/],
  [
    "a wrong name of a role in rights",
    model({ auth: { read: ["EDITR"] } }),
    "(1 error):\n  - models.Picture.auth: Unknown role EDITR. Did you mean EDITOR?",
  ],
  ["a wrong name of a role in fields", model({ auth: { fields: { EDITR: ["title"] } } }), /EDITR.*EDITOR/],
  [
    "a wrong name of a hook",
    model({ hooks: { beforeCreate: handler } }),
    /models\.Picture\.hooks\.beforeCreate: Unknown key/,
  ],
  [
    "a hook that is not a function",
    model({ hooks: { beforeCreateOne: "check" } }),
    "models.Picture.hooks.beforeCreateOne",
  ],
  [
    "a wrong name of a schema",
    model({ schemas: { creat: z.object({}) } }),
    "models.Picture.schemas.creat: Unknown key. Did you mean create?",
  ],
  ["a value that is not a schema", model({ schemas: { create: { title: "text" } } }), "models.Picture.schemas.create"],
  [
    "a field of a schema that the model lacks",
    model({ schemas: { create: z.object({ titel: z.string() }) } }),
    /Picture has no field titel\. Did you mean title\?/,
  ],
  [
    "a user field that does not exist",
    { database, authentication: { ...authentication, login: { allowedUsernames: ["usrname"] } } },
    "the model User has no field usrname. Did you mean username?",
  ],
  [
    "a module's file of a wrong kind of name",
    modules,
    "picture.modle",
    { "src/modules/picture/picture.modle.mjs": "export default {};" },
  ],
  [
    "a misspelt key in a module's file",
    modules,
    "Picture.hidde: Unknown key. Did you mean hidden?",
    { "src/modules/picture/picture.model.mjs": "export default { hidde: [] };" },
  ],
  [
    "a misspelt export of middlewares",
    modules,
    "Unknown hook beforeCreatOne. Did you mean beforeCreateOne?",
    { "src/modules/picture/picture.middlewares.mjs": "export const beforeCreatOne = () => {};" },
  ],
  [
    "a folder of no model",
    modules,
    "Unknown model for the module pictur. Did you mean picture?",
    { "src/modules/pictur/pictur.model.mjs": "export default {};" },
  ],
  [
    "access rules of a model in code and in its file",
    model({ auth: { findMany: true } }),
    "models.Picture.auth: The file picture/picture.model of the modules sets auth too. Remove one of them",
    { "src/modules/picture/picture.model.mjs": "export default { auth: { createOne: false } };" },
  ],
  ["a folder of modules that does not exist", { database, modulesDirectory: "src/module" }, "src/module"],
  ["a misspelt key of a file", {}, "Did you mean port?", { "service.config.json": '{"prot":1}' }],
  [
    "a misspelt key of a route",
    route({ path: "/a", authentification: true }),
    /GET \/a .*authentification: Unknown key. Did you mean authentication\?/,
  ],
  ["a path without its slash", route({ path: "a" }), /path/],
  ["a path of Express 4", route({ path: "/files/*" }), /files/],
  ["a misspelt part of validation", post({ validation: { bdy: z.object({}) } }), "Did you mean body?"],
  ["a value that is not a schema of a route", post({ validation: { body: { name: "text" } } }), "validation.body"],
  ["a misspelt parser", post({ bodyParser: [{ parser: "jsn" }] }), /jsn/],
  [
    "a misspelt type of a model's uploads",
    model({ uploads: { createOne: { type: "singel", field: "title" } } }),
    'models.Picture.uploads.createOne.type: found "singel" (text), expected "single", "array" or "fields". Did you',
  ],
  ["a misspelt type of uploads", post({ experimental: { uploads: { type: "singel", field: "f" } } }), /singel.*single/],
  [
    "a misspelt key of uploads",
    post({ experimental: { uploads: { type: "single", feild: "f" } } }),
    "Did you mean field?",
  ],
  [
    "uploads without a form field",
    post({ experimental: { uploads: { type: "single" } } }),
    "experimental.uploads.field: is missing. Type single requires it.",
  ],
  [
    "a number of files for a single one",
    post({ experimental: { uploads: { type: "single", field: "f", maxCount: 2 } } }),
    "experimental.uploads.maxCount: is only allowed with type array.",
  ],
  [
    "the same route twice",
    { use: [ServiceRouter().get({ path: "/a" }, handler).get({ path: "/a" }, handler)] },
    "The same method and path are declared",
  ],
  [
    "a route with the path of a generated route",
    { database, authentication, use: [ServiceRouter().get({ path: "/api/pictures" }, handler)] },
    /generated route findMany .*\. Choose another path, or disable the operation findMany of the model Picture\./,
  ],
];

const rowRule = "a misspelt field of a row rule";
/** Those in mistakes.test-d.ts, each of which is a compile error. */
const types = readFileSync(new URL("mistakes.test-d.ts", import.meta.url), "utf8");
const seenByCompiler = [...types.matchAll(/@ts-expect-error (.+)/g)].map(([, name = ""]) => name);

describe("mistakes that only a request can show", () => {
  it(`${rowRule} is a 500 whose log names it, because a function may return anything`, async () => {
    const rule = () => ({ titel: "x" });
    const config = model({ auth: { findMany: false, where: rule } }) as object;
    const { url } = await init(config, { directory: project({}), environment });
    expect((await fetch(`${url}/api/pictures`)).status).toBe(500);
    expect(JSON.stringify(logged())).toMatch(/titel, which is not a field of Picture[;.] did you mean title\?/i);
  });
});

describe("a user's mistakes are reported at startup, with the place and the nearest name", () => {
  it(`are ${mistakes.length}; the compiler detects ${seenByCompiler.length} before, and none is silent`, () => {
    expect(mistakes.length).toBeGreaterThanOrEqual(40);
    const names = [...mistakes.map(([name]) => name), rowRule];
    expect(new Set(names).size).toBe(names.length);
    expect(seenByCompiler.filter((name) => !names.includes(name))).toEqual([]);
  });

  it.each(mistakes.map(([name, ...rest]) => ({ name, rest })))(
    "$name",
    async ({ rest: [config, text, files = {}] }) => {
      const { NODE_ENV: _, ...open } = environment;
      const around = { directory: project(files), environment: files[".env"] === undefined ? environment : open };
      const message = await Promise.resolve()
        .then(() => create((typeof config === "function" ? config() : config) as object, around))
        .then(
          () => "It started.",
          (error: Error) => error.message,
        );
      if (typeof text === "string") expect(message).toContain(text);
      else expect(message).toMatch(text);
      expect(message).toMatch(/^The service cannot start \(\d+ errors?\):/);
    },
  );
});
