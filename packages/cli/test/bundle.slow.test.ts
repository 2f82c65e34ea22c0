import { type ChildProcess, spawn } from "node:child_process";
import { createHash } from "node:crypto";
import fs from "node:fs";
import module from "node:module";
import path from "node:path";
import { afterAll, beforeAll, describe, expect, inject, it } from "vitest";
import { createProject } from "../../create-servicekit/src/index.js";
import { type CreatedDatabase, createDatabase } from "../../dev-database/src/index.js";

// From the built files, in plain Node, in a project with the packages of the example and those that classes need.
const root = path.join(import.meta.dirname, "../../..");
const place = fs.mkdtempSync(path.join(root, "apps/example/.bundle-"));
const project = path.join(place, "my-blog");
const password = "harbour and pine";
let database: CreatedDatabase;

interface Ended {
  readonly code: number | null;
  readonly output: string;
}

function start(args: readonly string[], environment: object = {}): { child: ChildProcess; ended: Promise<Ended> } {
  const { FORCE_COLOR: _colour, VITEST: _vitest, NODE_COMPILE_CACHE: _compiled, ...rest } = process.env;
  const env = { ...rest, NODE_ENV: "development", DATABASE_URL: database.url, ...environment };
  const child = spawn(process.execPath, args, { cwd: project, env, stdio: ["ignore", "pipe", "pipe"] });
  let output = "";
  for (const stream of [child.stdout, child.stderr]) stream.on("data", (chunk) => (output += chunk));
  return { child, ended: new Promise((resolve) => child.once("close", (code) => resolve({ code, output }))) };
}

const command = (...args: string[]): Promise<Ended> =>
  start([path.join(root, "packages/service/bin/service.js"), ...args]).ended;

async function succeed(...args: string[]): Promise<void> {
  const { code, output } = await command(...args);
  expect(code, `${args.join(" ")}: ${output}`).toBe(0);
}

/** Runs a program until the test releases it. */
async function serve<T>(
  program: readonly string[],
  call: (url: string) => Promise<T>,
  environment: object = {},
): Promise<T> {
  const { child, ended } = start(program, { PORT: "0", HOST: "127.0.0.1", NODE_ENV: "production", ...environment });
  const url = new Promise<string>((resolve, reject) => {
    let message = "";
    child.stdout?.on("data", (chunk) => {
      message += chunk;
      const [, found] = /"?url"?: ?"(http:[^"]+)"/.exec(message) ?? [];
      if (found !== undefined) resolve(found);
    });
    void ended.then(({ output }) => reject(new Error(output)));
  });
  try {
    return await call(await url);
  } finally {
    child.kill("SIGINT");
    child.kill("SIGINT");
    await ended;
  }
}

beforeAll(async () => {
  database = await createDatabase(inject("postgresUrl"));
  createProject({ directory: project, schema: "blog", authentication: "static", validation: "class-validator" });
  const modules = path.join(project, "node_modules");
  const lent = [
    ["apps/example/node_modules", ...fs.readdirSync(path.join(root, "apps/example/node_modules"))],
    ["packages/router/node_modules", "class-validator", "class-transformer", "reflect-metadata"],
  ] as const;
  fs.mkdirSync(modules);
  // Caches of tools are separate for each project.
  for (const [folder, ...names] of lent)
    for (const name of names.filter((each) => each !== ".cache"))
      fs.symlinkSync(path.join(root, folder, name), path.join(modules, name));
  // A class that references another class, whose type only the decorators have.
  const routes = path.join(project, "src/routes/summary.ts");
  const summary = fs.readFileSync(routes, "utf8").replace("{ ServiceRouter }", "{ HttpError, ServiceRouter }");
  fs.writeFileSync(
    routes,
    `import { Type } from "class-transformer";
import { IsInt as IsWhole, ValidateNested } from "class-validator";
${summary}
class Place { @IsWhole() floor!: number; }
class Move { @ValidateNested() @Type(() => Place) to!: Place; }
summary.post({ path: "/api/moves", authentication: false, validation: { body: Move } }, ({ body }, response) => {
  if (body.to.floor > 9) throw new HttpError(409, "TooHigh", "There are nine floors.");
  const letters = ["é", \`ü$\{1}\`, /^[ä😀]$/u.test("😀"), "\\ö", String.raw\`ß\`];
  response.json({ data: body.to instanceof Place, file: import.meta.filename, letters });
});
`,
  );
  for (const args of [["generate", "--force"], ["migrate", "new", "--name", "first"], ["migrate", "deploy"], ["seed"]])
    await succeed(...args);
  await succeed("user", "create", "--admin", "--set", "email=root@example.com", "name=Root", "--password", password);
  await succeed("build", "--bundle");
}, 300_000);

afterAll(async () => {
  await database.drop();
  fs.rmSync(place, { recursive: true, force: true });
});

describe("C73 service build --bundle", { timeout: 300_000 }, () => {
  const requested: readonly (readonly [method: string, path: string, body?: object])[] = [
    ["GET", "/api"],
    ["GET", "/api/posts?include=author&sort=-createdAt"],
    ["GET", "/api/posts?titel=1"],
    ["POST", "/api/posts", { title: "x" }],
    ["POST", "/api/moves", { to: { floor: 3 } }],
    ["POST", "/api/moves", { to: { floor: "three" } }],
    ["POST", "/api/moves", { to: { floor: 10 } }],
    ["POST", "/api/users", { email: "ada@example.com", name: "Ada", password: "password123" }],
    ["POST", "/api/auth/login", { email: "nobody@example.com", password: "none of them" }],
    ["GET", "/api/api-docs.json"],
    ["GET", "/api/api-docs/scalar.js"],
    ["GET", "/api/studio"],
  ];
  const responses = async (url: string): Promise<readonly string[]> => {
    const type = { "content-type": "application/json" };
    const root = { method: "POST", headers: type, body: JSON.stringify({ email: "root@example.com", password }) };
    const signedIn = await fetch(`${url}/api/auth/login`, root);
    const cookie = signedIn.headers
      .getSetCookie()
      .map((each) => each.replace(/;.*/, ""))
      .join("; ");
    return Promise.all(
      requested.map(async ([method, at, body]) => {
        const init = { method, headers: { ...type, cookie, "x-forwarded-proto": "https" } };
        const response = await fetch(url + at, body === undefined ? init : { ...init, body: JSON.stringify(body) });
        const text = (await response.text()).replaceAll(url, "").replaceAll(/("requestId":|nonce=)"[^"]+"/g, "");
        const reported = text.length < 10_000 ? text : createHash("sha256").update(text).digest("hex");
        return `${method} ${at} ${response.status} ${reported}`;
      }),
    );
  };

  it("responds as the program does, from its files", async () => {
    for (const environment of [{ NODE_ENV: "development" }, { NODE_ENV: "production" }]) {
      const built = await serve(["dist/main.js"], responses, environment);
      const bundled = await serve(["dist/bundle/main.js"], responses, environment);
      expect(bundled).toEqual(built);
      expect(built.filter((reply) => /^\S+ \S+ 5/.test(reply))).toEqual([]);
      expect(built.join("\n")).toContain(
        `POST /api/moves 200 {"data":true,"file":"${project}/dist/routes/summary.js","letters":["é","ü1",true,"ö","ß"]}`,
      );
      expect(built.join("\n")).toMatch(/POST \/api\/users 400 .*most common/);
    }
  });

  it("is written in ASCII, so that V8 needs one byte per character", () => {
    const folder = path.join(project, "dist/bundle");
    const files = fs.readdirSync(folder).filter((file) => file.endsWith(".js"));
    const texts = files.map((file) => fs.readFileSync(path.join(folder, file), "latin1"));
    // Characters of a tagged text are not escaped.
    expect(files.filter((_, at) => /[\x80-\xff]/.test(texts[at]?.replace("String.raw`\xc3\x9f`", "") ?? ""))).toEqual(
      [],
    );
  });

  it("excludes large tables of packages, which are read on demand", () => {
    const folder = path.join(project, "dist/bundle");
    const packages = fs.readdirSync(folder).find((file) => /^packages-.*\.js$/.test(file)) ?? "";
    const text = fs.readFileSync(path.join(folder, packages), "latin1");
    const [, table = ""] = /__require\("([^"]*iconv-lite[^"]*\/shiftjis\.json)"\)/.exec(text) ?? [];
    expect(fs.statSync(path.join(folder, table)).size).toBeGreaterThan(10_000);
  });

  it("caches compiled code next to it, if Node supports that, as service start does without a bundle", async () => {
    const canKeep = "enableCompileCache" in module;
    expect(fs.existsSync(path.join(project, "dist/bundle/compiled"))).toBe(canKeep);
    await serve([path.join(root, "packages/service/bin/service.js"), "start"], async () => undefined);
    expect(fs.existsSync(path.join(project, "node_modules/.cache/servicekit/compiled"))).toBe(canKeep);
  });

  it("rejects files that have changed or appeared since the bundle was made", async () => {
    const config = path.join(project, "service.config.ts");
    const text = fs.readFileSync(config, "utf8");
    fs.writeFileSync(config, `${text}\n// Changed.\n`);
    const changed = await start(["dist/bundle/main.js"], { PORT: "0" }).ended;
    fs.writeFileSync(config, text);
    expect([changed.code, changed.output]).toEqual([
      1,
      expect.stringContaining(
        "service.config.ts: It has changed since the bundle was made. Run npx service build --bundle again.",
      ),
    ]);
    const added = path.join(project, "dist/modules/tag");
    fs.mkdirSync(added, { recursive: true });
    fs.writeFileSync(path.join(added, "tag.model.js"), "export default {};");
    const come = await start(["dist/bundle/main.js"], { PORT: "0" }).ended;
    fs.rmSync(added, { recursive: true });
    expect([come.code, come.output]).toEqual([
      1,
      expect.stringContaining("It is not in the bundle that runs. Run npx service build --bundle again"),
    ]);
  });
});
