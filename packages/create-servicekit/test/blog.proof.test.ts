import { execFile, spawn } from "node:child_process";
import fs from "node:fs";
import path from "node:path";
import { promisify } from "node:util";
import { afterAll, beforeAll, describe, expect, inject, it, onTestFinished } from "vitest";
import { freePort } from "../../../scripts/test/free-port.js";
import { newUserEnvironment } from "../../../scripts/test/new-user-environment.js";
import { type CreatedDatabase, createDatabase } from "../../dev-database/src/index.js";
import { createProject } from "../src/index.js";

/*
 * The blog of docs/start/tutorial.md, made by that page alone: a new project, its files and its changes; built, and asked over HTTP.
 */
const run = promisify(execFile);
const root = path.join(import.meta.dirname, "../../..");
const page = fs.readFileSync(path.join(root, "docs/start/tutorial.md"), "utf8");
const bin = path.join(root, "packages/service/bin/service.js");
// Below the example, whose packages it finds there.
const place = fs.mkdtempSync(path.join(root, "apps/example/.blog-"));
const project = path.join(place, "my-blog");
let database: CreatedDatabase;
let environment: NodeJS.ProcessEnv;
let before: Lines;

interface Lines {
  readonly schema: number;
  readonly source: number;
}

const linesOf = (file: string): number =>
  fs
    .readFileSync(path.join(project, file), "utf8")
    .split("\n")
    .filter((line) => !/^\s*(\/\/.*|\/\*.*|\*.*)?$/.test(line)).length;

/** The lines of a user, without empty ones, comments and what is generated. */
function countLines(): Lines {
  const sources = fs
    .readdirSync(path.join(project, "src"), { recursive: true, encoding: "utf8" })
    .filter((name) => name.endsWith(".ts") && !name.startsWith("generated"))
    .map((name) => path.join("src", name));
  const source = [...sources, "service.config.ts"].map(linesOf).reduce((sum, count) => sum + count, 0);
  return { schema: linesOf("prisma/schema.prisma"), source };
}

/** Does what the page shows: files as they are, and changes as git would apply them. */
async function followPage(): Promise<void> {
  for (const [, language = "", text = ""] of page.matchAll(/^```(ts|diff)\n([\s\S]*?)^```$/gm)) {
    if (language === "diff") {
      const patch = path.join(place, "change.diff");
      fs.writeFileSync(patch, text);
      // Outside of every repository, whose ignored files git would pass over.
      await run("git", ["apply", patch], { cwd: project, env: { ...process.env, GIT_CEILING_DIRECTORIES: place } });
      continue;
    }
    const file = path.join(project, /^\/\/ (src\/\S+)\n/.exec(text)?.[1] ?? "");
    fs.mkdirSync(path.dirname(file), { recursive: true });
    fs.writeFileSync(file, text);
  }
}

const service = (...args: string[]) =>
  run(process.execPath, [bin, ...args], { cwd: project, env: environment }).catch((error: { stdout: string }) => {
    throw new Error(`service ${args.join(" ")}: ${error.stdout}\n${error}`);
  });

beforeAll(async () => {
  createProject({ directory: project, schema: "blog", authentication: "static", validation: "zod" });
  before = countLines();
  await followPage();
  fs.mkdirSync(path.join(project, "node_modules/@types"), { recursive: true });
  fs.symlinkSync(path.join(root, "apps/example/node_modules/.bin"), path.join(project, "node_modules/.bin"));
  const beside = path.join(root, "packages/router/node_modules");
  for (const name of ["class-validator", "class-transformer", "reflect-metadata", "supertest", "@types/supertest"]) {
    fs.symlinkSync(path.join(beside, name), path.join(project, "node_modules", name));
  }
  database = await createDatabase(inject("postgresUrl"));
  environment = newUserEnvironment({ DATABASE_URL: database.url, PRISMA_SCHEMA_ENGINE_BINARY: process.execPath });
  await service("migrate", "new", "--name", "init");
  await service("migrate", "deploy");
  await service("build");
  await service("seed");
});
afterAll(async () => {
  await database?.drop();
  fs.rmSync(place, { recursive: true, force: true });
});

describe("C73 the blog of docs/start/tutorial.md", () => {
  it("C73 is as many lines as the page says", () => {
    const { schema, source } = countLines();
    const added = schema + source - before.schema - before.source;
    const told = page.slice(page.indexOf("## How much it is")).replaceAll(/\s+/g, " ");
    expect(told).toContain(
      `${schema + source} lines, without empty ones and comments: ${schema} of the schema, ${source} of the program and its settings; ${added} of them`,
    );
    expect(schema + source).toBeLessThan(204);
  });

  it("C73 does what the page says of it", async () => {
    const port = String(await freePort());
    const child = spawn(process.execPath, ["dist/main.js"], {
      cwd: project,
      env: { ...environment, PORT: port, NODE_ENV: "development" },
      stdio: "ignore",
    });
    onTestFinished(() => void child.kill("SIGTERM"));
    const call = async (method: string, target: string, body?: unknown, token?: string) => {
      const isForm = body instanceof FormData;
      const response = await fetch(`http://localhost:${port}${target}`, {
        method,
        headers: {
          ...(isForm || body === undefined ? {} : { "content-type": "application/json" }),
          ...(token === undefined ? {} : { authorization: `Bearer ${token}` }),
        },
        ...(body === undefined ? {} : { body: isForm ? body : JSON.stringify(body) }),
      });
      const text = await response.text();
      return { status: response.status, body: text.startsWith("{") ? JSON.parse(text) : text };
    };
    await expect
      .poll(() =>
        call("GET", "/api/posts").then(
          ({ status }) => status,
          () => 0,
        ),
      )
      .toBe(200);

    const signIn = async (email: string, password = "harbour and pine"): Promise<string> => {
      return (await call("POST", "/api/auth/login", { email, password })).body.accessToken;
    };
    const signUp = async (name: string): Promise<string> => {
      const email = `${name.toLowerCase()}@example.com`;
      const signedUp = await call("POST", "/api/auth/signup", { email, name, password: "harbour and pine" });
      expect(signedUp).toMatchObject({ status: 201 });
      return signIn(email);
    };
    const [ada, ben, cy] = [await signUp("Ada"), await signUp("Ben"), await signUp("Cy")];
    const [, password = ""] = /^ADMIN_PASSWORD=(.*)$/m.exec(fs.readFileSync(path.join(project, ".env"), "utf8")) ?? [];
    const admin = await signIn("admin@example.com", password);

    // Posts, their hook, and a cover.
    const form = new FormData();
    for (const [name, value] of Object.entries({ title: "My first", content: "Hello.", isPublished: "true" })) {
      form.append(name, value);
    }
    const png = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==";
    form.append("cover", new File([Buffer.from(png, "base64")], "cover.png", { type: "image/png" }));
    const post = await call("POST", "/api/posts", form, ada);
    expect(post).toMatchObject({ status: 201, body: { data: { slug: expect.stringMatching(/^my-first-/) } } });
    const { id, cover } = post.body.data;
    expect((await call("GET", cover)).status).toBe(200);
    const fake = new FormData();
    for (const [name, value] of Object.entries({ title: "A second", content: "Hello." })) fake.append(name, value);
    fake.append("cover", new File(["no picture"], "cover.png", { type: "image/png" }));
    expect((await call("POST", "/api/posts", fake, ada)).status).toBe(415);

    // Comments belong to their authors.
    const comment = await call("POST", "/api/comments", { postId: id, text: "Good." }, ben);
    expect(comment.status).toBe(201);
    const target = `/api/comments/${comment.body.data.id}`;
    expect((await call("POST", "/api/comments", { postId: id, text: "Good." })).status).toBe(401);
    expect((await call("PATCH", target, { text: "Bad." }, ada)).status).toBe(404);
    expect((await call("PATCH", target, { text: "Very good." }, ben)).status).toBe(200);

    // Roles: a member may not name tags, staff may.
    const tag = (token: string) => call("POST", "/api/tags", { name: "sea" }, token);
    expect((await tag(cy)).status).toBe(403);
    const me = (await call("GET", "/api/users/me", undefined, cy)).body.data;
    expect((await call("PATCH", `/api/users/${me.id}`, { role: "STAFF" }, admin)).status).toBe(200);
    expect((await tag(cy)).status).toBe(201);
    expect((await call("DELETE", target, undefined, cy)).status).toBe(204);

    // The list of the page, the route of Zod, and that of a class.
    const found = await call("GET", "/api/posts?title__icontains=first&include=comments,tags");
    expect(found.body.data).toMatchObject([{ id, comments: [], tags: [] }]);
    expect((await call("GET", "/api/summary?days=7", undefined, cy)).body.data.posts).toBe(2);
    expect((await call("GET", "/api/summary?days=none", undefined, cy)).status).toBe(400);
    const message = { email: "dee@example.com", text: "Hello." };
    expect(await call("POST", "/api/contact", message)).toMatchObject({ status: 202, body: { data: { length: 6 } } });
    const refused = await call("POST", "/api/contact", { email: "dee", text: "" });
    expect(refused.status).toBe(400);
    expect(refused.body.errors.map((one: { path: string }) => one.path).sort()).toEqual(["/email", "/text"]);
  });
});
