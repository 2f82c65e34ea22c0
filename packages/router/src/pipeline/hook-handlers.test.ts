import express, { type RequestHandler } from "express";
import request from "supertest";
import { describe, expect, it } from "vitest";
import { makeErrorHandler } from "../application/error-handler.js";
import { hookHandlers } from "./hook-handlers.js";

/** An application whose only route runs the hooks, then responds. */
function appWith(hooks: unknown) {
  const logged: string[] = [];
  const log = (error: unknown) => logged.push((error as Error).message);
  const app = express();
  app.get("/", ...hookHandlers(hooks, "beforeTest of Thing", log), (_request, response) => {
    response.json({ ran: true });
  });
  app.use(makeErrorHandler());
  return { app, logged };
}

describe("C45 hookHandlers", () => {
  it.each<[string, unknown, number, string[]]>([
    ["no hook", undefined, 200, []],
    ["a hook", ((_q, _s, next) => next()) satisfies RequestHandler, 200, []],
    ["lists in lists", [[(_q: unknown, _s: unknown, next: () => void) => next()], undefined], 200, []],
    [
      "an answer that passes on",
      ((_q, s, next) => {
        s.status(202).end();
        next();
      }) satisfies RequestHandler,
      202,
      [],
    ],
    ["an error", ((_q, _s, next) => next(new Error("x"))) satisfies RequestHandler, 500, []],
    ["next(null)", ((_q, _s, next) => next(null)) satisfies RequestHandler, 200, []],
    ["an error that is falsy", ((_q, _s, next) => next(0)) satisfies RequestHandler, 200, []],
    ["a rejection", (async () => Promise.reject(new Error("x"))) satisfies RequestHandler, 500, []],
    ["the way out", ((_q, _s, next) => next("route")) satisfies RequestHandler, 404, []],
    [
      "a second next",
      ((_q, _s, next) => {
        next();
        next();
      }) satisfies RequestHandler,
      200,
      ["The hook beforeTest of Thing called next twice."],
    ],
    [
      "a throw after the answer",
      ((_q, s) => {
        s.status(204).end();
        throw new Error("late");
      }) satisfies RequestHandler,
      204,
      ["late"],
    ],
  ])("%s", async (_title, hooks, status, messages) => {
    const { app, logged } = appWith(hooks);
    expect((await request(app).get("/")).status).toBe(status);
    expect(logged).toEqual(messages);
  });
});
