import { type ChildProcess, execFile, spawn } from "node:child_process";
import fs from "node:fs";
import os from "node:os";
import path from "node:path";
import { promisify } from "node:util";
import { describe, expect, inject, it, onTestFinished } from "vitest";
import { generateClient } from "../../../scripts/generate-client.js";
import { freePort } from "../../../scripts/test/free-port.js";
import { newUserEnvironment } from "../../../scripts/test/new-user-environment.js";
import { oneOf } from "../../../scripts/test/slow-share.js";
import { type Answers, createProject } from "../../create-servicekit/src/index.js";
import { createDatabase, pushSchema } from "../../dev-database/src/index.js";

/*
 * Sends every request of an anonymous client and of a member to every route of each template, and compares the accepted
 * requests with a table. Rows of another user must not be in any response.
 */
const run = promisify(execFile);
const root = path.join(import.meta.dirname, "../../..");
const hooks = path.join(root, "packages/config-loader/hooks/register.mjs");
const fromSource = ["--import", hooks, "--conditions=servicekit-source"];

type Headers = Readonly<Record<string, string>>;

interface Attacked {
  readonly routes: readonly { readonly method: string; readonly path: string }[];
  call(method: string, path: string, headers?: Headers, body?: unknown): Promise<{ status: number; text: string }>;
  signIn(email: string): Promise<Headers>;
}

const password = "correct horse battery";

/** Links the packages of this one, and this one. */
function linkPackages(modules: string): void {
  const own = path.join(import.meta.dirname, "..");
  const installed = path.join(own, "node_modules");
  fs.mkdirSync(path.join(modules, "@servicekit"), { recursive: true });
  fs.symlinkSync(own, path.join(modules, "@servicekit", "service"));
  const scoped = fs.readdirSync(path.join(installed, "@servicekit")).map((name) => path.join("@servicekit", name));
  const others = fs.readdirSync(installed).filter((name) => name !== "@servicekit" && !name.startsWith("."));
  for (const name of [...others, ...scoped]) fs.symlinkSync(path.join(installed, name), path.join(modules, name));
}

/** Creates a project, its client and its database with the seed, and starts it. */
async function start(answers: Partial<Answers>): Promise<Attacked> {
  const place = fs.mkdtempSync(path.join(os.tmpdir(), "servicekit-template-"));
  onTestFinished(() => fs.rmSync(place, { recursive: true, force: true }));
  const directory = path.join(place, "project");
  createProject({ directory, ...answers });
  linkPackages(path.join(directory, "node_modules"));
  await generateClient({ schema: path.join(directory, "prisma/schema.prisma") });
  const database = await createDatabase(inject("postgresUrl"));
  onTestFinished(() => database.drop());
  await pushSchema(database.url, { directory: path.join(directory, "prisma") });
  const env = newUserEnvironment({
    DATABASE_URL: database.url,
    PORT: String(await freePort()),
    LOG_LEVEL: "error",
    SERVICE_MIDDLEWARES_RATE_LIMIT: "false",
    SERVICE_AUTHENTICATION_RATE_LIMIT: "false",
    ADMIN_EMAIL: "admin@example.com",
    ADMIN_PASSWORD: password,
    SERVICE_AUTHENTICATION_PASSWORD_COST: "4",
  });
  const program = (file: string, ...args: string[]): string[] => [...fromSource, `src/${file}.ts`, ...args];
  await run(process.execPath, program("seed"), { cwd: directory, env });
  const listed = await run(process.execPath, program("main", "routes", "--json"), { cwd: directory, env });
  const child: ChildProcess = spawn(process.execPath, program("main"), { cwd: directory, env, stdio: "inherit" });
  const ended = new Promise((resolve) => child.once("exit", resolve));
  onTestFinished(async () => {
    child.kill("SIGTERM");
    await ended;
  });
  const url = `http://127.0.0.1:${env.PORT}`;
  const call: Attacked["call"] = async (method, target, headers = {}, body = undefined) => {
    const json = body === undefined ? {} : { body: JSON.stringify(body) };
    const type: Headers = body === undefined ? {} : { "content-type": "application/json" };
    const response = await fetch(url + target, { method, headers: { ...headers, ...type }, ...json });
    return { status: response.status, text: await response.text() };
  };
  await expect
    .poll(() =>
      call("GET", "/api/health/live").then(
        ({ status }) => status,
        () => 0,
      ),
    )
    .toBe(200);
  return {
    routes: JSON.parse(listed.stdout),
    call,
    async signIn(email) {
      const account = { email, name: "Test user", password };
      expect(await call("POST", "/api/auth/signup", {}, account)).toMatchObject({ status: 201 });
      const { text } = await call("POST", "/api/auth/login", {}, { email, password });
      return { authorization: `Bearer ${JSON.parse(text).accessToken}` };
    },
  };
}

/** The routes of accounts come last: one ends the session, and one deletes the account (of a second member). */
const rankOf = ({ method, path }: { method: string; path: string }): number => {
  if (path === "/api/users/me") return method === "DELETE" ? 3 : 1;
  return path === "/api/auth/logout" ? 2 : path.startsWith("/api/auth/") ? 1 : 0;
};

const idOf = ({ text }: { text: string }): number => JSON.parse(text).data.id;

interface Template {
  readonly schema: Answers["schema"];
  /** Creates rows that only their owner may read, and returns the id of the one of a path. */
  hide(attacked: Attacked, owner: Headers): Promise<(path: string) => number>;
  /** Occurs in each response with one of these rows. */
  readonly mark: RegExp;
  /** Requests that would return these rows, or count them, through a relation. */
  readonly probes: readonly string[];
  /** The accepted requests of the models of the template. */
  readonly accepted: Readonly<Record<"anonymous" | "member", readonly string[]>>;
}

const reads = (models: string): readonly string[] => [`GET /api/${models}`, `GET /api/${models}/:id`];
/** Row rules limit them to the rows of the caller. */
const changes = (models: string): readonly string[] => [
  ...[`PATCH /api/${models}/:id`, `DELETE /api/${models}/:id`],
  ...[`PATCH /api/${models}/many`, `DELETE /api/${models}/many`],
];

const templates: readonly Template[] = [
  {
    schema: "blog",
    async hide({ call }, owner) {
      const post = idOf(await call("POST", "/api/posts", owner, { title: "SECRET draft", content: "SECRET" }));
      const comment = idOf(await call("POST", "/api/comments", owner, { postId: post, text: "SECRET" }));
      return (path) => (path.startsWith("/api/posts") ? post : path.startsWith("/api/comments") ? comment : 1);
    },
    mark: /SECRET/,
    probes: [
      "/api/comments?post__title__startsWith=SECRET",
      "/api/posts?comments__some__text=SECRET",
      "/api/tags?posts__some__title__startsWith=SECRET",
      "/api/tags?include=posts",
      "/api/posts?include=comments",
      "/api/users?include=posts",
    ],
    accepted: {
      anonymous: [...reads("posts"), ...reads("comments"), ...reads("tags")],
      member: [
        ...[...reads("posts"), "POST /api/posts", ...changes("posts")],
        ...[...reads("comments"), "POST /api/comments", ...reads("tags")],
      ],
    },
  },
  {
    schema: "shop",
    async hide({ call }, owner) {
      const order = idOf(await call("POST", "/api/orders", owner, { productId: 1, quantity: 3 }));
      return (path) => (path.startsWith("/api/orders") ? order : 1);
    },
    mark: /"total":"37.50"/,
    probes: [
      "/api/orders?quantity=3",
      "/api/products?orders__some__quantity=3",
      "/api/products?include=orders",
      "/api/users?include=orders",
    ],
    accepted: {
      anonymous: [...reads("categories"), ...reads("products")],
      member: [...reads("categories"), ...reads("products"), ...reads("orders"), "POST /api/orders"],
    },
  },
  {
    schema: "empty",
    async hide({ call }, owner) {
      const note = idOf(await call("POST", "/api/notes", owner, { text: "SECRET" }));
      return (path) => (path.startsWith("/api/notes") ? note : 1);
    },
    mark: /SECRET/,
    probes: ["/api/notes?text=SECRET", "/api/users?include=notes"],
    accepted: { anonymous: [], member: [...reads("notes"), "POST /api/notes", ...changes("notes")] },
  },
];

/** The accepted requests of every template. */
const common = {
  anonymous: [
    ...["GET /api", "GET /api/health/live", "GET /api/health/ready"],
    // Outside production. Files that nothing protects are public.
    ...["GET /api/api-docs", "GET /api/api-docs.json", "GET /api/api-docs.yaml", "GET /api/api-docs/reference"],
    ...["GET /api/api-docs/:file", "GET /api/studio", "GET /api/studio/assets/:file"],
    "GET /api/uploads/:fileType/:fileName",
    ...["POST /api/auth/login", "POST /api/auth/signup"],
  ],
  member: [
    ...["GET /api/available-routes", "GET /api/available-resources", "GET /api/auth-actions"],
    ...["GET /api/users/me", "PATCH /api/users/me", "DELETE /api/users/me"],
    ...["POST /api/auth/update-password", "DELETE /api/auth/logout"],
  ],
};

const modes = ["static", "dynamic"] as const;
const cases = templates.flatMap((template) => oneOf(modes).map((authentication) => ({ ...template, authentication })));

describe("the template", () => {
  it.each(cases)(
    "$schema with $authentication roles accepts the requests of the table, and no others",
    async (given) => {
      const { schema, authentication, hide, mark, probes } = given;
      const attacked = await start({ schema, authentication });
      const { routes, call, signIn } = attacked;
      const hiddenId = await hide(attacked, await signIn("owner@example.com"));
      const members = [await signIn("member@example.com"), await signIn("other@example.com")] as const;
      const callers: Readonly<Record<string, readonly [Headers, Headers]>> = { anonymous: [{}, {}], member: members };
      const ordered = [...routes].sort((one, other) => rankOf(one) - rankOf(other));
      const accepted: Record<string, string[]> = {};
      for (const [caller, [first, second]] of Object.entries(callers)) {
        let headers = first;
        for (const probe of probes) {
          const { text } = await call("GET", probe, headers);
          expect(text, `${caller}: ${probe}`).not.toMatch(mark);
          if (probe.includes("__")) expect(text, `${caller}: ${probe}`).not.toMatch(/"total":[1-9]/);
        }
        accepted[caller] = [];
        for (const { method, path: pattern } of ordered) {
          const target = pattern.replaceAll(/:\w+/g, () => String(hiddenId(pattern)));
          const body = ["POST", "PUT", "PATCH"].includes(method) ? {} : undefined;
          const { status, text } = await call(method, target, headers, body);
          if (pattern === "/api/auth/logout") headers = second;
          expect(text, `${caller}: ${method} ${target}`).not.toMatch(mark);
          expect([429, 500]).not.toContain(status);
          if (status !== 401 && status !== 403) accepted[caller].push(`${method} ${pattern}`);
        }
      }
      const { anonymous, member } = given.accepted;
      expect(accepted.anonymous?.sort()).toEqual([...common.anonymous, ...anonymous].sort());
      expect(accepted.member?.sort()).toEqual([...common.anonymous, ...common.member, ...member].sort());
    },
  );
});
