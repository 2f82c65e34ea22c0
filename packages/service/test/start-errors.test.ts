import fs from "node:fs";
import type { AddressInfo } from "node:net";
import path from "node:path";
import { afterEach, describe, expect, it } from "vitest";
import service from "../src/index.js";
import { makeFailingStarter } from "./failing-start.js";

const { create, init, project, textOf, closeAll } = makeFailingStarter();
afterEach(closeAll);

const models = { format: 1, enums: [], models: [] };

describe("C38 a start that fails says", () => {
  it("C51 which routers and middlewares there are, where a name is unknown", async () => {
    const config = {
      middlewares: { disable: ["cross-origin"], replace: { globalErrorHandlr: () => undefined } },
      routers: { disable: ["welcomeEndpoints"], replace: { fileUpload: () => undefined } },
    };
    expect(await textOf(config)).toMatchInlineSnapshot(`
      "The service cannot start (4 faults):
        - middlewares.disable.0 (the init object): There is no "cross-origin"; known are security-headers, request-logger, cors, cookie-parser, compression, rate-limit, server-json, query-parser, error-handler, global-rate-limit, json-body-parser, global-error-handler.
        - middlewares.replace.globalErrorHandlr (the init object): There is no "globalErrorHandlr"; known are security-headers, request-logger, cors, cookie-parser, compression, rate-limit, server-json, query-parser, error-handler, global-rate-limit, json-body-parser, global-error-handler. Did you mean global-error-handler?
        - routers.disable.0 (the init object): There is no "welcomeEndpoints"; known are welcome-endpoint, file-uploader, auth-router, model-router, available-routes, available-resources, auth-actions, api-docs, studio, health. Did you mean welcome-endpoint?
        - routers.replace.fileUpload (the init object): There is no "fileUpload"; known are welcome-endpoint, file-uploader, auth-router, model-router, available-routes, available-resources, auth-actions, api-docs, studio, health. Did you mean file-uploader?"
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
        - service.config.json: Expected double-quoted property name in JSON
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
