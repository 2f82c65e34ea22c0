import service, { type Service } from "@servicekit/service";
import { type CreatedDatabase, createDatabase, pushSchema, startDevDatabase } from "@servicekit/service/dev-database";
import request from "supertest";
import { afterAll, beforeAll, expect, it, vi } from "vitest";
import { app } from "../src/app.js";
import { contextOf } from "../src/context.js";

// For what hangs, and nothing else: a busy machine never reaches them.
vi.setConfig({ testTimeout: 60_000, hookTimeout: 60_000 });

// A PostgreSQL of the tests' own, with an empty database for this run; TEST_DATABASE_URL names another server.
let api: Service;
const ends: (() => Promise<void>)[] = [];
beforeAll(async () => {
  let url = process.env.TEST_DATABASE_URL ?? "";
  if (url === "") {
    const server = await startDevDatabase({ directory: ".data/test", flags: ["-c", "fsync=off"] });
    ends.unshift(() => server.stop());
    url = server.url;
  }
  const database: CreatedDatabase = await createDatabase(url);
  ends.unshift(() => database.drop());
  await pushSchema(database.url, { directory: "prisma" });
  const environment = {
    DATABASE_URL: database.url,
    JWT_SECRET: "of the tests alone, and long enough",
    SERVICE_AUTHENTICATION_PASSWORD_COST: "4", // hashed in no time
    LOG_LEVEL: "error",
    NODE_ENV: "test",
  };
  api = await service.create(app, { environment });
  ends.unshift(() => api.close());
});
afterAll(async () => {
  for (const end of ends) await end();
});

/** Signs somebody up and in, and gives the header that says so. */
async function signIn(email: string): Promise<Record<string, string>> {
  const user = { email, name: "Somebody", password: "correct horse battery" };
  expect(await request(api.server).post("/api/auth/signup").send(user)).toMatchObject({ status: 201 });
  const { body } = await request(api.server).post("/api/auth/login").send({ email, password: user.password });
  return { authorization: `Bearer ${body.accessToken}` };
}

it("shows published posts to everyone, and a draft to whoever wrote it", async () => {
  const [ada, ben] = [await signIn("ada@example.com"), await signIn("ben@example.com")];
  const sent = await request(api.server).post("/api/posts").set(ada).send({ title: "A draft", content: "…" });
  expect(sent).toMatchObject({ status: 201, body: { data: { slug: expect.stringMatching(/^a-draft-/) } } });
  const { id } = sent.body.data;

  expect((await request(api.server).get(`/api/posts/${id}`).set(ada)).status).toBe(200);
  expect((await request(api.server).get(`/api/posts/${id}`).set(ben)).status).toBe(404);
  expect((await request(api.server).patch(`/api/posts/${id}`).set(ben).send({ title: "Mine" })).status).toBe(404);

  expect((await request(api.server).patch(`/api/posts/${id}`).set(ada).send({ isPublished: true })).status).toBe(200);
  expect((await request(api.server).get("/api/posts?title__icontains=draft")).body.meta.total).toBe(1);
});

it("refuses what nobody may", async () => {
  const post = { title: "Hello", content: "…" };
  expect((await request(api.server).post("/api/posts").send(post)).status).toBe(401);
  expect((await request(api.server).post("/api/posts").set(await signIn("cy@example.com")).send({})).status).toBe(400);
  expect((await request(api.server).get("/api/posts?note__contains=x")).status).toBe(400); // hidden
  expect(await contextOf(api).client.post.count()).toBe(1);
});

it("lets the first administrator in everywhere", async () => {
  const admin = await signIn("root@example.com");
  expect((await request(api.server).get("/api/summary").set(admin)).status).toBe(403);
  await contextOf(api).client.user.update({ where: { email: "root@example.com" }, data: { isSuperUser: true } });
  const { status, body } = await request(api.server).get("/api/summary?days=1").set(admin);
  expect({ status, body }).toMatchObject({ status: 200, body: { data: { days: 1 } } });
});
