import { createHash } from "node:crypto";
import request from "supertest";
import { afterEach, describe, expect, it } from "vitest";
import { ServiceRouter } from "../src/index.js";
import { makeStarter } from "./start.js";

const { create, closeAll } = makeStarter();
afterEach(closeAll);

const router = ServiceRouter();
router.post({ path: "/json" }, (req, res) => {
  res.json({ data: req.body });
});
router.post({ path: "/webhook", bodyParser: [{ parser: "raw", options: { type: "*/*" } }] }, (req, res) => {
  res.json({
    data: createHash("sha256")
      .update(req.body as Buffer)
      .digest("hex"),
  });
});
router.post({ path: "/stream", bodyParser: false }, async (req, res) => {
  const before = req.body;
  const chunks: Buffer[] = [];
  for await (const chunk of req) chunks.push(chunk);
  res.json({ before: before ?? null, data: Buffer.concat(chunks).toString() });
});
router.get({ path: "/plain", compression: false }, (_req, res) => {
  res.json({ data: "x".repeat(5000) });
});
router.get({ path: "/packed" }, (_req, res) => {
  res.json({ data: "x".repeat(5000) });
});
router.get({ path: "/limited", rateLimit: { windowMs: 60_000, max: 1, message: "Slowly" } }, (_req, res) => {
  res.json({});
});
router.get({ path: "/text", queryParser: { parseNumber: false, parseDoubleUnderscore: false } }, (req, res) => {
  res.json({ data: req.query });
});

describe("a route's own value replaces the global one, with every global step on", () => {
  const client = async () => request((await create({ use: [router] })).app);
  const body = '{ "a" : 1 }';

  it("gives a signed webhook its exact bytes, although JSON is the global default", async () => {
    const app = await client();
    const hash = createHash("sha256").update(body).digest("hex");
    const sent = await app.post("/webhook").set("Content-Type", "application/json").send(body);
    expect(sent.body).toEqual({ data: hash });
    expect((await app.post("/json").set("Content-Type", "application/json").send(body)).body).toEqual({
      data: { a: 1 },
    });
  });

  it("leaves the stream unread with bodyParser: false", async () => {
    const sent = await (await client()).post("/stream").set("Content-Type", "application/json").send(body);
    expect(sent.body).toEqual({ before: null, data: body });
  });

  it("sends plain bytes with compression: false", async () => {
    const app = await client();
    const plain = await app.get("/plain").set("Accept-Encoding", "gzip");
    expect([plain.headers["content-encoding"], plain.headers["content-length"]]).toEqual([undefined, "5011"]);
    expect((await app.get("/packed").set("Accept-Encoding", "gzip")).headers["content-encoding"]).toBe("gzip");
  });

  it("counts in its own window, and not in the global one", async () => {
    const app = await client();
    const first = await app.get("/limited");
    expect([first.status, first.headers["ratelimit-limit"], first.headers["ratelimit-remaining"]]).toEqual([
      200,
      "1",
      "0",
    ]);
    const rejected = await app.get("/limited");
    expect([rejected.status, rejected.type, rejected.body.detail]).toEqual([429, "application/problem+json", "Slowly"]);
    expect(Number(rejected.headers["retry-after"])).toBeGreaterThan(0);
    expect((await app.get("/packed")).headers["ratelimit-remaining"]).toBe("299");
  });

  it("parses the query as the route declares", async () => {
    const { body: read } = await (await client()).get("/text?a__gte=1&b=true");
    expect(read).toEqual({ data: { a__gte: "1", b: true } });
  });
});
