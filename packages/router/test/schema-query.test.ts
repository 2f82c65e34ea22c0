import "reflect-metadata";
import { Transform, Type } from "class-transformer";
import {
  IsArray,
  IsBoolean,
  IsDate,
  IsEnum,
  IsIn,
  IsInt,
  IsNumber,
  IsOptional,
  IsString,
  ValidateNested,
} from "class-validator";
import type { RequestHandler } from "express";
import supertest from "supertest";
import { describe, expect, it } from "vitest";
import { z } from "zod";
import { type Schema, ServiceRouter } from "../src/index.js";
import { serve } from "./serve.js";

const reply: RequestHandler = (request, response) => {
  response.json({ query: request.query, params: request.params, body: request.body });
};

const served = (query: Schema) => {
  const router = ServiceRouter();
  router.get({ path: "/list", validation: { query } }, reply as never);
  return supertest(serve((app) => app.use(router)));
};

/** The parsed query of the route; the issues if it is rejected. */
async function read(schema: Schema, query: string): Promise<unknown> {
  const { status, body } = await served(schema).get(`/list?${query}`);
  return status === 200 ? body.query : body.errors.map(({ path }: { path: string }) => path);
}

enum Level {
  Low,
  High,
}

class RangeDto {
  @IsNumber() from!: number;
  @IsOptional() @IsString() unit?: string;
}

class ListDto {
  @IsOptional() @IsString() search?: string;
  @IsOptional() @IsArray() @IsString({ each: true }) tags?: string[];
  @IsOptional() @IsInt({ each: true }) ids?: number[];
  @IsOptional() @IsInt() page?: number;
  @IsOptional() @IsBoolean() open?: boolean;
  @IsOptional() @IsEnum(Level) level?: Level;
  @IsOptional() @IsIn(["1", "2"]) kind?: string;
  @IsOptional() @Transform(({ value }) => value === "true") @IsBoolean() done?: boolean;
  @IsOptional() @Type(() => Date) since?: Date;
  @IsOptional() @IsDate() until?: Date;
  @IsOptional() @ValidateNested() @Type(() => RangeDto) range?: RangeDto;
  @IsOptional() @ValidateNested({ each: true }) @Type(() => RangeDto) ranges?: RangeDto[];
}

const text = z.object({ search: z.string() });
const tags = z.object({ tags: z.array(z.string()) });
const big = z.object({ n: z.bigint().transform((value) => `${value} ${typeof value}`) });

describe("a declared route parses its query by its schema", () => {
  it.each<[string, Schema, string, unknown]>([
    ["digits of a text", text, "search=2024", { search: "2024" }],
    ["a word of a text", text, "search=true", { search: "true" }],
    ["null of a text", text, "search=null", { search: "null" }],
    ["commas of a text", text, "search=a,b", { search: "a,b" }],
    ["quotes around a text", text, 'search="2024"', { search: "2024" }],
    ["a text given twice, which is no text", text, "search=a&search=b", ["/search"]],
    ["a list of one", tags, "tags=a", { tags: ["a"] }],
    ["a list of one number as text", tags, "tags=1", { tags: ["1"] }],
    ["a list with commas", tags, "tags=a,2", { tags: ["a", "2"] }],
    ["a list by repetition", tags, "tags=a&tags=true", { tags: ["a", "true"] }],
    ["a list with brackets", tags, "tags[]=a", { tags: ["a"] }],
    ["an empty list", tags, "tags=", { tags: [] }],
    ["numbers of a list", z.object({ ids: z.array(z.int()) }), "ids=7", { ids: [7] }],
    ["places of a tuple", z.object({ at: z.tuple([z.string(), z.number()]) }), "at=5,5", { at: ["5", 5] }],
    ["a number", z.object({ n: z.number() }), "n=1.50", { n: 1.5 }],
    ["a number with too many digits", z.object({ n: z.number() }), "n=9007199254740993", ["/n"]],
    ["a number with a word", z.object({ n: z.number() }), "n=five", ["/n"]],
    ["an empty number", z.object({ n: z.number() }), "n=", ["/n"]],
    ["a boolean", z.object({ on: z.boolean() }), "on=false", { on: false }],
    ["an enumeration of texts", z.object({ y: z.enum(["2023", "2024"]) }), "y=2024", { y: "2024" }],
    ["an enumeration of numbers", z.object({ y: z.enum(Level) }), "y=1", { y: 1 }],
    ["a literal", z.object({ v: z.literal([1, "two", true]) }), "v=true", { v: true }],
    [
      "optional, default and nullable",
      z.object({ a: z.string().optional(), b: z.string().default("x"), c: z.number().nullable() }),
      "a=1&c=null",
      { a: "1", b: "x", c: null },
    ],
    ["a union of text and list", z.object({ t: z.union([z.string(), z.array(z.string())]) }), "t=2024", { t: "2024" }],
    ["a union with commas", z.object({ t: z.union([z.string(), z.array(z.string())]) }), "t=1,2", { t: ["1", "2"] }],
    [
      "a union of text and number, by the switches",
      z.object({ t: z.union([z.string(), z.number()]) }),
      "t=5",
      { t: 5 },
    ],
    ["a text in quotes in such a union", z.object({ t: z.union([z.string(), z.number()]) }), 't="5"', { t: "5" }],
    [
      "a union of objects",
      z.discriminatedUnion("k", [
        z.object({ k: z.literal("a"), v: z.string() }),
        z.object({ k: z.literal("b"), w: z.number() }),
      ]),
      "k=a&v=1",
      { k: "a", v: "1" },
    ],
    ["a coerced boolean", z.object({ on: z.coerce.boolean() }), "on=false", { on: false }],
    ["a coerced number", z.object({ n: z.coerce.number() }), "n=007", { n: 7 }],
    ["a coerced date", z.object({ d: z.coerce.date() }), "d=2024", { d: "2024-01-01T00:00:00.000Z" }],
    ["a date", z.object({ d: z.date() }), "d=2024-02-29", { d: "2024-02-29T00:00:00.000Z" }],
    ["a moment", z.object({ d: z.date() }), "d=2024-02-29T12:30:00%2B02:00", { d: "2024-02-29T10:30:00.000Z" }],
    ["a moment without an offset", z.object({ d: z.date() }), "d=2024-02-29T12:30", { d: "2024-02-29T12:30:00.000Z" }],
    ["an invalid date", z.object({ d: z.date() }), "d=2023-02-29", ["/d"]],
    ["digits of a date", z.object({ d: z.date() }), "d=2024", ["/d"]],
    ["a date out of bounds", z.object({ d: z.date().min(new Date("2024-01-01")) }), "d=2023-12-31", ["/d"]],
    ["dates of a list", z.object({ d: z.array(z.date()) }), "d=2024-01-01", { d: ["2024-01-01T00:00:00.000Z"] }],
    ["a date or null", z.object({ d: z.date().nullable() }), "d=null", { d: null }],
    [
      "a date in an object",
      z.object({ d: z.object({ gte: z.date() }) }),
      "d[gte]=2024-01-01",
      { d: { gte: "2024-01-01T00:00:00.000Z" } },
    ],
    ["a big integer", big, "n=9007199254740993", { n: "9007199254740993 bigint" }],
    ["a big integer with a fraction", big, "n=1.5", ["/n"]],
    ["a coerced big integer", z.object({ n: z.coerce.bigint().transform(String) }), "n=12", { n: "12" }],
    [
      "a date or text, which is text",
      z.object({ d: z.union([z.date(), z.string()]) }),
      "d=2024-01-01",
      { d: "2024-01-01" },
    ],
    ["what a transform takes", z.object({ n: z.string().transform((value) => value.length) }), "n=2024", { n: 4 }],
    ["a whole that is transformed", text.transform(({ search }) => ({ found: search })), "search=1", { found: "1" }],
    [
      "an object",
      z.object({ f: z.object({ code: z.string(), n: z.number() }) }),
      "f[code]=007&f__n=7",
      { f: { code: "007", n: 7 } },
    ],
    [
      "an object with the names of operators",
      z.object({ p: z.object({ gte: z.string(), in: z.array(z.string()) }) }),
      "p__gte=5&p__in=1",
      { p: { gte: "5", in: ["1"] } },
    ],
    ["keys of a record", z.object({ m: z.record(z.string(), z.string()) }), "m[a]=1", { m: { a: "1" } }],
    [
      "parameters of a list",
      z.object({ limit: z.string(), sort: z.string() }),
      "limit=5&sort=a,-b",
      { limit: "5", sort: "a,-b" },
    ],
    [
      "what the schema leaves open, by its looks",
      z.object({ x: z.any(), y: z.unknown() }),
      "x=5&y=a,2",
      { x: 5, y: ["a", 2] },
    ],
    [
      "what a schema prepares itself, by its looks",
      z.object({ x: z.preprocess((v) => v, z.number()) }),
      "x=5",
      { x: 5 },
    ],
    [
      "keys that the schema does not name, by their looks",
      z.looseObject({ a: z.string() }),
      "a=1&b=1",
      { a: "1", b: 1 },
    ],
  ])("C63 Zod: %s", async (_, schema, query, expected) => {
    expect(await read(schema, query)).toEqual(expected);
  });

  it("C63 Zod: a recursive schema", async () => {
    const Node = z.object({
      name: z.string(),
      get next() {
        return Node.optional();
      },
    });
    expect(await read(Node, "name=1&next[name]=2")).toEqual({ name: "1", next: { name: "2" } });
  });

  it.each<[string, string, unknown]>([
    ["digits of a text", "search=2024", { search: "2024" }],
    ["commas of a text", "search=a,b", { search: "a,b" }],
    ["a list of one", "tags=1", { tags: ["1"] }],
    ["numbers of a list", "ids=7", { ids: [7] }],
    ["a number", "page=2", { page: 2 }],
    ["a boolean", "open=true", { open: true }],
    ["an enumeration", "level=1", { level: 1 }],
    ["a choice", "kind=2", { kind: "2" }],
    ["the text for a transform", "done=true", { done: true }],
    ["a date", "until=2024-02-29", { until: "2024-02-29T00:00:00.000Z" }],
    ["an invalid date", "until=soon", ["/until"]],
    ["a nested class", "range[from]=5&range[unit]=7", { range: { from: 5, unit: "7" } }],
    ["a wrong number", "page=two", ["/page"]],
  ])("C63 class: %s", async (_, query, expected) => {
    expect(await read(ListDto, query)).toEqual(expected);
  });

  it("C63 converts the path, and the fields of a form, by their schemas", async () => {
    const router = ServiceRouter();
    const params = z.object({ id: z.number(), slug: z.string() });
    const day = z.object({ day: z.date().transform((date) => date.getUTCFullYear()) });
    router.get({ path: "/days/:day", validation: { params: day } }, reply as never);
    const body = z.object({
      count: z.number(),
      on: z.boolean().optional(),
      tags: z.array(z.string()),
      note: z.string(),
    });
    router.post(
      {
        path: "/:id/:slug",
        validation: { params, body },
        bodyParser: [{ parser: "urlencoded" }, { parser: "json" }],
      },
      reply as never,
    );
    const agent = supertest(serve((app) => app.use(router)));
    const form = await agent.post("/5/6").type("form").send("count=2&on=true&tags=a&note=7");
    expect(form.body).toEqual({
      query: {},
      params: { id: 5, slug: "6" },
      body: { count: 2, on: true, tags: ["a"], note: "7" },
    });
    expect((await agent.get("/days/2024-02-29")).body.params).toEqual({ day: 2024 });
    const json = await agent.post("/5/6").send({ count: "2", tags: ["a"], note: "7" });
    expect(json.status).toBe(400);
  });

  it("C63 parses the query again for the route that a request falls through to", async () => {
    const router = ServiceRouter();
    router.get({ path: "/:any", validation: { query: z.object({ q: z.number() }) } }, ((
      _q: unknown,
      _s: unknown,
      next: (to: string) => void,
    ) => next("route")) as never);
    router.get({ path: "/list", validation: { query: z.object({ q: z.string() }) } }, reply as never);
    const { body } = await supertest(serve((app) => app.use(router))).get("/list?q=5");
    expect(body.query).toEqual({ q: "5" });
  });
});
