import "reflect-metadata";
import { StartError } from "@servicekit/core";
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

it("reads at start what declared schemas expect, and makes those of models with the first request", async () => {
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

  it("puts what the schemas make into body, query and params", async () => {
    const answer = await request(app)
      .post("/a/7")
      .send({ name: "Ann", author: { email: "a@b.co", extra: 1 }, tags: ["x"] });
    expect(answer.body).toEqual({
      body: { name: "Ann", author: { email: "a@b.co" }, tags: ["X"] },
      query: { page: 1 },
      params: { id: 7 },
    });
  });

  it("C3 lists every fault of body, query and params in one 400", async () => {
    const answer = await request(app)
      .post("/a/x?page=1.5&q=1")
      .send({ name: "A", author: {}, tags: ["x", 7], "a/b": 1 });
    expect(answer.status).toBe(400);
    expect(answer.body.code).toBe("ValidationError");
    expect(answer.body.errors.map(({ in: place, path, code }: Record<string, string>) => [place, path, code])).toEqual([
      ["body", "/name", "TooSmall"],
      ["body", "/author/email", "RequiredValue"],
      ["body", "/tags/1", "InvalidType"],
      ["body", "/a~1b", "UnknownField"],
      ["query", "/page", "InvalidType"],
      ["query", "/q", "UnknownField"],
      ["params", "/id", "InvalidFormat"],
    ]);
  });

  it("F42 tells the nearest key that is known at a place", async () => {
    const sent = { name: "Ann", nmae: "Ann", zzz: 1, author: { email: "a@b.co" } };
    const answer = await request(app).post("/a/7?paeg=1").send(sent);
    expect(answer.body.errors.map(({ path, message }: Record<string, string>) => `${path} ${message}`)).toEqual([
      "/nmae This key is not known here; did you mean name?",
      "/zzz This key is not known here.",
      "/paeg This key is not known here; did you mean page?",
    ]);
  });

  it("asks for a body where one is declared", async () => {
    const answer = await request(app).post("/a/7");
    expect(answer.body.errors).toEqual([{ in: "body", path: "", code: "RequiredValue", message: "A body is needed." }]);
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
      const answer = await request(app).post("/a/1?n=x").send({ name: "taken" });
      expect(answer.body.errors.map(({ path, message }: Record<string, string>) => [path, message])).toEqual([
        ["/name", "is taken"],
        ["/n", "Invalid input: expected number, received string"],
      ]);
    }
    expect((await request(app).post("/a/1?n=1")).body.errors[0].code).toBe("RequiredValue");
  });

  it("answers 500 without a text when a validator throws, and logs it", async () => {
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
      const answer = await request(app).post("/a/1").send({});
      expect([answer.status, answer.text.includes("secret")]).toEqual([500, false]);
    }
    expect(logged).toHaveLength(2);
  });

  it("ends no process when one part rejects while another has thrown", async () => {
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

  it("lists the first hundred errors, and says so", async () => {
    const app = served({ body: z.array(z.string()) });
    const answer = await request(app)
      .post("/a/1")
      .send(Array.from({ length: 5000 }, () => 1));
    expect(answer.body.errors).toHaveLength(100);
    expect(answer.body.detail).toContain("the first 100 errors are listed");
  });

  it("says of a text that is coerced to a date that a valid date is expected", async () => {
    const app = served({ body: z.object({ at: z.coerce.date(), on: z.date().optional() }) });
    const { errors } = (await request(app).post("/a/1").send({ at: "tomorrow", on: "2020" })).body;
    expect(errors.map(({ path, code, message }: Record<string, string>) => [path, code, message])).toEqual([
      ["/at", "InvalidType", "Invalid input: expected a valid date"],
      ["/on", "InvalidType", "Invalid input: expected date, received string"],
    ]);
  });

  it("C48 takes options of the library", async () => {
    const app = served({ body: z.object({ a: z.string() }) }, { validationOptions: { error: () => "own words" } });
    expect((await request(app).post("/a/1").send({ a: 1 })).body.errors[0].message).toBe("own words");
  });

  it("leaves alone what is not declared or declared as false", async () => {
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

  it("gives instances, and stands beside Zod on one route", async () => {
    const answer = await request(app)
      .post("/a/7")
      .send({ title: "Emma", author: { email: "a@b.co" } });
    expect(answer.body).toEqual({ label: "Emma!", book: true, author: true, id: 7 });
  });

  it("C3 lists every fault of all parts, nested ones too", async () => {
    const answer = await request(app)
      .post("/a/x?n=y")
      .send({
        title: "E",
        year: 1.5,
        author: { email: "no" },
        others: [{ email: "a@b.co" }, { email: 1, x: 2 }],
        extra: 1,
      });
    expect(answer.body.errors.map(({ in: place, path, code }: Record<string, string>) => [place, path, code])).toEqual([
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

  it("F42 tells the nearest key of a class, and of one inside of it", async () => {
    const sent = { title: "Emma", titel: 1, author: { email: "a@b.co", emial: 1 } };
    const { errors } = (await request(app).post("/a/7").send(sent)).body;
    expect(errors.map(({ path, message }: Record<string, string>) => `${path} ${message}`)).toEqual([
      "/author/emial This key is not known here; did you mean email?",
      "/titel This key is not known here; did you mean title?",
    ]);
  });

  it("tells a missing value once", async () => {
    const answer = await request(app)
      .post("/a/7")
      .send({ author: { email: "a@b.co" } });
    expect(answer.body.errors).toEqual([
      { in: "body", path: "/title", code: "RequiredValue", message: "This is required." },
    ]);
    expect((await request(app).post("/a/7")).body.errors).toEqual([
      { in: "body", path: "", code: "RequiredValue", message: "A body is needed." },
    ]);
  });

  it("refuses lists, and names that every object has", async () => {
    for (const [body, path] of [
      [[{ title: "Emma", author: { email: "a@b.co" } }], ""],
      [{ title: "Emma", author: { email: "a@b.co" }, toString: "x" }, "/toString"],
      [{ title: "Emma", author: { email: "a@b.co", constructor: 1 } }, "/author/constructor"],
      [{ title: "Emma", author: [[{ email: "no" }]] }, "/author"],
      [{ title: "Emma", author: "a@b.co" }, "/author"],
    ] as const) {
      const answer = await request(app).post("/a/7").type("json").send(JSON.stringify(body));
      expect([answer.text, answer.status]).toEqual([expect.stringContaining(path), 400]);
    }
  });

  it("C48 takes options, but none that opens what guards", async () => {
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

  it("F27 hands transformOptions to class-transformer", async () => {
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

  it("answers 500 when a validator throws, and awaits those that take their time", async () => {
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
    const answer = await request(served({ body: Throwing }))
      .post("/a/1")
      .send({ name: "x" });
    expect([answer.status, answer.text.includes("secret")]).toEqual([500, false]);
  });

  it("refuses a class without decorators at start", () => {
    class Bare {
      name!: string;
    }
    expect(() => served({ body: Bare })).toThrow(/The class Bare has no class-validator decorator/);
  });
});

describe("validation.strict", () => {
  it("C48 names each route without a validation block", () => {
    const mount = (validation?: RouteConfig["validation"]) => () => served(validation, { strict: true });
    expect(mount()).toThrow(StartError);
    expect(mount()).toThrow(/POST \/a\/:id \(.*\): validation\.strict asks for a validation block/);
    expect(mount({ body: false })).not.toThrow();
    expect(mount({}), "F27 says nothing").toThrow(StartError);
  });

  it("F27 C48 names each plain route of a ServiceRouter, but none of a plain router and of the application", () => {
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
      /1 fault\):\n {2}- POST \/api\/b \(.*validation\.test\.ts:\d+\): validation\.strict asks.*router\.get\(\{ path, validation/,
    );
    expect(() => mount(plain(), false)).not.toThrow();
    expect(() => mount(Router().post("/b", echo))).not.toThrow();
  });
});
