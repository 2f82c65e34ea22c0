import fs from "node:fs";
import type { AddressInfo } from "node:net";
import path from "node:path";
import { afterEach, describe, expect, it } from "vitest";
import service from "../src/index.js";
import { makeFailingStarter } from "./failing-start.js";

const { create, init, project, textOf, closeAll } = makeFailingStarter();
afterEach(closeAll);

const models = { format: 1, enums: [], models: [] };

describe("C38 a failing startup reports", () => {
  it("C51 the known routers and middlewares for an unknown name", async () => {
    const config = {
      middlewares: { disable: ["cross-origin"], replace: { globalErrorHandlr: () => undefined } },
      routers: { disable: ["welcomeEndpoints"], replace: { fileUpload: () => undefined } },
    };
    expect(await textOf(config)).toMatchInlineSnapshot(`
      "The service cannot start (4 errors):
        - middlewares.disable.0 (the init object): Unknown name "cross-origin"; expected one of security-headers, request-logger, cors, cookie-parser, compression, rate-limit, server-json, query-parser, error-handler, global-rate-limit, json-body-parser, global-error-handler.
        - middlewares.replace.globalErrorHandlr (the init object): Unknown name "globalErrorHandlr"; expected one of security-headers, request-logger, cors, cookie-parser, compression, rate-limit, server-json, query-parser, error-handler, global-rate-limit, json-body-parser, global-error-handler. Did you mean global-error-handler?
        - routers.disable.0 (the init object): Unknown name "welcomeEndpoints"; expected one of welcome-endpoint, file-uploader, auth-router, model-router, available-routes, available-resources, auth-actions, api-docs, studio, health, background. Did you mean welcome-endpoint?
        - routers.replace.fileUpload (the init object): Unknown name "fileUpload"; expected one of welcome-endpoint, file-uploader, auth-router, model-router, available-routes, available-resources, auth-actions, api-docs, studio, health, background. Did you mean file-uploader?"
    `);
  });

  it("that one setting is set twice", async () => {
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
      "The service cannot start (6 errors):
        - compressionOptions (the init object): middlewares.compression is also set elsewhere.
        - middlewares.replace.cors (the init object): middlewares.cors is also set elsewhere.
        - middlewares.replace.error-handler (the init object): middlewares.errorHandler is also set elsewhere.
        - routers.welcomeRoute (the init object): routers.disable also configures welcome-endpoint. Remove one of them.
        - routers.replace.health (the init object): routers.disable also configures health. Remove one of them.
        - routers.replace.auth-router (the init object): routers.replace.authRouter also configures auth-router. Remove one of them."
    `);
  });

  it("that DATABASE_URL is missing, together with all other issues", async () => {
    const database = { client: () => expect.unreachable(), models };
    expect(await textOf({ database, prot: 1 }, {}, { PORT: "many" })).toMatchInlineSnapshot(`
      "The service cannot start (3 errors):
        - prot (the init object): Unknown key. Did you mean port?
        - PORT: found "many" (text), expected an integer from 0 to 65535.
        - the environment variable DATABASE_URL: is missing: database.client is a function that takes an adapter made from it. Expected a URL such as postgresql://user:password@localhost:5432/name."
    `);
  });

  it.each([["mysql://user:hunter2@localhost/shop"], ["hunter2"]])(
    "that DATABASE_URL is not a PostgreSQL URL, without showing it: %s",
    async (url) => {
      const database = { client: () => expect.unreachable(), models };
      const text = await textOf({ database }, { ".env": `DATABASE_URL=${url}` });
      expect(text).toMatchInlineSnapshot(`
      "The service cannot start (1 error):
        - the environment variable DATABASE_URL: is not a PostgreSQL URL. Expected a URL such as postgresql://user:password@localhost:5432/name."
    `);
      expect(text).not.toContain("hunter2");
    },
  );

  it("the issues of each source, together", async () => {
    const files = { "service.config.json": '{"host":7,"welcomMessage":"x"}' };
    const text = await textOf({ limits: { page: { maximum: 5 } } }, files, { EMAIL_SECURE: "perhaps" }, [
      "-p",
      "eighty",
    ]);
    expect(text).toMatchInlineSnapshot(`
      "The service cannot start (5 errors):
        - limits.page.maximum (the init object): Unknown key. Did you mean max?
        - -p: found "eighty" (text), expected a port from 0 to 65535.
        - EMAIL_SECURE: found "perhaps" (text), expected true or false.
        - host (service.config.json): found 7 (a number), expected a non-empty string.
        - welcomMessage (service.config.json): Unknown key. Did you mean welcomeMessage?"
    `);
  });

  it.each([
    ["no object", 5],
    ["null", null],
    ["a list", []],
  ])("that the argument of service.init is %s", async (_title, config) => {
    const started = service.init(config as object, { directory: project({}), environment: {}, argv: [] });
    await expect(started).rejects.toThrow(/the configuration \(the init object\): found .*expected an object/);
  });
});

describe("C39 an unusable configuration file", () => {
  it("is reported with its own line if it throws", async () => {
    const text = 'const name: string = "x";\n\nthrow new Error(`no ' + "${name}`);\n";
    expect(await textOf({}, { "service.config.ts": text })).toMatchInlineSnapshot(`
      "The service cannot start (1 error):
        - service.config.ts: Error: no x
          at <project>/service.config.ts:3:7
          3 | throw new Error(\`no \${name}\`);
                    ^"
    `);
  });

  it("is reported with its own line if it is not JSON", async () => {
    expect(await textOf({}, { "service.config.json": '{\n  "port": 1,\n}\n' })).toMatchInlineSnapshot(`
      "The service cannot start (1 error):
        - service.config.json: Expected double-quoted property name in JSON
          at <project>/service.config.json:3
          3 | }"
    `);
  });

  it("is reported with what it exports instead of an object", async () => {
    expect(await textOf({}, { "service.config.mjs": "export const port = 1;\n" })).toMatchInlineSnapshot(`
      "The service cannot start (1 error):
        - service.config.mjs: found nothing, expected an object as the default export."
    `);
  });

  it("is reported if it cannot be read", async () => {
    const directory = project({});
    fs.symlinkSync("nowhere", path.join(directory, "service.config.json"));
    await expect(create({}, { directory })).rejects.toThrow(/service\.config\.json: The file cannot be read: ENOENT/);
  });

  it("is reported if there are two", async () => {
    const files = { "service.config.json": "{}", "service.config.ts": "export default {};" };
    expect(await textOf({}, files)).toMatchInlineSnapshot(`
      "The service cannot start (1 error):
        - service.config: <project> contains service.config.ts and service.config.json. Remove all but one."
    `);
  });
});

it("C40 reports a port in use, and how to choose another", async () => {
  const first = await init();
  const { port } = first.server.address() as AddressInfo;
  const error = await init({ port }).catch((reason: Error) => reason);
  const message = (error as Error).message.replaceAll(String(port), "<port>").replace(String(port + 1), "<next port>");
  expect(message).toMatchInlineSnapshot(`
    "The service cannot start (1 error):
      - 127.0.0.1:<port>: Cannot listen: the port is in use; stop the other program, or choose another port (PORT=<next port>)."
  `);
});

it("reports an address that this machine does not have", async () => {
  await expect(init({ host: "192.0.2.1" })).rejects.toThrow(
    /192\.0\.2\.1:0: Cannot listen: this machine does not have this address/,
  );
});
