import request from "supertest";
import { expect, it } from "vitest";
import { makeApp } from "../src/index.js";

it("allows middleware to assign request.query, and to redefine it repeatedly", async () => {
  const app = makeApp();
  app.use((request, _response, next) => {
    request.query = { assigned: "1" };
    Object.defineProperty(request, "query", { value: { ...request.query, defined: "2" }, configurable: true });
    Object.defineProperty(request, "query", { get: () => ({ computed: "3" }), configurable: true });
    next();
  });
  app.use((request, response) => void response.json(request.query));
  const { body } = await request(app).get("/?sent=0").expect(200);
  expect(body).toEqual({ computed: "3" });
});
