import fs from "node:fs";
import path from "node:path";
import type { OpenApiDocument } from "@servicekit/openapi";
import type { Database, ModelEngine } from "@servicekit/prisma";
import { makeApp, ServiceRouter } from "@servicekit/router";
import { declareRoute } from "@servicekit/router/internal";
import { describe, expect, it } from "vitest";
import { CommandError } from "../src/command-error.js";
import { addAccess } from "../src/commands/access.js";
import { addConfig } from "../src/commands/config.js";
import type { CommandResult, InspectedService } from "../src/commands/inspected-service.js";
import { addModels } from "../src/commands/models.js";
import { addRoutes } from "../src/commands/routes.js";
import { noDatabase, noSecret, secretOfEnvironment, secretOfFile, withService } from "../src/commands/with-service.js";
import { makeProgram } from "../src/program.js";
import { addProgramCommands } from "../src/run-program-command.js";
import { models } from "./models.js";
import { makeFolder } from "./temporary-folder.js";

type Authentication = InspectedService["config"]["authentication"];

/** A service with a generated, a declared, a plain and a middleware route. */
function makeService(config: object = {}, authentication: Authentication | null = { mode: "static", enabled: true }) {
  const app = makeApp();
  const router = ServiceRouter();
  const rule = (action: string, roles?: readonly string[]) => ({ resource: "note", action, rule: roles });
  const generated = (method: "get" | "post" | "delete", end: string, operation: string, more: object) =>
    declareRoute(router, {
      method,
      config: { path: `/api/notes${end}`, ...more },
      handlers: [(_request, response) => void response.end()],
      origin: {
        ...{ place: `the generated route ${operation} of the model Note`, resource: "note", operation, model: "Note" },
        hasRowRule: operation === "findMany",
        rights:
          operation === "deleteOne"
            ? [
                {
                  name: "deletePermanently",
                  authentication: { resource: "note", action: "DeletePermanently", rule: ["BOSS"] },
                },
              ]
            : [],
      },
    });
  generated("get", "", "findMany", { authentication: true });
  generated("get", "/:id", "findOne", { authentication: "optional" });
  generated("post", "", "createOne", { authentication: rule("Create", ["CLERK", "EXTRA"]) });
  generated("delete", "/:id", "deleteOne", { authentication: rule("Delete") });
  generated("post", "/many", "createMany", { authentication: rule("Create", ["*"]) });
  router.get("/plain", (_request, response) => void response.end());
  router.all("/everything", (_request, _response, next) => next());
  app.use(router);
  let isClosed = false;
  const engines = new Map<string, ModelEngine>([
    ["Note", { engine: "sql", fieldsByPrisma: ["more"] }],
    ["User", { engine: "sql", fieldsByPrisma: [] }],
    ["Price", { engine: "prisma", reason: "for a test" }],
  ] as never);
  const service: InspectedService = {
    app,
    config: { file: "service.config.ts", explain: () => [], authentication: authentication ?? undefined, ...config },
    database: { models, engines } as unknown as Database,
    fetch: () => Promise.reject(new Error("not served")),
    hashPassword: async () => "",
    openapi: async () => ({}) as OpenApiDocument,
    close: async () => {
      isClosed = true;
    },
  };
  return { service, isClosed: () => isClosed };
}

/** Runs one command on a service; returns what it prints. */
async function run(
  add: typeof addRoutes,
  args: readonly string[],
  service = makeService().service,
): Promise<CommandResult> {
  const program = makeProgram();
  let message: CommandResult = { text: "" };
  add(program, async (work) => {
    message = await work(service);
  });
  await program.parseAsync([...args], { from: "user" });
  return message;
}
const jsonOf = async (...given: Parameters<typeof run>) => JSON.parse((await run(...given)).text);

describe("C73 service routes", () => {
  it("C73 lists every route once with who may use it and where it was declared", async () => {
    const routes = await jsonOf(addRoutes, ["routes", "--json"]);
    const { text } = await run(addRoutes, ["routes"]);
    const lines = text
      .split("\n")
      .slice(2)
      .map((line) => line.split(/ {2,}/));
    expect(lines).toEqual([
      ["GET", "/api/notes", "signed in (some rows)", "Note.findMany"],
      ["GET", "/api/notes/:id", "everyone", "Note.findOne"],
      ["POST", "/api/notes", "CLERK, EXTRA", "Note.createOne"],
      ["DELETE", "/api/notes/:id", "superusers", "Note.deleteOne"],
      ["POST", "/api/notes/many", "*", "Note.createMany"],
      ["GET", "/plain", "not declared"],
    ]);
    expect(routes).toHaveLength(lines.length);
    expect(routes[2].entrance).toEqual({
      kind: "right",
      resource: "note",
      action: "Create",
      roles: ["CLERK", "EXTRA"],
    });
  });

  it("C73 lists with --open only what everyone may use", async () => {
    const paths = async (service?: InspectedService) =>
      (await jsonOf(addRoutes, ["routes", "--open", "--json"], service)).map(({ path }: { path: string }) => path);
    expect(await paths()).toEqual(["/api/notes/:id", "/plain"]);
    expect(await paths(makeService({}, null).service)).toHaveLength(6);
  });

  it("C73 shows the permission of a route in dynamic mode", async () => {
    const { service } = makeService({}, { mode: "dynamic", enabled: true });
    expect((await run(addRoutes, ["routes"], service)).text).toContain("note: Create");
  });
});

describe("C73 service access", () => {
  it("C73 is a row for each route and a column for each role, of the schema too", async () => {
    const [first, ...others] = await jsonOf(addAccess, ["access", "--json"]);
    expect(first).toEqual({
      ...{ route: "/api/notes GET", everyone: "–", "signed in": "rows" },
      ...{ BOSS: "rows", CLERK: "rows", EXTRA: "rows", superuser: "yes" },
    });
    const cells = Object.fromEntries(
      others.map(({ route, ...cells }: Record<string, string>) => [route, Object.values(cells).join(" ")]),
    );
    expect(cells).toEqual({
      "/api/notes POST": "– – – yes yes yes",
      "/api/notes/:id DELETE": "– – – – – yes",
      "/api/notes/:id DELETE (deletePermanently)": "– – yes – – yes",
      "/api/notes/:id GET": "yes yes yes yes yes yes",
      "/api/notes/many POST": "– yes yes yes yes yes",
      "/plain GET": "yes yes yes yes yes yes",
    });
  });

  it("C73 has a column for the stored permission in dynamic mode", async () => {
    const { service } = makeService({}, { mode: "dynamic", enabled: true });
    const rows = await jsonOf(addAccess, ["access", "--json"], service);
    expect(rows[1]).toEqual({
      ...{ route: "/api/notes POST", everyone: "–", "signed in": "–", permission: "note: Create", superuser: "yes" },
    });
    expect(rows[0].permission).toBe("");
  });

  it.each(["json", "markdown"])("C73 --check compares with a committed file of --%s", async (format) => {
    const { text } = await run(addAccess, ["access", `--${format}`]);
    const name = format === "json" ? "access.json" : "access.md";
    const file = path.join(makeFolder({ [name]: format === "json" ? text : `# Access\n\n${text}\n` }), name);
    expect((await run(addAccess, ["access", "--check", file])).exitCode).toBeUndefined();
    fs.writeFileSync(file, text.replace("/plain GET", "/other GET"));
    const changed = await run(addAccess, ["access", "--check", file]);
    expect(changed.exitCode).toBe(1);
    expect(changed.text).toMatch(/^- .*\/other GET/m);
    expect(changed.text).toMatch(/^\+ .*\/plain GET/m);
  });

  it("C73 --check reports a file that is missing or no JSON", async () => {
    const folder = makeFolder({ "access.json": "nonsense" });
    for (const name of ["access.json", "none.md"])
      await expect(run(addAccess, ["access", "--check", path.join(folder, name)])).rejects.toThrow(CommandError);
  });
});

describe("C73 service models", () => {
  it("C73 lists fields, relations, operations and the engine of each model", async () => {
    const { text } = await run(addModels, ["models"]);
    const rows = new Map(
      text
        .split("\n")
        .slice(2)
        .map((line) => [line.split(/ +/, 1)[0], line]),
    );
    expect(rows.get("Note")).toMatch(/Note +\/api\/notes +8 +user .*findMany, findOne.* sql; prisma for more$/);
    expect(rows.get("User")).toMatch(/User +no route +4 +notes +password +sql$/);
    expect(rows.get("Price")).toMatch(/prisma: for a test$/);
    expect(rows.get("Pair")).not.toMatch(/sql|prisma/);
  });

  it("C73 lists as JSON whether each field is hidden", async () => {
    const [user] = await jsonOf(addModels, ["models", "--json"]);
    expect(user).toMatchObject({
      name: "User",
      path: null,
      operations: [],
      relations: [{ name: "notes", model: "Note" }],
    });
    expect(user.fields.map(({ name, hidden }: { name: string; hidden: boolean }) => [name, hidden])).toEqual([
      ["id", false],
      ["email", false],
      ["password", true],
      ["role", false],
    ]);
  });
});

describe("C73 service config", () => {
  const setting = (key: string, value: unknown, source?: string, variable?: string) => ({
    key,
    value,
    source,
    variable,
    isSecret: false,
  });
  const settings = [
    setting("DATABASE_URL", "postgresql://me:hush@host/db", "DATABASE_URL (.env)", "DATABASE_URL"),
    setting("port", 5, "PORT", "PORT"),
    setting("host", "localhost", undefined, "HOST"),
    { ...setting("authentication.jwt.secret", "hush", "service.config.ts", "JWT_SECRET"), isSecret: true },
    setting("limits.list", ["a", 1], "the init object"),
    setting("limits.tokenCount", 3),
    setting("limits.terms", undefined, undefined, "SERVICE_LIMITS_TERMS"),
    setting("routers.welcomeRoute", function named() {}),
    { ...setting("database.replicas", ["postgresql://me:hu@sh@a/db?password=hush&x=1"]) },
    { ...setting("middlewares.cookieParser", false), isSecret: true },
    { ...setting("webhooks.encryptionKey", "hush"), isSecret: true },
  ];
  const configOf = (args: readonly string[] = [], explain = () => settings) =>
    jsonOf(addConfig, ["config", ...args, "--json"], makeService({ explain }, null).service);

  it("C73 lists every key with value, source and environment variable, and no secret", async () => {
    const { text } = await run(addConfig, ["config"], makeService({ explain: () => settings }, null).service);
    expect(text.split("\n").map((line) => line.split(/ {2,}/))).toEqual([
      ["key", "value", "source", "environment variable"],
      expect.anything(),
      ["DATABASE_URL", "postgresql://me:***@host/db", "DATABASE_URL (.env)", "DATABASE_URL"],
      ["port", "5", "PORT", "PORT"],
      ["host", "localhost", "default", "HOST"],
      ["authentication.jwt.secret", "***", "service.config.ts", "JWT_SECRET"],
      ["limits.list", "a, 1", "the init object"],
      ["limits.tokenCount", "3", "default"],
      ["routers.welcomeRoute", "function named", "default"],
      ["database.replicas", "postgresql://me:***@a/db?password=***&x=1", "default"],
      ["middlewares.cookieParser", "false", "default"],
      ["webhooks.encryptionKey", "***", "default"],
    ]);
    expect((await configOf())[1]).toEqual({ key: "port", value: "5", source: "PORT", variable: "PORT" });
  });

  it("C73 lists keys without a value below a prefix, and with --all", async () => {
    const keysOf = async (args: readonly string[]) => (await configOf(args)).map(({ key }: { key: string }) => key);
    expect(await keysOf(["limits"])).toEqual(["limits.list", "limits.tokenCount", "limits.terms"]);
    expect(await keysOf(["host"])).toEqual(["host"]);
    expect(await keysOf(["--all"])).toHaveLength(settings.length);
  });

  it("C73 rejects an unknown key with the nearest one", async () => {
    await expect(configOf(["limit"])).rejects.toThrow("service config: Unknown key limit. Did you mean limits?");
    await expect(configOf(["colour"])).rejects.toThrow("Unknown key colour. Run npx service config --all");
  });

  it("C73 shows no value for a missing database and a missing secret", async () => {
    const missing = [
      setting("DATABASE_URL", noDatabase.sqlite, "DATABASE_URL"),
      setting("secret", noSecret, "JWT_SECRET"),
    ];
    expect(await configOf([], () => missing)).toEqual([]);
    const ofFile = [setting("secret", secretOfFile, "JWT_SECRET", "JWT_SECRET")];
    expect(await configOf([], () => ofFile)).toMatchObject([{ value: "***", source: "JWT_SECRET (.env)" }]);
    const ofEnvironment = [setting("secret", secretOfEnvironment, "JWT_SECRET", "JWT_SECRET")];
    expect(await configOf([], () => ofEnvironment)).toMatchObject([{ value: "***", source: "JWT_SECRET" }]);
  });
});

describe("C73 the service of a command", () => {
  it("C73 is created without secrets of its own, and closed", async () => {
    const seen: unknown[] = [];
    const { service, isClosed } = makeService();
    const create = async (environment: object) => {
      seen.push(environment);
      return service;
    };
    const work = async () => ({ text: "done" });
    expect(await withService({ create, environment: { A: "1" }, needsFile: true }, work)).toEqual({ text: "done" });
    expect(seen).toEqual([{ A: "1", DATABASE_URL: noDatabase.postgresql, JWT_SECRET: expect.stringMatching(/.{32}/) }]);
    expect(isClosed()).toBe(true);
    const own = { DATABASE_URL: "u", JWT_SECRET: "short" };
    await withService({ create, environment: own, needsFile: true }, work);
    expect(seen[1]).toEqual({ DATABASE_URL: "u", JWT_SECRET: secretOfEnvironment });
    await withService({ create, environment: own, needsFile: true }, work, { verifiesTokens: true });
    expect(seen[2]).toEqual(own);
  });

  it.each(["postgresql", "sqlite", "mysql"] as const)("C73 needs no database of the provider %s", async (provider) => {
    const before = process.cwd();
    const { service } = makeService();
    const seen: object[] = [];
    const create = async (environment: object) => {
      seen.push(environment);
      return service;
    };
    process.chdir(makeFolder({ "prisma/schema.prisma": `datasource db {\n  provider = "${provider}"\n}\n` }));
    try {
      await withService({ create, environment: {}, needsFile: true }, async () => ({ text: "" }));
      expect(seen).toEqual([expect.objectContaining({ DATABASE_URL: noDatabase[provider] })]);
    } finally {
      process.chdir(before);
    }
  });

  it.each([
    ["user create", true],
    ["jobs", true],
    ["jobs failed mail", true],
    ["jobs retry mail", true],
    ["jobs delete mail id", true],
    ["changes forget order.events", true],
    ["mcp", true],
    ["routes", false],
    ["models", false],
    ["config", false],
    ["access", false],
    ["openapi --out openapi.json", false],
    ["openapi diff openapi.json", false],
    ["eject Post.findMany", false],
  ])("C73 service %s uses the development database: %s", async (command, expected) => {
    const program = makeProgram();
    const used: boolean[] = [];
    addProgramCommands(program, async (_work, { usesDatabase = false } = {}) => void used.push(usesDatabase));
    await program.parseAsync(command.split(" "), { from: "user" });
    expect(used).toEqual([expected]);
  });

  it("C73 uses the database of the .env files, and their secret only to verify tokens", async () => {
    const before = process.cwd();
    const { service } = makeService();
    let seen = {};
    const create = async (environment: object) => {
      seen = environment;
      return service;
    };
    process.chdir(makeFolder({ ".env": "DATABASE_URL=postgresql://localhost/own\nJWT_SECRET=own\n" }));
    try {
      const host = { create, environment: {}, needsFile: true };
      await withService(host, async () => ({ text: "" }));
      expect(seen).toEqual({ JWT_SECRET: secretOfFile });
      await withService(host, async () => ({ text: "" }), { verifiesTokens: true });
      expect(seen).toEqual({});
    } finally {
      process.chdir(before);
    }
  });

  it("C73 needs a configuration file unless the program calls service.init", async () => {
    const { service, isClosed } = makeService({ file: undefined });
    const host = { create: async () => service, environment: {} };
    const work = async () => ({ text: "done" });
    await expect(withService({ ...host, needsFile: true }, work)).rejects.toThrow(CommandError);
    expect(isClosed()).toBe(true);
    expect(await withService({ ...host, needsFile: false }, work)).toEqual({ text: "done" });
  });
});
