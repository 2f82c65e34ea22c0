import "reflect-metadata";
import { StartupError } from "@servicekit/core";
import { Type } from "class-transformer";
import {
  ArrayMaxSize,
  IsArray,
  IsEmail,
  IsInt,
  IsOptional,
  IsString,
  MinLength,
  registerDecorator,
  ValidateNested,
} from "class-validator";
import { type RequestHandler, Router } from "express";
import request from "supertest";
import { describe, expect, it } from "vitest";
import { z } from "zod";
import { makeValidationStep, type RouteConfig, type RouteOrigin, ServiceRouter } from "../src/index.js";
import { declareRoute } from "../src/internal.js";
import { serve, type Wiring } from "./serve.js";

const echo: RequestHandler = (request, response) => {
  response.json({ body: request.body, query: request.query, params: request.params });
};

const served = (
  validation: RouteConfig["validation"],
  settings?: Parameters<typeof makeValidationStep>[0],
  wiring: Wiring = {},
) =>
  serve((app) => app.use(ServiceRouter().post({ path: "/a/:id", validation } as RouteConfig as never, echo)), {
    route: [makeValidationStep(settings)],
    ...wiring,
  });

it("computes the expected types of declared schemas at startup, and those of models at the first request", async () => {
  const made: string[] = [];
  const later = (name: string) => {
    return z.lazy(() => {
      made.push(name);
      return z.object({ name: z.string() });
    });
  };
  const app = serve((app) => {
    const router = ServiceRouter();
    const declare = (path: string, origin: RouteOrigin): void => {
      const validation = { body: later(origin.place) };
      declareRoute(router, { method: "post", config: { path, validation }, handlers: [echo], origin });
    };
    declare("/orders", { place: "a file" });
    declare("/products", { place: "a model", model: "Product" });
    app.use(router);
  });
  expect(made).toEqual(["a file"]);
  expect((await request(app).post("/products").send({ name: 1 })).status).toBe(400);
  expect([...new Set(made)]).toEqual(["a file", "a model"]);
});

describe("validation by Zod", () => {
  const body = z.strictObject({
    name: z.string().min(2),
    author: z.object({ email: z.email() }),
    tags: z.array(z.string().transform((tag) => tag.toUpperCase())).default([]),
  });
  const app = served({
    body,
    query: z.strictObject({ page: z.number().int().default(1) }),
    params: z.object({ id: z.string().regex(/^\d+$/).transform(Number) }),
  });

  it("sets body, query and params to the schemas' output", async () => {
    const reply = await request(app)
      .post("/a/7")
      .send({ name: "Ann", author: { email: "a@b.co", extra: 1 }, tags: ["x"] });
    expect(reply.body).toEqual({
      body: { name: "Ann", author: { email: "a@b.co" }, tags: ["X"] },
      query: { page: 1 },
      params: { id: 7 },
    });
  });

  it("C3 lists every issue of body, query and params in one 400", async () => {
    const reply = await request(app)
      .post("/a/x?page=1.5&q=1")
      .send({ name: "A", author: {}, tags: ["x", 7], "a/b": 1 });
    expect(reply.status).toBe(400);
    expect(reply.body.code).toBe("ValidationError");
    expect(reply.body.errors.map(({ in: place, path, code }: Record<string, string>) => [place, path, code])).toEqual([
      ["body", "/name", "TooSmall"],
      ["body", "/author/email", "RequiredValue"],
      ["body", "/tags/1", "InvalidType"],
      ["body", "/a~1b", "UnknownField"],
      ["query", "/page", "InvalidType"],
      ["query", "/q", "UnknownField"],
      ["params", "/id", "InvalidFormat"],
    ]);
  });

  it("suggests the nearest known key at a place", async () => {
    const sent = { name: "Ann", nmae: "Ann", zzz: 1, author: { email: "a@b.co" } };
    const reply = await request(app).post("/a/7?paeg=1").send(sent);
    expect(reply.body.errors.map(({ path, message }: Record<string, string>) => `${path} ${message}`)).toEqual([
      "/nmae Unknown key. Did you mean name?",
      "/zzz Unknown key.",
      "/paeg Unknown key. Did you mean page?",
    ]);
  });

  it("requires a body if one is declared", async () => {
    const reply = await request(app).post("/a/7");
    expect(reply.body.errors).toEqual([
      { in: "body", path: "", code: "RequiredValue", message: "A body is required." },
    ]);
    const optional = served({ body: body.optional() });
    expect((await request(optional).post("/a/7")).status).toBe(200);
  });

  it("awaits asynchronous refinements, together with the rest", async () => {
    const app = served({
      body: z.object({ name: z.string().refine(async (name) => name !== "taken", "is taken") }),
      query: z.object({ n: z.number() }),
    });
    for (let round = 0; round < 2; round++) {
      expect((await request(app).post("/a/1?n=1").send({ name: "free" })).body.body).toEqual({ name: "free" });
      const reply = await request(app).post("/a/1?n=x").send({ name: "taken" });
      expect(reply.body.errors.map(({ path, message }: Record<string, string>) => [path, message])).toEqual([
        ["/name", "is taken"],
        ["/n", "Invalid input: expected number, received string"],
      ]);
    }
    expect((await request(app).post("/a/1?n=1")).body.errors[0].code).toBe("RequiredValue");
  });

  it("returns 500 without a text if a validator throws, and logs it", async () => {
    const logged: unknown[] = [];
    for (const throwing of [
      z.object({}).refine(() => {
        throw new Error("secret");
      }),
      z.object({}).refine(async () => {
        throw new Error("secret");
      }),
    ]) {
      const app = served({ body: throwing }, undefined, { log: (error) => logged.push(error) });
      const reply = await request(app).post("/a/1").send({});
      expect([reply.status, reply.text.includes("secret")]).toEqual([500, false]);
    }
    expect(logged).toHaveLength(2);
  });

  it("does not end the process if one part rejects after another has thrown", async () => {
    const app = served({
      body: z.object({}).refine(async () => {
        throw new Error("later");
      }),
      query: z.object({}).superRefine(() => {
        throw new Error("at once");
      }),
    });
    expect((await request(app).post("/a/1").send({})).status).toBe(500);
  });

  it("lists the first hundred errors, and reports that there are more", async () => {
    const app = served({ body: z.array(z.string()) });
    const reply = await request(app)
      .post("/a/1")
      .send(Array.from({ length: 5000 }, () => 1));
    expect(reply.body.errors).toHaveLength(100);
    expect(reply.body.detail).toContain("the first 100 errors are listed");
  });

  it("reports that a valid date is expected for text coerced to a date", async () => {
    const app = served({ body: z.object({ at: z.coerce.date(), on: z.date().optional() }) });
    const { errors } = (await request(app).post("/a/1").send({ at: "tomorrow", on: "2020" })).body;
    expect(errors.map(({ path, code, message }: Record<string, string>) => [path, code, message])).toEqual([
      ["/at", "InvalidType", "Invalid input: expected a valid date"],
      ["/on", "InvalidType", "Invalid input: expected date, received string"],
    ]);
  });

  it("C48 accepts options of the library", async () => {
    const app = served({ body: z.object({ a: z.string() }) }, { validationOptions: { error: () => "own words" } });
    expect((await request(app).post("/a/1").send({ a: 1 })).body.errors[0].message).toBe("own words");
  });

  it("ignores parts that are undeclared or declared as false", async () => {
    const app = served({ body: false });
    expect(
      (
        await request(app)
          .post("/a/1?x=1")
          .send({ any: [1] })
      ).body,
    ).toEqual({ body: { any: [1] }, query: { x: 1 }, params: { id: "1" } });
  });
});

describe("validation by class-validator", () => {
  class Author {
    @IsEmail() email!: string;
  }
  class Book {
    @IsString() @MinLength(2) title!: string;
    @IsOptional() @IsInt() year?: number;
    @ValidateNested() @Type(() => Author) author!: Author;
    @IsOptional() @IsArray() @ArrayMaxSize(2) @ValidateNested({ each: true }) @Type(() => Author) others?: Author[];
    get label() {
      return `${this.title}!`;
    }
  }
  class IdParams {
    @IsInt() @Type(() => Number) id!: number;
  }
  const app = serve((app) =>
    app.use(
      ServiceRouter().post(
        { path: "/a/:id", validation: { body: Book, params: IdParams, query: z.object({ n: z.number().optional() }) } },
        (request, response) => {
          response.json({
            label: request.body.label,
            book: request.body instanceof Book,
            author: request.body.author instanceof Author,
            id: request.params.id,
          });
        },
      ),
    ),
  );

  it("returns instances, and works next to Zod on one route", async () => {
    const reply = await request(app)
      .post("/a/7")
      .send({ title: "Emma", author: { email: "a@b.co" } });
    expect(reply.body).toEqual({ label: "Emma!", book: true, author: true, id: 7 });
  });

  it("C3 lists every issue of all parts, including nested ones", async () => {
    const reply = await request(app)
      .post("/a/x?n=y")
      .send({
        title: "E",
        year: 1.5,
        author: { email: "no" },
        others: [{ email: "a@b.co" }, { email: 1, x: 2 }],
        extra: 1,
      });
    expect(reply.body.errors.map(({ in: place, path, code }: Record<string, string>) => [place, path, code])).toEqual([
      ["body", "/title", "MinLength"],
      ["body", "/year", "IsInt"],
      ["body", "/author/email", "IsEmail"],
      ["body", "/others/1/email", "IsEmail"],
      ["body", "/others/1/x", "UnknownField"],
      ["body", "/extra", "UnknownField"],
      ["query", "/n", "InvalidType"],
      ["params", "/id", "IsInt"],
    ]);
  });

  it("C95 reports keys that every object inherits beside all other errors, in JSON and in forms", async () => {
    const expected = [
      ["/title", "IsString"],
      ["/title", "MinLength"],
      ["/year", "IsInt"],
      ["/nope", "UnknownField"],
      ["/toString", "UnknownField"],
    ];
    const pairs = ({ body }: { body: { errors: { path: string; code: string }[] } }) =>
      body.errors.map(({ path, code }) => [path, code]);
    const json = await request(app).post("/a/7").send({ toString: 1, nope: 1, year: "x", title: 3 });
    expect(pairs(json)).toEqual(expected);
    const urlencoded = serve((app) =>
      app.use(
        ServiceRouter().post(
          { path: "/a/:id", bodyParser: [{ parser: "urlencoded" }], validation: { body: Book } },
          echo,
        ),
      ),
    );
    const form = await request(urlencoded).post("/a/7").type("form").send("toString=1&nope=1&year=x&title=a");
    expect(pairs(form)).toEqual(expected.slice(1));
    const bodyParser = [{ parser: "multipart" as const }];
    const multipart = serve((app) =>
      app.use(ServiceRouter().post({ path: "/a/:id", bodyParser, validation: { body: Book } }, echo)),
    );
    const parts = await request(multipart).post("/a/7").field("nope", "1").field("year", "x").field("title", "a");
    expect(pairs(parts)).toEqual(expected.slice(1, -1));
  });

  it("C95 reports errors of asynchronous checks in the order of the schema, each once", async () => {
    const late = z.string().refine(async () => false, "late");
    const app = served({ body: z.strictObject({ first: late, second: z.int().max(5), list: z.array(late) }) });
    const { errors } = (
      await request(app)
        .post("/a/1")
        .send({ x: 1, list: ["a", 1], second: 1e300, first: "a" })
    ).body;
    expect(errors.map(({ path, code }: Record<string, string>) => [path, code])).toEqual([
      ["/first", "InvalidValue"],
      ["/second", "TooBig"],
      ["/list/0", "InvalidValue"],
      ["/list/1", "InvalidType"],
      ["/x", "UnknownField"],
    ]);
  });

  it("suggests the nearest key of a class, and of a nested one", async () => {
    const sent = { title: "Emma", titel: 1, author: { email: "a@b.co", emial: 1 } };
    const { errors } = (await request(app).post("/a/7").send(sent)).body;
    expect(errors.map(({ path, message }: Record<string, string>) => `${path} ${message}`)).toEqual([
      "/author/emial Unknown key. Did you mean email?",
      "/titel Unknown key. Did you mean title?",
    ]);
  });

  it("reports a missing value once", async () => {
    const reply = await request(app)
      .post("/a/7")
      .send({ author: { email: "a@b.co" } });
    expect(reply.body.errors).toEqual([
      { in: "body", path: "/title", code: "RequiredValue", message: "This is required." },
    ]);
    expect((await request(app).post("/a/7")).body.errors).toEqual([
      { in: "body", path: "", code: "RequiredValue", message: "A body is required." },
    ]);
  });

  it("rejects lists, and names that every object has", async () => {
    for (const [body, path] of [
      [[{ title: "Emma", author: { email: "a@b.co" } }], ""],
      [{ title: "Emma", author: { email: "a@b.co" }, toString: "x" }, "/toString"],
      [{ title: "Emma", author: { email: "a@b.co", constructor: 1 } }, "/author/constructor"],
      [{ title: "Emma", author: [[{ email: "no" }]] }, "/author"],
      [{ title: "Emma", author: "a@b.co" }, "/author"],
    ] as const) {
      const reply = await request(app).post("/a/7").type("json").send(JSON.stringify(body));
      expect([reply.text, reply.status]).toEqual([expect.stringContaining(path), 400]);
    }
  });

  it("C48 accepts options, but none that disables guards", async () => {
    const loose = served(
      { body: Author },
      { validationOptions: { forbidNonWhitelisted: false, forbidUnknownValues: false } },
    );
    expect((await request(loose).post("/a/1").send({ email: "a@b.co", extra: 1 })).body.body).toEqual({
      email: "a@b.co",
    });
    const mixed = served({ body: Author }, { validationOptions: { forbidUnknownValues: false } });
    expect((await request(mixed).post("/a/1").send([1])).status).toBe(400);
  });

  it("passes transformOptions to class-transformer", async () => {
    class Page {
      @IsInt() size!: number;
    }
    const strict = served({ body: Page });
    const converting = served(
      { body: Page },
      { validationOptions: { transformOptions: { enableImplicitConversion: true } } },
    );
    expect((await request(strict).post("/a/1").send({ size: "7" })).status).toBe(400);
    expect((await request(converting).post("/a/1").send({ size: "7" })).body.body).toEqual({ size: 7 });
  });

  it("returns 500 if a validator throws, and awaits asynchronous ones", async () => {
    const check =
      (validate: (value: unknown) => boolean | Promise<boolean>): PropertyDecorator =>
      (target, name) =>
        registerDecorator({
          name: "own",
          target: target.constructor,
          propertyName: String(name),
          validator: { validate, defaultMessage: () => "is taken" },
        });
    class Later {
      @check(async (value) => value !== "taken") name!: string;
    }
    class Throwing {
      @check(() => {
        throw new Error("secret");
      })
      name!: string;
    }
    expect(
      (
        await request(served({ body: Later }))
          .post("/a/1")
          .send({ name: "taken" })
      ).body.errors,
    ).toEqual([{ in: "body", path: "/name", code: "Own", message: "is taken" }]);
    const reply = await request(served({ body: Throwing }))
      .post("/a/1")
      .send({ name: "x" });
    expect([reply.status, reply.text.includes("secret")]).toEqual([500, false]);
  });

  it("rejects a class without decorators at startup", () => {
    class Bare {
      name!: string;
    }
    expect(() => served({ body: Bare })).toThrow(/The class Bare has no class-validator decorator/);
  });
});

describe("validation.strict", () => {
  it("C48 reports each route without a validation block", () => {
    const mount = (validation?: RouteConfig["validation"]) => () => served(validation, { strict: true });
    expect(mount()).toThrow(StartupError);
    expect(mount()).toThrow(/POST \/a\/:id \(.*\): validation\.strict requires a validation block/);
    expect(mount({ body: false })).not.toThrow();
    expect(mount({}), "an empty block").toThrow(StartupError);
  });

  it("C48 reports each plain route of a ServiceRouter, but none of a plain router and of the application", () => {
    const mount = (router: RequestHandler, strict = true) =>
      serve(
        (app) => {
          app.get("/own", echo);
          app.use("/api", router);
        },
        { route: [makeValidationStep({ strict })] },
      );
    const plain = () => ServiceRouter().post("/b", echo).all("/c", echo);
    expect(() => mount(plain())).toThrow(
      /1 error\):\n {2}- POST \/api\/b \(.*validation\.test\.ts:\d+\): validation\.strict requires.*router\.get\(\{ path, validation/,
    );
    expect(() => mount(plain(), false)).not.toThrow();
    expect(() => mount(Router().post("/b", echo))).not.toThrow();
  });
});
