import { spawn } from "node:child_process";
import fs from "node:fs";
import os from "node:os";
import path from "node:path";
import { afterAll, beforeAll, describe, expect, inject, it, onTestFinished } from "vitest";
import { oneOf, someOf } from "../../../scripts/test/slow-share.js";
import { createProject } from "../../create-servicekit/src/index.js";
import { withClient } from "../../dev-database/src/databases/with-client.js";
import { type CreatedDatabase, createDatabase } from "../../dev-database/src/index.js";

// From the built files, in plain Node, in a project with the packages of the example.
const root = path.join(import.meta.dirname, "../../..");
const bin = path.join(root, "packages/service/bin/service.js");
const place = fs.mkdtempSync(path.join(root, "apps/example/.commands-"));
const project = path.join(place, "my-blog");
let database: CreatedDatabase;

interface Ran {
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

async function run(args: readonly string[], environment: object = {}, cwd = project): Promise<Ran> {
  const { NODE_ENV: _, FORCE_COLOR: _colour, VITEST: _vitest, ...rest } = process.env;
  const env = { ...rest, DATABASE_URL: database.url, ...environment };
  const child = spawn(process.execPath, [bin, ...args], { cwd, env, stdio: ["ignore", "pipe", "pipe"] });
  let [stdout, stderr] = ["", ""];
  child.stdout.on("data", (chunk) => (stdout += chunk));
  child.stderr.on("data", (chunk) => (stderr += chunk));
  const code = await new Promise<number | null>((resolve) => child.once("close", resolve));
  return { code, stdout, stderr };
}

const change = (file: string, from: string, to: string): void => {
  const text = fs.readFileSync(path.join(project, file), "utf8");
  expect(text).toContain(from);
  fs.writeFileSync(path.join(project, file), text.replace(from, to));
};

/** Tests that no other depends on, of which each starts many processes. */
const independent = oneOf(["introspect", "users", "prisma.config.ts", "access", "openapi diff"] as const);

beforeAll(async () => {
  database = await createDatabase(inject("postgresUrl"));
  createProject({ directory: project, schema: "blog", authentication: "static", validation: "zod" });
  fs.symlinkSync(path.join(root, "apps/example/node_modules"), path.join(project, "node_modules"));
  expect(await run(["generate", "--force"])).toMatchObject({ code: 0 });
});
afterAll(async () => {
  await database.drop();
  fs.rmSync(place, { recursive: true, force: true });
});

describe("C73 the command service", () => {
  it("has help with examples for every command", async () => {
    const { stdout } = await run(["--help"]);
    const names = [
      "dev",
      "build",
      "start",
      "seed",
      "generate",
      "init",
      "introspect",
      "migrate",
      "doctor",
      "routes",
      "models",
      "config",
      "access",
      "openapi",
      "eject",
      "user",
    ];
    for (const name of names) expect(stdout).toMatch(new RegExp(`^ {2}${name}\\b`, "m"));
    const commands = [
      ...names.filter((name) => name !== "migrate" && name !== "user").map((name) => [name]),
      ...["baseline", "deploy", "new", "status", "reset"].map((name) => ["migrate", name]),
      ["openapi", "diff"],
      ["user", "create"],
    ];
    // help.test.ts reads the help of all of them.
    for (const command of oneOf(commands)) {
      const help = await run([...command, "--help"]);
      expect(help.code, command.join(" ")).toBe(0);
      expect(help.stdout, command.join(" ")).toMatch(/^Examples:\n {2}/m);
      expect(help.stdout).not.toContain("\u001b");
    }
  });

  const errors: readonly (readonly [readonly string[], RegExp])[] = [
    [["buidl"], /Did you mean build\?/],
    [["dev", "--prot", "1"], /Did you mean --port\?/],
    [["dev", "--port", "many"], /Expected a number from 0 to 65535/],
    [["start"], /dist\/main\.js: does not exist\. Run npx service build first/],
    [["generate", "modul", "Post"], /Unknown kind modul\. Expected one of module, router/],
    [["generate", "session"], /Unknown kind session\. Expected one of .*sessions/],
    [["generate", "module", "Pots"], /Unknown model Pots; expected one of Post, Comment/],
    [["introspect"], /prisma\/schema\.prisma: The project already has a schema\. Use --force/],
    [["introspect", "--schemas", "a,,b"], /Expected names separated by commas/],
    [["introspect", "--force"], /The database has no tables in the schema public\./],
    [["migrate", "reset"], /Nothing was done\. Use --yes/],
    [["access", "--check", "none.md"], /none\.md cannot be read/],
  ];
  it.each(someOf(errors))("%j exits with 1 and prints the reason without a stack", async (args, reported) => {
    const { code, stderr } = await run(args);
    expect([code, stderr]).toEqual([1, expect.stringMatching(reported)]);
    expect(stderr).not.toMatch(/\n\s+at /);
  });
});

it.runIf(independent.includes("introspect"))(
  "C73 service introspect writes the schema of a database, and service migrate baseline records it",
  async () => {
    const old = await createDatabase(inject("postgresUrl"));
    onTestFinished(() => old.drop());
    await withClient(old.url, (client) => client.query("CREATE TABLE ships (id int PRIMARY KEY, name text)"));
    const folder = fs.mkdtempSync(path.join(os.tmpdir(), "servicekit-introspect-"));
    onTestFinished(() => fs.rmSync(folder, { recursive: true }));
    fs.writeFileSync(path.join(folder, "package.json"), '{ "type": "module" }');
    const environment = { DATABASE_URL: old.url };
    const unset = await run(["introspect"], { DATABASE_URL: "" }, folder);
    expect([unset.code, unset.stderr]).toEqual([1, expect.stringContaining("DATABASE_URL is not set.")]);
    const missing = await run(["introspect"], { DATABASE_URL: `${old.url}_none` }, folder);
    expect([missing.code, missing.stderr]).toEqual([
      1,
      expect.stringMatching(/^service introspect: .*does not exist.*\n$/),
    ]);
    const written = await run(["introspect"], environment, folder);
    expect(written).toMatchObject({ code: 0, stdout: "Wrote prisma/schema.prisma: 1 model.\n" });
    expect(fs.readFileSync(path.join(folder, "prisma/schema.prisma"), "utf8")).toContain("model ships {");
    const baseline = await run(["migrate", "baseline"], environment, folder);
    expect(baseline.stdout).toBe("Wrote prisma/migrations/0_init/migration.sql and recorded it as applied.\n");
    expect(await run(["migrate", "status"], environment, folder)).toMatchObject({ code: 0, stdout: "1 applied\n" });
    const again = await run(["migrate", "baseline"], environment, folder);
    expect([again.code, again.stderr]).toEqual([1, expect.stringContaining("already has migrations.")]);
  },
);

it("service migrate status reports a folder without a project", async () => {
  const folder = fs.mkdtempSync(path.join(os.tmpdir(), "servicekit-no-project-"));
  const { code, stderr } = await run(["migrate", "status"], {}, folder);
  fs.rmSync(folder, { recursive: true });
  expect([code, stderr]).toEqual([
    1,
    expect.stringContaining("has no Prisma schema. Run the command in a project's folder."),
  ]);
});

describe("C73 migrations", () => {
  it("are created, listed, applied, and reset", async () => {
    const written = await run(["migrate", "new", "--name", "the beginning"]);
    expect(written).toMatchObject({
      code: 0,
      stdout: expect.stringMatching(/CREATE TABLE "Post"[\s\S]*Wrote prisma\/migrations\/\d{14}_the_beginning/),
    });
    const pending = await run(["migrate", "status", "--json"]);
    expect(pending.code).toBe(1);
    expect(JSON.parse(pending.stdout).pending).toHaveLength(1);
    expect(await run(["migrate", "deploy"])).toMatchObject({ code: 0 });
    expect(await run(["migrate", "status"])).toMatchObject({ code: 0, stdout: "1 applied\n" });
    expect(await run(["seed"])).toMatchObject({
      code: 0,
      stdout: expect.stringContaining("admin@example.com has full access"),
    });
    const empty = await run(["migrate", "new", "--name", "fill", "--empty"]);
    const [, file = ""] = /^Wrote (prisma\/migrations\/\d{14}_fill\/migration\.sql)\. Replace/.exec(empty.stdout) ?? [];
    expect(file).not.toBe("");
    expect(await run(["migrate", "deploy"])).toMatchObject({
      code: 1,
      stderr: expect.stringMatching(/_fill\/migration\.sql: Edit the script and remove its first line/),
    });
    fs.rmSync(path.dirname(path.join(project, file)), { recursive: true });
    expect(await run(["migrate", "status"])).toMatchObject({ code: 0 });
    const begun = await run(["migrate", "reset", "--yes"]);
    expect(begun).toMatchObject({
      code: 0,
      stdout: expect.stringContaining("Reset the database and applied 1 migrations."),
    });
    const rejected = await run(["migrate", "reset", "--yes"], { NODE_ENV: "production" });
    expect(rejected).toMatchObject({ code: 1, stderr: expect.stringContaining("is not allowed in production") });
  });

  it.runIf(independent.includes("users"))("are followed by users, the first administrator among them", async () => {
    const made = await run(["user", "create", "--admin", "--set", "email=Ada@example.com", "name=Ada"]);
    expect(made).toMatchObject({
      code: 0,
      stdout: expect.stringMatching(/Created the user ada@example\.com with full access\. The password is \S{16}/),
    });
    const again = await run(["user", "create", "--admin", "--set", "email=ada@example.com"]);
    expect(again).toMatchObject({
      code: 0,
      stdout: expect.stringContaining("already exists. The password is unchanged"),
    });
    const lacking = await run(["user", "create", "--set", "email=ben@example.com"]);
    expect(lacking).toMatchObject({
      code: 1,
      stderr: expect.stringContaining("A new user requires name: --set name=…"),
    });
    const short = await run(["user", "create", "--set", "email=ben@example.com", "name=Ben", "--password", "short"]);
    expect(short).toMatchObject({ code: 1, stderr: expect.stringContaining("12 to 72 bytes") });
  });
});

/** What is added to the schema besides sessions, with its tables. */
const kinds = oneOf([
  ["keys", ["AuthKey"]],
  ["changes", ["Change"]],
  ["change-position", ["ChangePosition"]],
  ["webhooks", ["Webhook", "WebhookDelivery"]],
] as const);

describe("C73 inspecting the application", () => {
  it("lists routes, models and settings, as tables and as JSON, without a database", async () => {
    const away = { DATABASE_URL: "", JWT_SECRET: "" };
    const routes = await run(["routes"], away);
    expect(routes.stdout).toMatch(/^POST +\/api\/posts +signed in \(some rows\) +Post\.createOne$/m);
    expect(routes.stdout).toMatch(/^GET +\/api\/summary +STAFF +src\/routes\/summary\.ts:\d+$/m);
    const open = JSON.parse((await run(["routes", "--open", "--json"], away)).stdout) as { path: string }[];
    expect(open.map(({ path: at }) => at)).toContain("/api/tags");
    expect(open.map(({ path: at }) => at)).not.toContain("/api/summary");
    expect((await run(["models"], away)).stdout).toMatch(/^User +\/api\/users +\d+ +posts +password +all +sql$/m);
    const models = JSON.parse((await run(["models", "--json"], away)).stdout) as {
      name: string;
      engine: object;
    }[];
    expect(models.map(({ name }) => name)).toEqual(["Post", "Comment", "Tag", "User"]);
    expect(models.map(({ engine }) => engine)).toEqual(models.map(() => ({ engine: "sql", fieldsByPrisma: [] })));
    const config = await run(["config"], { DATABASE_URL: "postgresql://me:hush@localhost/x" });
    expect(config.stdout).toMatch(/^DATABASE_URL +postgresql:\/\/me:\*\*\*@localhost\/x +DATABASE_URL +DATABASE_URL$/m);
    expect(config.stdout).toMatch(/^authentication\.jwt\.secret +\*\*\* +JWT_SECRET \(\.env\) +JWT_SECRET$/m);
    const [, secret = ""] = /^JWT_SECRET=(.*)$/m.exec(fs.readFileSync(path.join(project, ".env"), "utf8")) ?? [];
    expect(secret).toHaveLength(64);
    expect(config.stdout).not.toContain(secret);
    expect(JSON.parse((await run(["config", "timeouts", "--json"], away)).stdout)).toContainEqual({
      ...{ key: "timeouts.statement", value: "5000", source: "default", variable: "SERVICE_TIMEOUTS_STATEMENT" },
    });
  });

  it.runIf(independent.includes("prisma.config.ts"))(
    "reads prisma.config.ts only if the schema is needed: its import costs more than a start",
    async () => {
      const file = path.join(project, "prisma.config.ts");
      fs.writeFileSync(file, 'console.error("prisma.config.ts was read");\nexport default {};\n');
      try {
        expect((await run(["generate", "--force"])).stderr).toContain("prisma.config.ts was read");
        for (const command of oneOf(["routes", "models", "config", "access"]))
          expect(await run([command]), command).toMatchObject({
            code: 0,
            stderr: expect.not.stringContaining("was read"),
          });
      } finally {
        fs.rmSync(file);
      }
    },
  );

  it.runIf(independent.includes("access"))(
    "prints access rights, and exits with 1 if a committed file differs",
    async () => {
      const { stdout } = await run(["access", "--markdown"]);
      expect(stdout).toContain("| route | everyone | signed in | MEMBER | STAFF | superuser |");
      expect(stdout).toContain("| /api/posts GET | rows | rows | rows | rows | yes |");
      expect(stdout).toContain("| /api/summary GET | – | – | – | yes | yes |");
      fs.writeFileSync(path.join(project, "access.md"), `# Who may do what\n\n${stdout}`);
      fs.writeFileSync(path.join(project, "access.json"), (await run(["access", "--json"])).stdout);
      for (const file of ["access.md", "access.json"])
        expect(await run(["access", "--check", file])).toMatchObject({ code: 0 });
      change("src/routes/summary.ts", 'rule: ["STAFF"]', 'rule: ["MEMBER"]');
      const drifted = await run(["access", "--check", "access.md"]);
      expect(drifted).toMatchObject({
        code: 1,
        stdout: expect.stringContaining("+ | /api/summary GET | – | – | yes | – | yes |"),
      });
      expect(await run(["access", "--check", "access.json"])).toMatchObject({ code: 1 });
      change("src/routes/summary.ts", 'rule: ["MEMBER"]', 'rule: ["STAFF"]');
    },
  );

  it.runIf(independent.includes("openapi diff"))("prints breaking changes for existing clients", async () => {
    expect(await run(["openapi", "--out", "old.json"])).toMatchObject({ code: 0 });
    expect(await run(["openapi", "diff", "old.json"])).toMatchObject({ code: 0, stdout: "No breaking changes.\n" });
    change("src/routes/summary.ts", ".max(365)", ".max(31)");
    const broken = await run(["openapi", "diff", "old.json", "--json"]);
    expect(broken.code).toBe(1);
    expect(JSON.parse(broken.stdout)).toEqual([
      { operation: "GET /api/summary", message: "the parameter days (query) has the maximum 31 (maximum)" },
    ]);
    change("src/routes/summary.ts", ".max(31)", ".max(365)");
  });

  it("creates files of a module, which load, and does not change existing ones", async () => {
    expect(await run(["generate", "module", "Comment"])).toMatchObject({ code: 0 });
    expect(await run(["generate", "schemas", "tag"])).toMatchObject({
      code: 0,
      stdout: "Wrote src/modules/tag/tag.schemas.ts\n",
    });
    expect(await run(["generate", "router", "Tag"])).toMatchObject({ code: 0 });
    const again = await run(["generate", "hooks", "Comment"]);
    expect(again).toMatchObject({
      code: 1,
      stderr: expect.stringContaining("comment.middlewares.ts already exists"),
    });
    const job = await run(["generate", "job", "welcome-mail"]);
    expect(job).toMatchObject({
      code: 0,
      stdout: "Wrote src/jobs/welcome-mail.job.ts\nWrote test/welcome-mail.job.test.ts\n",
    });
    const routes = await run(["routes"]);
    expect(routes.stdout).toMatch(/^POST +\/api\/tags\/:id\/act /m);
  });

  it("C72 C73 C106 C110 C112 adds the model of sessions to the schema, and a migration without other changes", async () => {
    const written = await run(["generate", "sessions"]);
    expect([written.code, written.stderr]).toEqual([0, ""]);
    expect(written.stdout).toContain("Added the model AuthSession to prisma/schema.prisma.");
    expect(written.stdout.match(/CREATE TABLE "\w+"/g)).toContain('CREATE TABLE "AuthSession"');
    expect(written.stdout).toContain("ON DELETE CASCADE");
    expect(fs.readFileSync(path.join(project, "prisma/schema.prisma"), "utf8")).toContain("sessions AuthSession[]");
    const again = await run(["generate", "sessions"]);
    expect([again.code, again.stderr]).toEqual([1, expect.stringContaining("already has a model AuthSession")]);
    for (const [kind, tables] of kinds) {
      const { code, stdout } = await run(["generate", kind]);
      expect([code, stdout.match(/(?<=CREATE TABLE ")\w+/g)], kind).toEqual([0, tables]);
    }
    expect(await run(["migrate", "deploy"])).toMatchObject({ code: 0 });
    // PostgreSQL stores the default of a column in another form.
    expect((await run(["migrate", "new", "--name", "unchanged"])).stdout).toContain("The migrations match the schema.");
    const routes = await run(["routes"]);
    expect(routes.stdout).toContain("/api/auth/sessions");
    expect(routes.stdout.includes("/api/auth/keys")).toBe(kinds.some(([kind]) => kind === "keys"));
    expect(routes.stdout).not.toContain("/api/auth-sessions");
  });

  it("prints fixes", async () => {
    const doctor = await run(["doctor"]);
    expect([doctor.code, doctor.stdout]).toEqual([0, expect.stringContaining("✓ .env: readable by its owner only")]);
    expect(doctor.stdout).toContain(`✓ Database: is reachable, with ${2 + kinds.length} migrations\n`);
    fs.chmodSync(path.join(project, ".env"), 0o644);
    change("tsconfig.json", '"nodenext"', '"esnext"');
    const ill = await run(["doctor", "--json"], { NODE_ENV: "production", JWT_SECRET: "short" });
    expect(ill.code).toBe(1);
    const found = JSON.parse(ill.stdout) as { what: string; state: string }[];
    const states = Object.fromEntries(found.map(({ what, state }) => [what, state]));
    expect(states).toMatchObject({
      ".env": "notice",
      "tsconfig.json": "bad",
      JWT_SECRET: "bad",
      TRUST_PROXY: "notice",
    });
    change("src/routes/summary.ts", 'path: "/api/summary"', 'path: "/files/*"');
    const rejected = await run(["routes"]);
    expect([rejected.code, rejected.stdout]).toEqual([1, ""]);
    expect(rejected.stderr).toMatch(/^The service cannot start \(1 error\):\n {2}- GET \/files\/\*.* Did you mean/);
  });
});
