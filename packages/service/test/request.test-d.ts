import express from "express";
import { expectTypeOf, it } from "vitest";
import { z } from "zod";
import {
  callerOf,
  type Hook,
  type ModelConfig,
  type Request,
  type Response,
  ServiceRouter,
  userIdOf,
} from "../src/index.js";

/** A helper of an application. */
const isStaff = (request: Request): boolean => callerOf(request)?.roles.includes("STAFF") === true;

it("a helper with a Request accepts the requests of handlers with converted values", () => {
  const router = ServiceRouter();
  router.get(
    {
      path: "/:year",
      validation: { params: z.strictObject({ year: z.int() }), query: z.strictObject({ top: z.int().default(10) }) },
    },
    (request, response) => {
      expectTypeOf(request.params.year).toEqualTypeOf<number>();
      response.json({ staff: isStaff(request), user: userIdOf(request), path: request.path });
    },
  );
});

it("a helper with a Request accepts the requests of hooks and row rules", () => {
  const hook: Hook<"beforeCreateOne", { id: number; name: string }> = (request, _response, next) => {
    if (isStaff(request)) request.body.name = "x";
    next();
  };
  const config = {
    auth: { read: false, where: (request) => isStaff(request) || { id: Number(userIdOf(request)) } },
    hooks: { beforeCreateOne: hook, afterFindMany: (request) => void isStaff(request) },
  } satisfies ModelConfig;
  void config;
});

it("a Request is the parameter of Express handlers, too", () => {
  const handler = (request: Request, response: Response): void => {
    response.json({ staff: isStaff(request), id: request.params.id, body: request.body });
  };
  express().get("/:id", handler);
  ServiceRouter().get({ path: "/:id" }, handler);
});
