import { isHttpError, toProblemBody } from "@servicekit/core";
import { type ParsedQuery, type QueryParserOptions, toOrmQuery } from "@servicekit/query-parser";
import { makeQueryParserFunction, queryParser } from "@servicekit/query-parser/express";
import express, { type ErrorRequestHandler, type RequestHandler } from "express";
import request from "supertest";
import { expect, it } from "vitest";

const response: RequestHandler = (req, res) => {
  res.json({ query: req.query, orm: toOrmQuery(req.query as ParsedQuery) });
};
const onError: ErrorRequestHandler = (error, req, res, _next) => {
  if (!isHttpError(error)) throw error;
  res.status(error.status).json(toProblemBody(error, { instance: req.path }));
};

function withMiddleware(options?: QueryParserOptions) {
  const app = express();
  app.use(queryParser(options));
  const nested = express.Router();
  nested.get("/items", response);
  app.use("/api", nested);
  return app.use(onError);
}

function withFunction(options?: QueryParserOptions) {
  const app = express();
  app.set("query parser", makeQueryParserFunction(options));
  return app.get("/api/items", response).use(onError);
}

for (const [kind, make] of [
  ["the middleware", withMiddleware],
  ["the query parser function", withFunction],
] as const) {
  it(`C21 ${kind} sets request.query to its parsed value`, async () => {
    const { body } = await request(make()).get(
      "/api/items?age__gte=5&name%5Bicontains%5D=x&tag=a,b&sort=-createdAt&limit=2&page=3",
    );
    const filter = { age: { gte: 5 }, name: { contains: "x", mode: "insensitive" } };
    expect(body.query).toEqual({ ...filter, tag: ["a", "b"], sort: "-createdAt", limit: 2, page: 3 });
    expect(body.orm).toEqual({
      where: { ...filter, tag: { in: ["a", "b"] } },
      orderBy: [{ createdAt: "desc" }],
      take: 2,
      skip: 4,
    });
  });

  it(`${kind} sets an empty object without a query`, async () => {
    for (const path of ["/api/items", "/api/items?"]) {
      expect((await request(make()).get(path)).body.query).toEqual({});
    }
  });

  it(`${kind} accepts the switches and limits`, async () => {
    const app = make({ parseNumber: false, limits: { terms: 1 } });
    expect((await request(app).get("/api/items?a=5")).body.query).toEqual({ a: "5" });
    const rejected = await request(app).get("/api/items?a=5&b=6");
    expect(rejected.status).toBe(400);
    expect(rejected.body).toMatchObject({ code: "QueryLimitExceeded", errors: [{ in: "query", path: "" }] });
  });

  it(`C20 ${kind} passes on an error as an HttpError`, async () => {
    const app = make();
    const statuses = await Promise.all(
      ["a=%zz", "__proto__[x]=1", "or=1", `a=${"x".repeat(8200)}`].map(
        async (query) => (await request(app).get(`/api/items?${query}`)).status,
      ),
    );
    expect(statuses).toEqual([400, 400, 400, 414]);
  });
}

it("the middleware's value can be replaced, as validation does", async () => {
  const app = express();
  app.use(queryParser());
  app.use((req, _res, next) => {
    req.query = { replaced: "yes" };
    next();
  });
  app.get("/", (req, res) => {
    res.json(req.query);
  });
  expect((await request(app).get("/?a=1")).body).toEqual({ replaced: "yes" });
});

it("C20 the middleware's urlBytes counts the complete URL", async () => {
  const app = withMiddleware({ limits: { urlBytes: 20 } });
  expect((await request(app).get("/api/items?a=1")).status).toBe(200);
  expect((await request(app).get("/api/items?a=12345678")).status).toBe(414);
});
