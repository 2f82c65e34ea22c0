import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import type { Server } from "node:http";
import path from "node:path";
import request from "supertest";
import { afterAll, beforeAll, expect, inject, it, vi } from "vitest";
import { createPushedDatabase } from "../../../scripts/test/template-database.js";

const readme = readFileSync(path.join(import.meta.dirname, "../README.md"), "utf8");
const page = readFileSync(path.join(import.meta.dirname, "../../../docs/guides/accounts.md"), "utf8");
const firstBlock = (text: string) => /```ts\n([\s\S]*?)```/.exec(text)?.[1];
const program = /```ts\n(\/\/ src\/add-administrator\.ts\n[\s\S]*?)```/.exec(page)?.[1];
const folder = mkdtempSync(path.join(import.meta.dirname, ".readme-"));
let database: Awaited<ReturnType<typeof createPushedDatabase>>;
let server: Server;
let client: { $disconnect(): Promise<void> };

/** Runs a snippet as written, against the sources and the schema of the tests. */
async function run(snippet: string | undefined, name: string): Promise<unknown> {
  const file = path.join(folder, `${name}.ts`);
  const code = (snippet ?? "")
    .replace('"@servicekit/auth"', '"../../src/index.js"')
    .replace("./generated/prisma/client.js", "../generated/static/client/client.js")
    .replace("./generated/service/models.js", "../generated/static/models.js")
    .replace(".listen(3000)", ".listen(0)");
  writeFileSync(file, code);
  return import(/* @vite-ignore */ file);
}

beforeAll(async () => {
  database = await createPushedDatabase(inject("postgresUrl"), path.join(import.meta.dirname, "fixtures/static"));
  vi.stubEnv("DATABASE_URL", database.url);
  vi.stubEnv("JWT_SECRET", "a secret for the snippet of the README");
  ({ server, client } = (await run(`${firstBlock(readme)}\nexport { server, client };`, "service")) as {
    server: Server;
    client: { $disconnect(): Promise<void> };
  });
});

afterAll(async () => {
  vi.unstubAllEnvs();
  server.close();
  await client.$disconnect();
  await database.drop();
  rmSync(folder, { recursive: true });
});

const post = (url: string, body: object, token?: string) =>
  request(server)
    .post(url)
    .set(token === undefined ? {} : { authorization: `Bearer ${token}` })
    .send(body);

async function login(username: string, password: string): Promise<string> {
  const { status, body } = await post("/api/auth/login", { username, password });
  expect(status).toBe(200);
  return body.accessToken;
}

const alice = { username: "alice", password: "correct horse" };

it("signs up, logs in and applies access rules with the first block of the README", async () => {
  const signup = await post("/api/auth/signup", { ...alice, email: "alice@example.com" });
  expect([signup.status, signup.body.data?.username]).toEqual([201, "alice"]);
  const token = await login(alice.username, alice.password);
  const drafts = await request(server)
    .get("/api/drafts")
    .set({ authorization: `Bearer ${token}` });
  expect(drafts.body).toEqual({ data: [], for: signup.body.data.id });
  expect((await request(server).get("/api/drafts")).status).toBe(401);
  expect((await post("/api/pages", {}, token)).status).toBe(403);
});

it("creates the first administrator, and promotes an existing user, with the program of the accounts page", async () => {
  const describe = vi.spyOn(console, "log").mockImplementation(() => undefined);
  try {
    vi.stubEnv("ADMIN_NAME", "Root");
    vi.stubEnv("ADMIN_EMAIL", "Root@example.com");
    vi.stubEnv("ADMIN_PASSWORD", "harbour and pine");
    await run(program, "add-root");
    vi.stubEnv("ADMIN_PASSWORD", "another one, much later");
    await run(program, "add-root-again");
    vi.stubEnv("ADMIN_NAME", alice.username);
    await run(program, "add-alice");
    expect(describe.mock.calls.flat()).toEqual([
      "root is a superuser.",
      "root is a superuser.",
      "alice is a superuser.",
    ]);
  } finally {
    describe.mockRestore();
  }
  for (const [name, password] of [
    ["root", "harbour and pine"],
    [alice.username, alice.password],
  ] as const) {
    expect((await post("/api/pages", {}, await login(name, password))).status).toBe(201);
  }
  vi.stubEnv("ADMIN_PASSWORD", "short");
  await expect(run(program, "add-short")).rejects.toThrow("ADMIN_PASSWORD of 12 to 72 bytes");
});
