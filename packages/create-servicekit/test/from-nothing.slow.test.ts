import { execFile, spawn } from "node:child_process";
import { randomBytes } from "node:crypto";
import fs from "node:fs";
import os from "node:os";
import path from "node:path";
import { promisify } from "node:util";
import { afterAll, beforeAll, describe, expect, inject, it, onTestFinished } from "vitest";
import {
  hasDatabase,
  megabytes,
  type RunningScript,
  startScript,
  useTarballs,
} from "../../../scripts/test/created-project.js";
import { followDockerfile } from "../../../scripts/test/follow-dockerfile.js";
import { freePort } from "../../../scripts/test/free-port.js";
import { emptyCache, newUserEnvironment } from "../../../scripts/test/new-user-environment.js";
import { tarballsOf, withDependencies } from "../../../scripts/test/packed-packages.js";
import { oneOf, slowShare } from "../../../scripts/test/slow-share.js";
import { createDatabase } from "../../dev-database/src/index.js";
import { type Answers, choices, createProject } from "../src/index.js";

/*
 * From an empty folder to the first response, with what would be published, in an empty HOME: the steps of docs/start/quick-start.md. The
 * first project fills the empty cache of npm, the others find it filled.
 */
const run = promisify(execFile);
const root = path.join(import.meta.dirname, "../../..");
const place = fs.mkdtempSync(path.join(os.tmpdir(), "servicekit-from-nothing-"));
const home = path.join(place, "home");
const tarballs = tarballsOf([...withDependencies("service"), "dev-database", "create-servicekit"]);

const environment = newUserEnvironment({ HOME: home, ...emptyCache(home) });

const seconds = (since: number): string => `${((Date.now() - since) / 1000).toFixed(1)} s`;

beforeAll(async () => {
  fs.mkdirSync(home);
  // The account of the embedded database must be able to read its folder.
  fs.chmodSync(place, 0o755);
});
afterAll(() => fs.rmSync(place, { recursive: true, force: true, maxRetries: 5 }));

/** Runs a script of the project until it responds at a path. */
async function start(project: string, args: readonly string[], responded = "/api"): Promise<RunningScript> {
  const running = await startScript("npm", ["run", ...args], { cwd: project, env: environment }, responded);
  onTestFinished(() => void running.child.kill("SIGTERM"));
  return running;
}

/** Signs in the first administrator and returns the header. */
async function signIn(project: string, url: string): Promise<Record<string, string>> {
  const env = fs.readFileSync(path.join(project, ".env"), "utf8");
  const [, password = ""] = /^ADMIN_PASSWORD=(.*)$/m.exec(env) ?? [];
  const response = await fetch(`${url}/api/auth/login`, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify({ email: "admin@example.com", password }),
  });
  const { accessToken } = (await response.json()) as { accessToken: string };
  return { authorization: `Bearer ${accessToken}` };
}

/** Creates, reads, updates and deletes an order. */
async function order(url: string, headers: Readonly<Record<string, string>>): Promise<void> {
  const send = async (method: string, place: string, body?: object) => {
    const content = { "content-type": "application/json", ...headers };
    const options = body === undefined ? { method, headers } : { method, headers: content, body: JSON.stringify(body) };
    const response = await fetch(`${url}/api/orders${place}`, options);
    const { data } = response.status === 204 ? {} : ((await response.json()) as { data?: { id: number } });
    return { status: response.status, data };
  };
  const created = await send("POST", "", { productId: 1, quantity: 2 });
  expect(created).toMatchObject({ status: 201, data: { total: 2500, status: "OPEN" } });
  const place = `/${created.data?.id}`;
  expect(await send("PATCH", place, { quantity: 3 })).toMatchObject({ status: 200, data: { quantity: 3 } });
  expect(await send("GET", `${place}?include=product`)).toMatchObject({ data: { product: { name: "Tin mug" } } });
  expect(await send("GET", "?product__name__icontains=MUG")).toMatchObject({ data: [{ quantity: 3 }] });
  expect((await send("DELETE", place)).status).toBeLessThan(300);
  expect((await send("GET", place)).status).toBe(404);
}

/** The schema and the requests of the home page of the documentation. */
const homePage = (() => {
  const text = fs.readFileSync(path.join(root, "apps", "docs", "index.md"), "utf8");
  const [, schema = ""] = /^```prisma\n([\s\S]*?)^```$/m.exec(text) ?? [];
  const requests = text.matchAll(/^```http\nGET (\S+)\n```\n\n```json\n([\s\S]*?)^```$/gm);
  return {
    schema: schema.split("\n"),
    requests: [...requests].map(([, target = "", response = ""]) => ({
      target,
      response: JSON.parse(response) as object,
    })),
  };
})();

const schemaOf = (project: string): string => fs.readFileSync(path.join(project, "prisma/schema.prisma"), "utf8");

const projects: readonly (Answers & { readonly name: string; readonly open: string; readonly own: string })[] = [
  {
    name: "my-blog",
    schema: "blog",
    authentication: "static",
    validation: "class-validator",
    database: "embedded",
    open: "/api/posts",
    own: "/api/posts",
  },
  {
    name: "my-shop",
    schema: "shop",
    authentication: "dynamic",
    validation: "zod",
    database: "embedded",
    open: "/api/products",
    own: "/api/orders",
  },
  {
    name: "my-notes",
    schema: "empty",
    authentication: "none",
    validation: "zod",
    database: "embedded",
    open: "/api/notes",
    own: "/api/notes",
  },
  {
    name: "my-records",
    schema: "shop",
    authentication: "static",
    validation: "zod",
    database: "sqlite",
    open: "/api/products",
    own: "/api/orders",
  },
];

// The first one is changed, packed into an image, and shared with others below.
const made = slowShare < 1 ? projects.slice(0, 1) : projects;

/** What publish.slow.test.ts does with its project as well. */
const repeated = oneOf(["test", "build", "image"] as const);

describe.each(made)("C73 C117 $name: $schema, $authentication, $validation", ({ name, open, own, ...responses }) => {
  const project = path.join(place, name);

  it("responds to a request of a model of its own after two commands", async () => {
    const begun = Date.now();
    const flags = Object.entries(responses).flatMap(([flag, value]) => [`--${flag}`, value]);
    const packages = ["create-servicekit", "init"].map((one) => `--package=${tarballs.get(one)}`);
    const creator = ["exec", "--yes", ...packages, "--", "create-servicekit"];
    const created = await run("npm", [...creator, name, ...flags, "--no-install"], { cwd: place, env: environment });
    expect(created.stdout).toContain("npm run dev");
    const createdIn = seconds(begun);
    useTarballs(project, tarballs);
    const installing = Date.now();
    const quiet = ["--no-audit", "--no-fund", "--loglevel=error"];
    await run("npm", ["install", ...quiet], { cwd: project, env: environment });
    const installedIn = seconds(installing);
    const installed = megabytes(path.join(project, "node_modules"));
    const starting = Date.now();
    const { url, child, text: message } = await start(project, ["dev"], open);
    console.log(
      `${name}: created in ${createdIn}, installed in ${installedIn} (${installed} MB), answered after ${seconds(starting)}; all in ${seconds(begun)}`,
    );
    const { data } = (await (await fetch(url + open)).json()) as { data: unknown[] };
    expect(data.length).toBeGreaterThan(0);
    const unwanted = ["prisma", "@prisma/engines", "@scarf/scarf", "effect"];
    expect(unwanted.filter((each) => fs.existsSync(path.join(project, "node_modules", each)))).toEqual([]);
    // A package that only some projects use would add more than what is left (decision 13).
    expect(installed).toBeLessThan(330);
    const headers = responses.authentication === "none" ? {} : await signIn(project, url);
    expect((await fetch(url + own, { headers })).status).toBe(200);
    expect((await fetch(`${url}/api/summary`, { headers })).status).toBe(200);
    if (responses.authentication !== "none") expect((await fetch(`${url}/api/summary`)).status).toBe(401);
    expect(message()).toMatch(/Applied the migration \d{14}_init\.\nSeeded the new database\./);
    expect((await fetch(`${url}/api/api-docs`)).status).toBe(200);

    if (responses.database === "sqlite") await order(url, headers);

    if (name === "my-blog") {
      for (const line of homePage.schema) expect(schemaOf(project)).toContain(line);
      expect(homePage.requests).toHaveLength(2);
      for (const { target, response } of homePage.requests) {
        expect(await (await fetch(url + target)).json(), target).toMatchObject(response);
      }
    }

    child.kill("SIGTERM");
    await expect.poll(() => hasDatabase(project)).toBe(false);
    await expect
      .poll(() =>
        fetch(url).then(
          () => true,
          () => false,
        ),
      )
      .toBe(false);
  }, 600_000);

  it.runIf(repeated.includes("test"))(
    "has passing tests and valid types",
    async () => {
      const shuffled = ["test", "--", "--sequence.shuffle.tests"];
      const { stdout } = await run("npm", shuffled, { cwd: project, env: environment });
      expect(stdout).toMatch(/Tests\s+[34] passed/);
      await run("npm", ["run", "typecheck"], { cwd: project, env: environment });
    },
    600_000,
  );

  it.runIf(repeated.includes("build"))(
    "is built, and serves from the build",
    async () => {
      await run("npm", ["run", "build"], { cwd: project, env: environment });
      const { child, text: message } = await start(project, ["start"], open);
      expect(message()).toContain("DATABASE_URL is not set: using the development database");
      child.kill("SIGTERM");
      await expect.poll(() => child.exitCode ?? child.signalCode).not.toBe(null);
    },
    600_000,
  );
});

describe("C73 service dev", () => {
  const project = path.join(place, "my-blog");
  const change = (file: string, from: string, to: string): void => {
    const at = path.join(project, file);
    const text = fs.readFileSync(at, "utf8");
    expect(text).toContain(from);
    fs.writeFileSync(at, text.replace(from, to));
  };

  it("restarts after a change, reports errors, and migrates a new field to the database", async () => {
    const { url, child, text: message } = await start(project, ["dev"], "/api/posts");
    const text = async (path: string): Promise<string> => (await fetch(url + path)).text();

    change("service.config.ts", 'title: "My blog"', 'title: "Ours"');
    await expect.poll(() => text("/api/api-docs.json").catch(() => "")).toContain('"title":"Ours"');

    change("src/modules/post/post.model.ts", "searchable:", "serachable:");
    await expect.poll(message).toMatch(/serachable.*Did you mean searchable\?/);
    change("src/modules/post/post.model.ts", "serachable:", "searchable:");
    await expect.poll(() => text("/api/posts").catch(() => "")).toContain('"Hello"');

    change("src/app.ts", "export const app = {", "export const app = {{");
    await expect.poll(message).toMatch(/at src\/app\.ts:\d+/);
    change("src/app.ts", "export const app = {{", "export const app = {");
    await expect.poll(() => text("/api/posts").catch(() => "")).toContain('"Hello"');

    change(
      "prisma/schema.prisma",
      "content     String",
      'content     String\n  subtitle    String    @default("none")',
    );
    await expect.poll(() => text("/api/posts").catch(() => "")).toContain('"subtitle":"none"');
    expect(message()).toMatch(/Applied the migration \d{14}_change_post\./);

    // Removing a field deletes its values, which cannot be confirmed without a terminal.
    change("prisma/schema.prisma", '\n  subtitle    String    @default("none")', "");
    await expect.poll(message).toMatch(/would delete rows or cannot be applied[\s\S]*DROP COLUMN "subtitle"/);
    expect(fs.readdirSync(path.join(project, "prisma/migrations"))).toHaveLength(3);
    change(
      "prisma/schema.prisma",
      "content     String",
      'content     String\n  subtitle    String    @default("none")',
    );

    child.kill("SIGTERM");
    await expect.poll(() => hasDatabase(project)).toBe(false);
  }, 600_000);

  it("leaves no process behind when it is killed", async () => {
    const port = await freePort();
    const bin = path.join(project, "node_modules/.bin/service");
    const child = spawn(process.execPath, [fs.realpathSync(bin), "dev", "--port", String(port)], {
      cwd: project,
      env: environment,
    });
    let output = "";
    for (const stream of [child.stdout, child.stderr]) stream.on("data", (chunk) => (output += chunk));
    await expect
      .poll(() =>
        fetch(`http://localhost:${port}/api/posts`).then(
          (got) => got.status,
          () => output,
        ),
      )
      .toBe(200);
    expect(hasDatabase(project)).toBe(true);
    child.kill("SIGKILL");
    await expect.poll(() => hasDatabase(project)).toBe(false);
    await expect
      .poll(() =>
        fetch(`http://localhost:${port}/api`).then(
          () => true,
          () => false,
        ),
      )
      .toBe(false);
  }, 600_000);
});

it.runIf(repeated.includes("image"))(
  "C73 the image of a project migrates a database and serves it",
  async () => {
    const project = path.join(place, "my-blog");
    const image = await followDockerfile(path.join(project, "Dockerfile"), {
      context: project,
      target: path.join(place, "stages"),
      environment,
      // npm writes only the machine's own platform into a lockfile if the registry is a mirror.
      instead: (command) => command.replace(/^npm ci\b/, "npm install --prefer-offline"),
    });
    const packages = megabytes(path.join(image.root, image.directory, "node_modules"));
    console.log(`the image has ${packages} MB of packages`);
    expect(packages).toBeLessThan(150);
    const database = await createDatabase(inject("postgresUrl"));
    onTestFinished(() => database.drop());
    const port = String(await freePort());
    const secret = randomBytes(32).toString("base64url");
    const cwd = path.join(image.root, image.directory);
    const env = { ...environment, ...image.environment, DATABASE_URL: database.url, PORT: port, JWT_SECRET: secret };
    const migrated = await run("node_modules/.bin/service", ["migrate", "deploy"], { cwd, env });
    expect(migrated.stdout).toContain("Applied 2 migrations.");
    const [program = "", ...args] = image.command;
    const child = spawn(program === "node" ? process.execPath : program, args, { cwd, env, stdio: "ignore" });
    onTestFinished(() => void child.kill("SIGTERM"));
    const reply = (): Promise<number> =>
      fetch(`http://localhost:${port}/api/posts`).then(
        ({ status }) => status,
        () => 0,
      );
    await expect.poll(reply).toBe(200);
  },
  600_000,
);

const namesOf = <T extends object>(named: T): (keyof T)[] => Object.keys(named) as (keyof T)[];

it("C73 every other combination type-checks", async () => {
  const modules = path.join(place, "my-blog", "node_modules");
  const bin = path.join(modules, ".bin", "service");
  const combinations = namesOf(choices.schema).flatMap((schema) =>
    namesOf(choices.validation).flatMap((validation) =>
      namesOf(choices.authentication).map((authentication) => ({
        ...{ schema, validation, authentication },
        database: ({ none: "server", static: "embedded", dynamic: validation === "zod" ? "sqlite" : "mysql" } as const)[
          authentication
        ],
      })),
    ),
  );
  for (const responses of oneOf(combinations)) {
    const directory = path.join(place, ["types", ...Object.values(responses)].join("-"));
    createProject({ directory, ...responses });
    fs.symlinkSync(modules, path.join(directory, "node_modules"));
    const options = { cwd: directory, env: environment };
    await run(process.execPath, [fs.realpathSync(bin), "generate", "--force"], options);
    const checked = run(path.join(modules, ".bin", "tsc"), ["--pretty", "false"], options);
    const { stdout } = await checked.catch((error: { stdout: string }) => error);
    expect(stdout, path.basename(directory)).toBe("");
  }
}, 900_000);

it("C73 docs/start/quick-start.md contains the commands that were run here", () => {
  const text = fs.readFileSync(path.join(root, "docs", "start", "quick-start.md"), "utf8");
  expect(text).toMatch(/^npm create servicekit@latest my-blog\n(.*\n)*?cd my-blog\nnpm run dev$/m);
  expect(text).toContain("/api/posts");
});
