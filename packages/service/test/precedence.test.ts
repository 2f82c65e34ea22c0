import fs from "node:fs";
import path from "node:path";
import type { RequestHandler } from "express";
import request from "supertest";
import { afterEach, describe, expect, it } from "vitest";
import type { ServiceInitConfig } from "../src/index.js";
import { makeProjects } from "./project-folder.js";
import { makeStarter } from "./start.js";

const { create, closeAll } = makeStarter();
const { project, removeAll } = makeProjects();
afterEach(async () => {
  await closeAll();
  removeAll();
});

const portOf = async (
  files: Readonly<Record<string, string>>,
  init: ServiceInitConfig = {},
  environment: Record<string, string> = {},
  argv: readonly string[] = [],
): Promise<number> => (await create(init, { directory: project(files), environment, argv })).config.port;

describe("C38 the precedence of sources", () => {
  const file = { "service.config.json": '{"port":3}' };
  const dotenv = { ".env": "PORT=5" };

  it.each([
    ["the argument over all", 1, { ...file, ...dotenv }, { port: 2 }, { PORT: "4" }, ["-p", "1"]],
    ["its long form", 1, { ...file, ...dotenv }, { port: 2 }, { PORT: "4" }, ["--port=1"]],
    ["service.init over the file", 2, { ...file, ...dotenv }, { port: 2 }, { PORT: "4" }, []],
    ["the file over the environment", 3, { ...file, ...dotenv }, {}, { PORT: "4" }, []],
    ["the environment over .env", 4, dotenv, {}, { PORT: "4" }, []],
    ["C39 .env over the default", 5, dotenv, {}, {}, []],
    [
      "C39 .env.test.local over the other .env files",
      6,
      { ...dotenv, ".env.local": "PORT=7", ".env.test.local": "PORT=6" },
      {},
      { NODE_ENV: "test" },
      [],
    ],
    ["the default", 8000, {}, {}, {}, []],
  ] as const)("%s: %i", async (_title, port, files, init, environment, argv) => {
    expect(await portOf(files, init, environment, argv)).toBe(port);
  });

  it("merges objects deeply, and replaces lists and functions", async () => {
    const text = `export default {
      limits: { terms: 7, page: { max: 50 } },
      middlewares: { cors: { allowedOrigins: ["https://a.example", "https://b.example"], options: { credentials: true } } },
    };`;
    const { config } = await create(
      { limits: { page: { default: 10 } }, middlewares: { cors: { allowedOrigins: ["https://c.example"] } } },
      { directory: project({ "service.config.mjs": text }) },
    );
    expect(config.modelRouter.page).toEqual({ default: 10, max: 50 });
    expect(config.modelRouter.query.terms).toBe(7);
    expect(config.middlewares.cors).toEqual({ allowedOrigins: ["https://c.example"], options: { credentials: true } });
  });

  it("reads only a TypeScript file, and email settings from the environment", async () => {
    const text = "interface Port { readonly port: number }\nconst own: Port = { port: 77 };\nexport default own;\n";
    const environment = {
      EMAIL_HOST: "mail.example",
      EMAIL_PORT: "587",
      EMAIL_SECURE: "false",
      EMAIL_USER: "u",
      EMAIL_PASSWORD: "p",
      EMAIL_FROM: "shop@example.com",
      EMAIL_NAME: "Shop",
    };
    const { config } = await create({}, { directory: project({ "service.config.ts": text }), environment });
    expect(config.port).toBe(77);
    expect(config.email).toEqual({
      host: "mail.example",
      port: 587,
      secure: false,
      auth: { user: "u", pass: "p" },
      from: "shop@example.com",
      name: "Shop",
    });
  });
});

describe("C38 all issues are reported together", () => {
  const messageOf = async (
    init: unknown,
    files: Readonly<Record<string, string>> = {},
    environment: Record<string, string> = {},
  ) => {
    const directory = project(files);
    try {
      await create(init as ServiceInitConfig, { directory, environment });
    } catch (error) {
      return (error as Error).message.replaceAll(directory, "<project>");
    }
    return "it started";
  };

  it("contain key, source, what was found and what was expected", async () => {
    const init = {
      limits: { page: { maximum: 5 } },
      validation: {},
      email: { host: "mail.example", auth: { user: "u", pass: 1 } },
    };
    const files = { "service.config.json": '{"host":7,"welcomMessage":"x"}' };
    expect(await messageOf(init, files, { PORT: "eighty" })).toMatchInlineSnapshot(`
      "The service cannot start (6 errors):
        - email.auth.pass (the init object): found *** (a number), expected a string.
        - limits.page.maximum (the init object): Unknown key. Did you mean max?
        - PORT: found "eighty" (text), expected an integer from 0 to 65535.
        - host (service.config.json): found 7 (a number), expected a non-empty string.
        - validation.resolver: found nothing, expected "zod", "schema-lib", "class-validator" or "class-lib". The environment variable SERVICE_VALIDATION_RESOLVER sets it too.
        - welcomMessage (service.config.json): Unknown key. Did you mean welcomeMessage?"
    `);
  });

  it("contain the line of a file that fails", async () => {
    expect(await messageOf({}, { "service.config.mjs": 'const a = 1;\nthrow new Error("no luck");\n' })).toMatch(
      /service\.config\.mjs:2[\s\S]*no luck/,
    );
  });

  it("include two configuration files, with both names", async () => {
    const files = { "service.config.json": "{}", "service.config.mjs": "export default {}" };
    expect(await messageOf({}, files)).toMatch(
      /service\.config\.mjs[\s\S]*service\.config\.json|service\.config\.json[\s\S]*service\.config\.mjs/,
    );
  });
});

describe("C38 one layer over another", () => {
  const handlerText = "(_req, res, next) => { res.setHeader('X-File', 'yes'); next(); }";
  const own: RequestHandler = (_req, res, next) => {
    res.setHeader("X-Init", "yes");
    next();
  };
  const headersOf = async (file: string, init: ServiceInitConfig) => {
    const directory = project({ "service.config.mjs": `export default { middlewares: { rateLimit: ${file} } };` });
    const { headers } = await request((await create(init, { directory })).app).get("/api");
    return [headers["ratelimit-limit"], headers["x-file"], headers["x-init"]];
  };

  it.each<[string, string, ServiceInitConfig, unknown[]]>([
    ["options merge", "{ limit: 5 }", { middlewares: { rateLimit: { windowMs: 1000 } } }, ["5", undefined, undefined]],
    [
      "options, by the init name",
      "{ limit: 5 }",
      { globalRequestRateLimitOptions: { limit: 6 } },
      ["6", undefined, undefined],
    ],
    ["false over options", "{ limit: 5 }", { globalRequestRateLimitOptions: false }, [undefined, undefined, undefined]],
    [
      "a name in disable over options",
      "{ limit: 5 }",
      { middlewares: { disable: ["rate-limit"] } },
      [undefined, undefined, undefined],
    ],
    [
      "a handler over options",
      "{ limit: 5 }",
      { middlewares: { replace: { rateLimit: own } } },
      [undefined, undefined, "yes"],
    ],
    ["options over false", "false", { globalRequestRateLimitOptions: { limit: 6 } }, ["6", undefined, undefined]],
    ["a handler over a handler", handlerText, { middlewares: { rateLimit: own } }, [undefined, undefined, "yes"]],
    ["options over a handler", handlerText, { middlewares: { rateLimit: { limit: 6 } } }, ["6", undefined, undefined]],
    [
      "nothing over a handler",
      handlerText,
      { globalRequestRateLimitOptions: undefined } as never,
      [undefined, "yes", undefined],
    ],
  ])("%s", async (_title, file, init, seen) => {
    expect(await headersOf(file, init)).toEqual(seen);
  });

  it("the file alone, service.init alone, and both", async () => {
    const files = {
      "service.config.ts": `
        import type { RequestHandler } from "express";
        const welcomeRoute: RequestHandler = (_req, res) => void res.json({ message: "from the file" });
        export default async () => ({ routers: { welcomeRoute, disable: ["health"] } });`,
    };
    const see = async (init: ServiceInitConfig, files: Readonly<Record<string, string>>) => {
      const client = request((await create(init, { directory: project(files) })).app);
      const [welcome, health] = [await client.get("/api"), await client.get("/api/health/live")];
      return [welcome.body.message, health.status];
    };
    const init: ServiceInitConfig = { welcomeMessage: "from init", routers: { disable: [] } };
    expect(await see({}, files)).toEqual(["from the file", 404]);
    expect(await see(init, {})).toEqual(["from init", 200]);
    expect(await see(init, files)).toEqual(["from the file", 200]);
  });

  it("C39 the file of the package root, with .env of the working directory", async () => {
    const root = project({ "service.config.json": '{"welcomeMessage":"root"}' });
    const directory = path.join(root, "deep", "er");
    fs.mkdirSync(directory, { recursive: true });
    fs.writeFileSync(path.join(directory, ".env"), "PORT=1234\nNODE_ENV=production\n");
    const { app, config } = await create({}, { directory, environment: {} });
    expect([config.welcomeMessage, config.port, config.nodeEnv]).toEqual(["root", 1234, "production"]);
    // With this value Express's own error handler hides its stacks.
    expect(app.get("env")).toBe("production");
  });
});
