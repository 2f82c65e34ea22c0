//: if sqlite
import fs from "node:fs";
import os from "node:os";
import path from "node:path";
//: end
import service, { type Service } from "@servicekit/service";
//: if sqlite
import { pushSchema } from "@servicekit/service/dev-database";
//: end
//: if embedded
import { createDatabase, pushSchema, startDevDatabase } from "@servicekit/service/dev-database";
//: end
//: if server
import { createDatabase, pushSchema } from "@servicekit/service/dev-database";
//: end
//: if on-mysql
import { applyMigrations, createDatabase } from "@servicekit/service/dev-database";
//: end
import request from "supertest";
import { afterAll, beforeAll, beforeEach, expect, it, vi } from "vitest";
import { app } from "../src/app.js";
import { contextOf } from "../src/context.js";

// Long enough for a busy machine; only a hanging test reaches them.
vi.setConfig({ testTimeout: 60_000, hookTimeout: 60_000 });

//: if embedded
// A separate PostgreSQL with an empty database for this run. Set TEST_DATABASE_URL to use another server.
//: end
//: if sqlite
// An empty SQLite file for this run.
//: end
//: if server
// An empty database for this run on the server of TEST_DATABASE_URL.
//: end
//: if on-mysql
// An empty database for this run on the server of TEST_DATABASE_URL.
//: end
let api: Service;
const ends: (() => Promise<void>)[] = [];
beforeAll(async () => {
//: if embedded
  let url = process.env.TEST_DATABASE_URL ?? "";
  if (url === "") {
    const server = await startDevDatabase({ directory: ".data/test", flags: ["-c", "fsync=off"] });
    ends.unshift(() => server.stop());
    url = server.url;
  }
//: end
//: if server
  const url = process.env.TEST_DATABASE_URL ?? "postgresql://postgres:postgres@localhost:5432/postgres";
//: end
//: if on-mysql
  const url = process.env.TEST_DATABASE_URL ?? "mysql://root@127.0.0.1:3306/mysql";
//: end
//: if sqlite
  const folder = fs.mkdtempSync(path.join(os.tmpdir(), "test-"));
  ends.unshift(async () => fs.rmSync(folder, { recursive: true }));
  const url = `file:${path.join(folder, "test.db")}`;
  await pushSchema(url, { directory: "prisma" });
//: else
  const database = await createDatabase(url);
  ends.unshift(() => database.drop());
//: if on-mysql
  await applyMigrations(database.url, "prisma/migrations");
//: else
  await pushSchema(database.url, { directory: "prisma" });
//: end
//: end
  const environment = {
//: if sqlite
    DATABASE_URL: url,
//: else
    DATABASE_URL: database.url,
//: end
//: if accounts
    JWT_SECRET: "a secret for tests that is long enough",
    SERVICE_AUTHENTICATION_PASSWORD_COST: "4", // a fast hash
    SERVICE_AUTHENTICATION_RATE_LIMIT: "false", // each test signs up users
//: end
    LOG_LEVEL: "error",
    NODE_ENV: "test",
  };
  api = await service.create(app, { environment });
  ends.unshift(() => api.close());
});
afterAll(async () => {
  for (const end of ends) await end();
});

// Each test starts with empty tables, so that tests run alone and in any order.
beforeEach(async () => {
//: if postgresql
//: if accounts
  await contextOf(api).client.$executeRaw`TRUNCATE {{tables}}, "User" CASCADE`;
//: else
  await contextOf(api).client.$executeRaw`TRUNCATE {{tables}} CASCADE`;
//: end
//: else
  const { client } = contextOf(api);
//: if blog
  await client.post.deleteMany();
  await client.tag.deleteMany();
//: end
//: if shop
  await client.order.deleteMany();
  await client.product.deleteMany();
  await client.category.deleteMany();
//: end
//: if empty
  await client.note.deleteMany();
//: end
//: if accounts
  await client.user.deleteMany();
//: end
//: end
});
//: if accounts

/** Signs up a user, logs in, and returns the authorization header. */
async function signIn(email: string): Promise<Record<string, string>> {
  const user = { email, name: "Test user", password: "correct horse battery" };
  expect(await request(api.server).post("/api/auth/signup").send(user)).toMatchObject({ status: 201 });
  const { body } = await request(api.server).post("/api/auth/login").send({ email, password: user.password });
  return { authorization: `Bearer ${body.accessToken}` };
}
//: end
//: if blog
//: if accounts

it("returns published posts to everyone, and a draft only to its author", async () => {
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

it("hides the comments of an unpublished post from other users", async () => {
  const [ada, ben] = [await signIn("ada@example.com"), await signIn("ben@example.com")];
  const post = await request(api.server).post("/api/posts").set(ada).send({ title: "A draft", content: "…" });
  const comment = { postId: post.body.data.id, text: "To do" };
  expect((await request(api.server).post("/api/comments").set(ada).send(comment)).status).toBe(201);
  expect((await request(api.server).post("/api/comments").set(ben).send(comment)).status).toBe(400);
  const total = async (headers: Record<string, string>): Promise<number> =>
    (await request(api.server).get("/api/comments").set(headers)).body.meta.total;
  expect([await total(ada), await total(ben), await total({})]).toEqual([1, 0, 0]);
});

it("rejects anonymous writes, invalid posts and filters by hidden fields", async () => {
  const cy = await signIn("cy@example.com");
  const post = { title: "Hello", content: "…" };
  expect((await request(api.server).post("/api/posts").send(post)).status).toBe(401);
  expect((await request(api.server).post("/api/posts").set(cy).send({})).status).toBe(400);
  expect((await request(api.server).get("/api/posts?note__contains=x")).status).toBe(400); // hidden
  expect(await contextOf(api).client.post.count()).toBe(0);
});
//: else

it("stores a post with a slug of its title", async () => {
  const post = { title: "Hello, world", content: "…" };
  const sent = await request(api.server).post("/api/posts").send(post);
  expect(sent).toMatchObject({ status: 201, body: { data: { slug: expect.stringMatching(/^hello-world-/) } } });
  expect((await request(api.server).get("/api/posts?title__icontains=WORLD")).body.meta.total).toBe(1);
});

it("omits archived posts, and rejects invalid posts and filters by hidden fields", async () => {
  const { id } = await contextOf(api).client.post.create({ data: { title: "Old", content: "…", isArchived: true } });
  await contextOf(api).client.comment.create({ data: { text: "Hidden too", post: { connect: { id } } } });
  expect((await request(api.server).get("/api/posts?title=Old")).body.data).toEqual([]);
  expect((await request(api.server).get("/api/comments")).body.data).toEqual([]);
  expect((await request(api.server).post("/api/posts").send({ title: "no" })).status).toBe(400);
  expect((await request(api.server).get("/api/posts?note__contains=x")).status).toBe(400); // hidden
});
//: end
//: end
//: if shop

/** A product to order. */
async function makeProduct(name: string): Promise<number> {
  const category = { create: { name: `For ${name}` } };
//: if sqlite
  const product = await contextOf(api).client.product.create({ data: { name, price: 1250, stock: 5, category } });
//: else
  const product = await contextOf(api).client.product.create({ data: { name, price: "12.50", stock: 5, category } });
//: end
  return product.id;
}
//: if accounts

it("computes the total of an order, which only its owner can read", async () => {
  const productId = await makeProduct("mug");
  const [ada, ben] = [await signIn("ada@example.com"), await signIn("ben@example.com")];
  const sent = await request(api.server).post("/api/orders").set(ada).send({ productId, quantity: 3 });
//: if sqlite
  expect(sent).toMatchObject({ status: 201, body: { data: { total: 3750, status: "OPEN" } } });
//: else
  expect(sent).toMatchObject({ status: 201, body: { data: { total: "37.50", status: "OPEN" } } });
//: end
  const { id } = sent.body.data;

  expect((await request(api.server).get(`/api/orders/${id}`).set(ada)).status).toBe(200);
  expect((await request(api.server).get(`/api/orders/${id}`).set(ben)).status).toBe(404);
  expect((await request(api.server).get(`/api/orders/${id}`)).status).toBe(401);
  expect((await request(api.server).delete(`/api/orders/${id}`).set(ada)).status).toBe(403);
});

it("rejects orders above the stock, invalid orders and filters by hidden fields", async () => {
  const productId = await makeProduct("kettle");
  const cy = await signIn("cy@example.com");
  const order = (quantity: number) => request(api.server).post("/api/orders").set(cy).send({ productId, quantity });
  expect((await order(6)).status).toBe(409);
  expect((await order(0)).status).toBe(400);
  expect((await request(api.server).get("/api/products?purchasePrice__gt=1")).status).toBe(400); // hidden
});
//: else

it("computes the total of an order", async () => {
  const productId = await makeProduct("mug");
  const sent = await request(api.server).post("/api/orders").send({ productId, quantity: 3 });
//: if sqlite
  expect(sent).toMatchObject({ status: 201, body: { data: { total: 3750, status: "OPEN" } } });
//: else
  expect(sent).toMatchObject({ status: 201, body: { data: { total: "37.50", status: "OPEN" } } });
//: end
  expect((await request(api.server).get("/api/orders?include=product")).body.data[0].product.name).toBe("mug");
});

it("rejects orders above the stock, invalid orders and filters by hidden fields", async () => {
  const productId = await makeProduct("kettle");
  const order = (quantity: number) => request(api.server).post("/api/orders").send({ productId, quantity });
  expect((await order(6)).status).toBe(409);
  expect((await order(0)).status).toBe(400);
  expect((await request(api.server).get("/api/products?purchasePrice__gt=1")).status).toBe(400); // hidden
});
//: end
//: end
//: if empty
//: if accounts

it("returns a note only to its author", async () => {
  const [ada, ben] = [await signIn("ada@example.com"), await signIn("ben@example.com")];
  const sent = await request(api.server).post("/api/notes").set(ada).send({ text: "Mine" });
  expect(sent).toMatchObject({ status: 201, body: { data: { text: "Mine" } } });
  const { id } = sent.body.data;

  expect((await request(api.server).get(`/api/notes/${id}`).set(ada)).status).toBe(200);
  expect((await request(api.server).get(`/api/notes/${id}`).set(ben)).status).toBe(404);
  expect((await request(api.server).get(`/api/notes/${id}`)).status).toBe(401);
});

it("rejects invalid notes and filters by hidden fields", async () => {
  const cy = await signIn("cy@example.com");
  expect((await request(api.server).post("/api/notes").set(cy).send({ text: "" })).status).toBe(400);
  expect((await request(api.server).get("/api/notes?internal__contains=x").set(cy)).status).toBe(400); // hidden
  expect(await contextOf(api).client.note.count()).toBe(0);
});
//: else

it("stores a note", async () => {
  const sent = await request(api.server).post("/api/notes").send({ text: "Remember  the milk" });
  expect(sent).toMatchObject({ status: 201, body: { data: { text: "Remember the milk" } } });
  expect((await request(api.server).get("/api/notes?text__icontains=MILK")).body.meta.total).toBe(1);
});

it("omits archived notes, and rejects invalid notes and filters by hidden fields", async () => {
  await contextOf(api).client.note.create({ data: { text: "Old", isArchived: true } });
  expect((await request(api.server).get("/api/notes?text=Old")).body.data).toEqual([]);
  expect((await request(api.server).post("/api/notes").send({ text: "" })).status).toBe(400);
  expect((await request(api.server).get("/api/notes?internal__contains=x")).status).toBe(400); // hidden
});
//: end
//: end
//: if accounts

it("gives a superuser access to every route", async () => {
  const admin = await signIn("root@example.com");
  expect((await request(api.server).get("/api/summary").set(admin)).status).toBe(403);
  await contextOf(api).client.user.update({ where: { email: "root@example.com" }, data: { isSuperUser: true } });
  const { status, body } = await request(api.server).get("/api/summary?days=1").set(admin);
  expect({ status, body }).toMatchObject({ status: 200, body: { data: { days: 1 } } });
});
//: else

it("serves the hand-written route and validates its query", async () => {
  expect((await request(api.server).get("/api/summary")).body.data.days).toBe(7);
  expect((await request(api.server).get("/api/summary?days=none")).status).toBe(400);
});
//: end
