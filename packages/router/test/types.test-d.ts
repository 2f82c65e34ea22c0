import type { Request, RequestHandler, Response } from "express";
import { describe, expectTypeOf, it } from "vitest";
import { z } from "zod";
import { z as mini } from "zod/mini";
import {
  type Caller,
  callerOf,
  type DeclaringVerb,
  type DtoClass,
  type OutputOf,
  type RouteDeclaration,
  type RouteHandler,
  ServiceRouter,
  type TypedHandler,
  type ZodSchema,
} from "../src/index.js";
import { type OperationRights, type RowRights } from "../src/internal.js";
import type { ShapeOf } from "../src/settings.js";

class CreateUser {
  name!: string;
  age?: number;
}

const router = ServiceRouter();
const plain: RequestHandler = (_request, _response, next) => next();

describe("declared routes", () => {
  it("type params by the path, body and query as unknown", () => {
    router.get({ path: "/users/:id" }, (request, response) => {
      expectTypeOf(request.params).toEqualTypeOf<{ id: string }>();
      expectTypeOf(request.body).toEqualTypeOf<unknown>();
      expectTypeOf(request.query).toEqualTypeOf<unknown>();
      expectTypeOf(response).toExtend<Response>();
      // @ts-expect-error the path has no such parameter
      request.params.name;
      // @ts-expect-error no schema defines the body
      request.body.name;
    });
  });

  it("type body, query and params by the schemas' outputs", () => {
    router.post(
      {
        path: "/users/:id",
        validation: {
          body: z.object({ name: z.string(), born: z.string().transform((text) => new Date(text)) }),
          query: z.object({ page: z.number().default(1) }),
          params: z.object({ id: z.string().transform(Number) }),
        },
      },
      (request) => {
        expectTypeOf(request.body).toEqualTypeOf<{ name: string; born: Date }>();
        expectTypeOf(request.query).toEqualTypeOf<{ page: number }>();
        expectTypeOf(request.params).toEqualTypeOf<{ id: number }>();
        // @ts-expect-error the schema has no such field
        request.body.age;
      },
    );
  });

  it("accept zod/mini, classes and both together", () => {
    router.put(
      { path: "/users/:id", validation: { body: CreateUser, query: mini.object({ page: mini.number() }) } },
      (request) => {
        expectTypeOf(request.body).toEqualTypeOf<CreateUser>();
        expectTypeOf(request.query).toEqualTypeOf<{ page: number }>();
        expectTypeOf(request.params).toEqualTypeOf<{ id: string }>();
      },
    );
    router.put({ path: "/users", validation: { body: false } }, (request) => {
      expectTypeOf(request.body).toEqualTypeOf<unknown>();
    });
  });

  it("give middleware the same types, and accept plain middleware anywhere", () => {
    router.patch(
      { path: "/users/:id", validation: { body: z.object({ name: z.string() }), query: z.object({ a: z.number() }) } },
      plain,
      (request, _response, next) => {
        expectTypeOf(request.body).toEqualTypeOf<{ name: string }>();
        next("route");
      },
      [
        plain,
        (request, _response, next) => {
          expectTypeOf(request.params).toEqualTypeOf<{ id: string }>();
          next();
        },
      ],
      (request: Request, response: Response) => {
        response.json(request.params);
      },
      async (request) => {
        expectTypeOf(request.query).toEqualTypeOf<{ a: number }>();
      },
    );
  });

  it("accept every declaration key", () => {
    router.delete(
      {
        path: "/posts/:id",
        disabled: false,
        authentication: { resource: "post", action: "Publish", rule: { roles: ["Admin"], name: "publish", since: 3 } },
        rateLimit: { windowMs: 1000, max: 3, message: "Slow down" },
        experimental: {
          uploads: {
            type: "fields",
            fields: [{ name: "a", maxCount: 1 }],
            allowedFileTypes: /png/,
            attachToBody: false,
          },
          openapi: {
            summary: "x",
            tags: ["a"],
            responses: { 200: z.object({}), 404: { description: "none", content: z.object({}) } },
          },
        },
        queryParser: { parseNumber: false },
        bodyParser: [{ parser: "json", options: { limit: "2mb" } }, { parser: "multipart" }],
        compression: { level: 3 },
      },
      plain,
    );
    router.delete(
      { path: "/a", authentication: true, compression: false, bodyParser: false, queryParser: false },
      plain,
    );
    router.delete({ path: "/c", authentication: "optional" }, (request) => {
      expectTypeOf(callerOf(request)).toEqualTypeOf<Caller | undefined>();
    });
    // @ts-expect-error no word but this one
    router.delete({ path: "/d", authentication: "sometimes" }, plain);
    router.delete(
      { path: "/b", authentication: { resource: "a", action: "b", rule: ["Admin"] }, experimental: { openapi: false } },
      plain,
    );
  });

  it("do not compile if they are invalid", () => {
    // @ts-expect-error the path is missing
    router.get({ validation: {} }, plain);
    // @ts-expect-error a misspelt key
    router.get({ path: "/a", validatoin: { body: z.object({}) } }, plain);
    // @ts-expect-error a misspelt part
    router.get({ path: "/a", validation: { boddy: z.object({}) } }, plain);
    // @ts-expect-error no schema
    router.get({ path: "/a", validation: { body: { name: "string" } } }, plain);
    // @ts-expect-error a rate limit without max
    router.get({ path: "/a", rateLimit: { windowMs: 1 } }, plain);
    // @ts-expect-error an unknown parser
    router.get({ path: "/a", bodyParser: [{ parser: "xml" }] }, plain);
    // @ts-expect-error an option of another parser
    router.get({ path: "/a", bodyParser: [{ parser: "raw", options: { parameterLimit: 1 } }] }, plain);
    // @ts-expect-error a handler of a number
    router.get({ path: "/a" }, 7);
  });

  it("stay Express's own with a plain path", () => {
    router.get("/users/:id", (request, response) => {
      expectTypeOf(request.params.id).toEqualTypeOf<string>();
      response.end();
    });
    router.post(/x/, plain).get(["/a", "/b"], plain, plain).use(plain).use("/x", plain, ServiceRouter());
    router.route("/r").get(plain).post(plain);
    router.param("id", (_request, _response, next) => next());
    expectTypeOf(new ServiceRouter()).toEqualTypeOf<ServiceRouter>();
    expectTypeOf(router.get({ path: "/c" }, plain).post({ path: "/c" }, plain)).toEqualTypeOf<ServiceRouter>();
  });
});

describe("the types of declarations", () => {
  it("the handler gets a schema's output", () => {
    const schema = z.object({ at: z.iso.datetime().transform((text) => new Date(text)) });
    expectTypeOf(schema).toExtend<ZodSchema<{ at: Date }>>();
    expectTypeOf<OutputOf<typeof schema>>().toEqualTypeOf<{ at: Date }>();
    expectTypeOf<OutputOf<DtoClass<CreateUser>>>().toEqualTypeOf<CreateUser>();
    expectTypeOf<OutputOf<false>>().toEqualTypeOf<unknown>();
  });

  it("a handler has the parts of its request, alone or in a list", () => {
    type Handler = TypedHandler<{ id: string }, { q: number }, { name: string }>;
    expectTypeOf<Parameters<Handler>[0]>().toEqualTypeOf<
      Request<{ id: string }, unknown, { name: string }, { q: number }>
    >();
    expectTypeOf<Handler>().toExtend<RouteHandler<{ id: string }, { q: number }, { name: string }>>();
    expectTypeOf<Handler[]>().toExtend<RouteHandler<{ id: string }, { q: number }, { name: string }>>();
    expectTypeOf(plain).toExtend<RouteHandler<{ id: string }, unknown, unknown>>();
  });

  it("a declaration has its path, and a verb its router", () => {
    type Declaration = RouteDeclaration<"/:id", undefined, undefined, undefined>;
    expectTypeOf<Declaration["path"]>().toEqualTypeOf<"/:id">();
    // @ts-expect-error unknown key
    ({ path: "/:id", bodyParsers: false }) satisfies Declaration;
    expectTypeOf<ServiceRouter["get"]>().toEqualTypeOf<DeclaringVerb<ServiceRouter>>();
  });

  it("access settings have operations, and those on rows a row rule", () => {
    ({ login: true, signup: ["ADMIN"] }) satisfies OperationRights<"login" | "signup">;
    // @ts-expect-error unknown operation
    ({ logn: true }) satisfies OperationRights<"login">;
    // @ts-expect-error what has no rows takes no rule of rows
    ({ login: { rule: true, where: () => true } }) satisfies OperationRights<"login">;
    ({ read: { rule: true, where: () => ({ id: 1 }) }, fields: { "*": ["id"] } }) satisfies RowRights<"read">;
  });

  it("an options schema has a schema for each key and no other", () => {
    ({ max: z.int() }) satisfies ShapeOf<{ max?: number }>;
    // @ts-expect-error a key without a schema
    ({}) satisfies ShapeOf<{ max?: number }>;
    // @ts-expect-error a schema without a key
    ({ max: z.int(), min: z.int() }) satisfies ShapeOf<{ max?: number }>;
  });
});
