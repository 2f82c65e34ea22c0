import { makeRouteTable, ServiceRouter } from "@servicekit/router";
import { declareRoute } from "@servicekit/router/internal";
import { Type } from "class-transformer";
import { ArrayMaxSize, IsEmail, IsInt, IsOptional, MinLength, ValidateNested } from "class-validator";
import "reflect-metadata";
import express from "express";
import { describe, expect, it } from "vitest";
import { z } from "zod";
import { type DocumentContext, makeDocument } from "../src/index.js";
import { documentOf, expectValid, type Loose, response as reply } from "./document-of.js";

class TagDto {
  @MinLength(1) word!: string;
}

class AddressDto {
  @MinLength(2) city!: string;
}

class CustomerDto {
  @IsEmail() email!: string;
  @IsOptional() @IsInt() age?: number;
  @ValidateNested() @Type(() => AddressDto) address!: AddressDto;
  @ValidateNested({ each: true }) @Type(() => TagDto) @ArrayMaxSize(3) tags!: TagDto[];
}

type OpenApiDefinition = NonNullable<Parameters<typeof makeDocument>[0]["settings"]["options"]["definition"]>;

interface Category {
  name: string;
  children: Category[];
}
const Category: z.ZodType<Category> = z
  .object({ name: z.string(), children: z.lazy(() => z.array(Category)) })
  .meta({ id: "Category" });

it("merges the components of the configuration into those of the routes", async () => {
  const app = express();
  app.use(ServiceRouter().get({ path: "/a" }, () => undefined));
  const components = {
    schemas: { Own: { type: "object" }, Problem: { type: "object", description: "mine" } },
    securitySchemes: { key: { type: "apiKey", in: "header", name: "X-Key" } },
  };
  const document = (await makeDocument({
    table: makeRouteTable(app.router),
    settings: { mode: "prisma", options: { definition: { components } } },
    serverUrl: "/",
    surrounding: { isLimited: () => true, isAuthenticated: true, hasTimeLimit: true },
  })) as Loose;
  expect(document.components.schemas).toMatchObject(components.schemas);
  expect(Object.keys(document.components.securitySchemes)).toEqual(["bearer", "cookie", "key"]);
  expect(Object.keys(document.components.responses).length).toBeGreaterThan(0);
});

it("C72 lists API keys beside tokens if a route accepts them, and leaves unknown schemes to the configuration", async () => {
  const app = express();
  const router = ServiceRouter();
  router.get({ path: "/rows", authentication: true }, () => undefined);
  router.get({ path: "/account", authentication: true }, () => undefined);
  app.use(router);
  const make = async (
    credentialsOf: DocumentContext["credentialsOf"],
    definition: OpenApiDefinition = {},
  ): Promise<Loose> => {
    const document = await makeDocument({
      table: makeRouteTable(app.router),
      settings: { mode: "prisma", options: { definition } },
      serverUrl: "/",
      surrounding: { isLimited: () => true, isAuthenticated: true, hasTimeLimit: true, credentialsOf },
    });
    await expectValid(document);
    return document;
  };
  const keys = await make((route) =>
    route?.config.path === "/account" ? ["bearer", "cookie"] : ["bearer", "cookie", "apiKey"],
  );
  expect(keys.components.securitySchemes).toEqual({
    bearer: { type: "http", scheme: "bearer", description: "An access token (a JWT), or an API key." },
    cookie: { type: "apiKey", in: "cookie", name: "access_token" },
    apiKey: expect.objectContaining({ type: "apiKey", in: "header", name: "X-API-Key" }),
  });
  const securityOf = (document: Loose, path: string) => document.paths[path].get.security ?? document.security;
  expect(securityOf(keys, "/rows")).toEqual([{ bearer: [] }, { cookie: [] }, { apiKey: [] }]);
  expect(securityOf(keys, "/account")).toEqual([{ bearer: [] }, { cookie: [] }]);
  const components = { securitySchemes: { session: { type: "apiKey", in: "cookie", name: "session" } } };
  const own = await make(() => [], { components, security: [{ session: [] }] });
  expect([own.components.securitySchemes, securityOf(own, "/rows")]).toEqual([
    components.securitySchemes,
    [{ session: [] }],
  ]);
});

describe("C47 the document", () => {
  it("is valid OpenAPI 3.1 for an application without a declared route", async () => {
    const { document } = await documentOf(() => undefined);
    expect(document.openapi).toBe("3.1.0");
    expect(document).toMatchObject({
      info: { title: "Test", version: "2.0.0" },
      servers: [{ url: "http://localhost:8000" }],
    });
    await expectValid(document);
  });

  it("uses a declared route's validation as its documentation", async () => {
    const { document, paths, schemas, warnings } = await documentOf((router) => {
      router.post(
        {
          path: "/users/:id",
          validation: {
            params: z.object({ id: z.string().uuid() }),
            query: z.object({ draft: z.boolean().optional(), tags: z.array(z.string()).describe("Words.").optional() }),
            body: z.strictObject({
              email: z.email(),
              born: z.date(),
              big: z.bigint().optional(),
              count: z.string().transform(Number),
              kind: z.discriminatedUnion("type", [
                z.object({ type: z.literal("a"), a: z.int() }),
                z.object({ type: z.literal("b"), b: z.string().nullable() }),
              ]),
              category: Category,
            }),
          },
          experimental: {
            openapi: {
              summary: "Makes a user.",
              description: "At length.",
              tags: ["People"],
              responses: {
                201: z.object({ id: z.string(), at: z.date() }),
                202: { content: z.object({ later: z.boolean() }), description: "Later." },
                203: { description: "A page.", content: { "text/html": { schema: { type: "string" } } } },
                204: { description: "Nothing." },
                205: { type: "object", properties: { plain: { type: "string" } } },
              },
              parameters: [{ name: "X-Trace", in: "header", schema: { type: "string" } }],
            },
          },
        },
        reply,
      );
    });
    await expectValid(document);
    expect(warnings).toEqual([]);
    const operation = paths["/api/users/{id}"]?.post;
    expect(operation).toMatchObject({
      operationId: "postUsersById",
      summary: "Makes a user.",
      description: "At length.",
      tags: ["People"],
      requestBody: {
        required: true,
        content: { "application/json": { schema: { $ref: "#/components/schemas/postUsersByIdBody" } } },
      },
    });
    expect(operation.parameters).toEqual([
      { name: "id", in: "path", required: true, schema: { type: "string", format: "uuid" } },
      { name: "draft", in: "query", required: false, schema: { type: "boolean" } },
      {
        name: "tags",
        in: "query",
        required: false,
        description: "Words.",
        schema: { type: "array", items: { type: "string" }, description: "Words." },
        style: "form",
        explode: false,
      },
      { name: "X-Trace", in: "header", schema: { type: "string" } },
    ]);
    expect(schemas.postUsersByIdBody).toMatchObject({
      type: "object",
      additionalProperties: false,
      required: ["email", "born", "count", "kind", "category"],
      properties: {
        email: { type: "string", format: "email" },
        born: { type: "string", format: "date-time" },
        big: { type: "string", pattern: "^-?\\d+$" },
        count: { type: "string" },
        category: { $ref: "#/components/schemas/Category" },
      },
    });
    expect(schemas.Category).toMatchObject({
      properties: { children: { type: "array", items: { $ref: "#/components/schemas/Category" } } },
    });
    expect(operation.responses).toMatchObject({
      201: {
        content: { "application/json": { schema: { properties: { at: { type: "string", format: "date-time" } } } } },
      },
      202: { description: "Later.", content: { "application/json": { schema: { type: "object" } } } },
      203: { description: "A page.", content: { "text/html": { schema: { type: "string" } } } },
      204: { description: "Nothing." },
      205: { content: { "application/json": { schema: { properties: { plain: { type: "string" } } } } } },
    });
    expect(operation.responses["204"].content).toBeUndefined();
  });

  it("shows DTO classes as components, including nested ones", async () => {
    const { document, paths, schemas } = await documentOf((router) => {
      router.post({ path: "/customers", validation: { body: CustomerDto } }, reply);
      router.patch({ path: "/customers", validation: { body: CustomerDto } }, reply);
    });
    await expectValid(document);
    for (const method of ["post", "patch"]) {
      expect(paths["/api/customers"]?.[method].requestBody.content["application/json"].schema).toEqual({
        $ref: "#/components/schemas/CustomerDto",
      });
    }
    expect(schemas.CustomerDto).toMatchObject({
      type: "object",
      properties: {
        email: { type: "string", format: "email" },
        age: { type: "integer" },
        address: { $ref: "#/components/schemas/AddressDto" },
      },
      required: ["email", "address", "tags"],
    });
    expect(schemas.CustomerDto.properties.tags).toMatchObject({
      type: "array",
      maxItems: 3,
      items: { $ref: "#/components/schemas/TagDto" },
    });
    expect(schemas.TagDto).toMatchObject({ properties: { word: { type: "string", minLength: 1 } } });
    expect(schemas.AddressDto).toMatchObject({ properties: { city: { type: "string", minLength: 2 } } });
  });

  it("leaves out routes that opt out or are disabled", async () => {
    const { paths } = await documentOf((router) => {
      router.get({ path: "/secret", experimental: { openapi: false } }, reply);
      router.get({ path: "/off", disabled: true }, reply);
      router.get({ path: "/on" }, reply);
    });
    expect(Object.keys(paths)).toEqual(["/api/on"]);
  });

  it("documents a schema that cannot be represented as such, with a warning", async () => {
    const { document, warnings, schemas } = await documentOf((router) => {
      const body = z.object({ at: z.custom<Buffer>(() => true), name: z.string(), m: z.map(z.string(), z.string()) });
      router.post({ path: "/odd", validation: { body } }, reply);
    });
    await expectValid(document);
    expect(warnings.sort()).toEqual([
      expect.stringMatching(/postOddBody.*custom.*at/),
      expect.stringMatching(/postOddBody.*map.*m/),
    ]);
    expect(schemas.postOddBody.properties).toMatchObject({
      at: { description: "This value cannot be documented." },
      name: { type: "string" },
    });
  });

  it("gives optional parts of a path an operation each, and wildcards a parameter", async () => {
    const { paths } = await documentOf((router) => {
      router.get({ path: "/files{/:name}" }, reply);
      router.get({ path: "/tree/*rest" }, reply);
    });
    expect(Object.keys(paths)).toEqual(["/api/files", "/api/files/{name}", "/api/tree/{rest}"]);
    expect(paths["/api/files"]?.get.parameters).toBeUndefined();
  });

  it("shows uploads as a form with their limits", async () => {
    const { document, paths, schemas } = await documentOf((router) => {
      router.post(
        {
          path: "/albums",
          validation: { body: z.object({ title: z.string() }) },
          experimental: {
            uploads: {
              type: "fields",
              fields: [
                { name: "cover", maxCount: 1 },
                { name: "pages", maxCount: 9 },
              ],
              maxSize: 10,
            },
          },
        },
        reply,
      );
    });
    await expectValid(document);
    expect(Object.keys(paths["/api/albums"]?.post.requestBody.content)).toEqual(["multipart/form-data"]);
    expect(schemas.postAlbumsForm).toMatchObject({
      properties: {
        title: { type: "string" },
        cover: { type: "string", format: "binary" },
        pages: { type: "array", maxItems: 9, items: { type: "string", format: "binary" } },
      },
      required: ["title"],
    });
  });

  it("lists the body's media types by the route's parsers", async () => {
    const { paths } = await documentOf((router) => {
      const validation = { body: z.object({ a: z.string() }) };
      router.post(
        {
          path: "/form",
          validation,
          bodyParser: [{ parser: "urlencoded" }, { parser: "json", options: { type: "application/x+json" } }],
        },
        reply,
      );
    });
    expect(Object.keys(paths["/api/form"]?.post.requestBody.content)).toEqual([
      "application/x-www-form-urlencoded",
      "application/x+json",
    ]);
  });

  it("C3 lists the errors that can occur, and no others", async () => {
    const { paths, document } = await documentOf((router) => {
      router.get({ path: "/open", queryParser: false }, reply);
      router.post({ path: "/either", authentication: "optional" }, reply);
      router.post(
        { path: "/shut", validation: { body: z.object({}) }, authentication: { resource: "x", action: "Create" } },
        reply,
      );
    }, true);
    const codes = (path: string, method: string) =>
      Object.entries<{ $ref?: string }>(paths[path]?.[method].responses).flatMap(([status, { $ref = "" }]) => {
        const schema = (document as Loose).components.schemas[$ref.split("/").at(-1) ?? ""];
        return (schema?.allOf[1].properties.code.enum ?? []).map((code: string) => `${status} ${code}`);
      });
    expect(codes("/api/open", "get")).toEqual([
      "400 BadRequest",
      ...["GatewayTimeout", "InternalServerError", "NotAcceptable", "TooManyRequests", "UriTooLong"].map(
        (code) => `default ${code}`,
      ),
    ]);
    expect(codes("/api/shut", "post")).toEqual(
      expect.arrayContaining([
        "400 ValidationError",
        "401 Unauthorized",
        "403 CrossSiteRequest",
        "403 Forbidden",
        "default UnsupportedMediaType",
      ]),
    );
    expect(paths["/api/shut"]?.post.security).toEqual([{ bearer: [] }, { cookie: [] }]);
    expect(paths["/api/either"]?.post.security).toEqual([{ bearer: [] }, { cookie: [] }, {}]);
    expect(codes("/api/either", "post").filter((code) => /^40[13]/.test(code))).toEqual([]);
    expect(paths["/api/open"]?.get.security ?? (document as Loose).security).toEqual([]);
  });

  it("uses a generated route's own documentation, its components once", async () => {
    const { document, paths, schemas } = await documentOf((router) => {
      const documentation = () => ({
        summary: "Lists posts.",
        tags: ["Post"],
        parameters: [{ name: "limit", in: "query", schema: { type: "integer" } }],
        responses: {
          "200": {
            description: "Posts.",
            content: { "application/json": { schema: { $ref: "#/components/schemas/Post" } } },
          },
        },
        errors: [{ status: 503, code: "DatabaseUnavailable", description: "The database is away." }],
        components: { Post: { type: "object" } },
      });
      for (const [method, path, operation] of [
        ["get", "/posts", "findMany"],
        ["get", "/posts/:id", "findOne"],
      ] as const) {
        declareRoute(router, {
          method,
          config: { path },
          handlers: [reply as never],
          origin: { place: "the model Post", model: "Post", operation, documentation },
        });
      }
    });
    await expectValid(document);
    expect(paths["/api/posts"]?.get).toMatchObject({
      operationId: "findManyPost",
      summary: "Lists posts.",
      tags: ["Post"],
    });
    expect(schemas.OtherProblem.allOf[1].properties.code.enum).toContain("DatabaseUnavailable");
    expect(Object.keys(schemas)).toEqual(["BadRequestProblem", "OtherProblem", "Post", "Problem"]);
  });
});

describe("C96 experimental.openapi", () => {
  class NoteDto {
    @MinLength(1) text!: string;
  }
  const Note = z.object({ text: z.string(), tags: z.array(z.string()).optional() });
  const json = (schema: unknown) => ({ "application/json": { schema } });
  const noteDto = { $ref: "#/components/schemas/NoteDto" };
  const note = expect.objectContaining({ type: "object", required: ["text"] });

  it.each<[string, object, object]>([
    ["a Zod schema", Note, { content: json(note) }],
    ["a class", NoteDto, { content: json(noteDto) }],
    [
      "a JSON Schema",
      { type: "array", items: { type: "integer" } },
      { content: json(expect.objectContaining({ type: "array" })) },
    ],
    ["a JSON Schema without a type", { minLength: 3 }, { content: json({ minLength: 3 }) }],
    [
      "a Zod schema inside of a JSON Schema",
      { type: "array", items: Note },
      { content: json({ type: "array", items: note }) },
    ],
    [
      "a class deep inside of a JSON Schema",
      { type: "object", properties: { data: { anyOf: [NoteDto, { type: "null" }] } } },
      { content: json({ type: "object", properties: { data: { anyOf: [noteDto, { type: "null" }] } } }) },
    ],
    [
      "a schema with a description",
      { content: Note, description: "A note." },
      { description: "A note.", content: json(note) },
    ],
    ["a class with a description", { content: NoteDto, description: "A note." }, { content: json(noteDto) }],
    [
      "a JSON Schema with a description, and a class inside",
      { content: { type: "object", properties: { note: NoteDto } }, description: "A note." },
      { content: json({ type: "object", properties: { note: noteDto } }) },
    ],
    [
      "the full form",
      {
        description: "A note.",
        content: { "application/json": { schema: Note }, "text/plain": { schema: { type: "string" } } },
      },
      { description: "A note.", content: { ...json(note), "text/plain": { schema: { type: "string" } } } },
    ],
    [
      "the full form with a class inside of a schema, and headers",
      { description: "", content: json({ oneOf: [NoteDto, Note] }), headers: { "X-Pages": { schema: z.int() } } },
      {
        content: json({ oneOf: [noteDto, note] }),
        headers: { "X-Pages": { schema: expect.objectContaining({ type: "integer" }) } },
      },
    ],
    ["a description alone", { description: "Nothing." }, { description: "Nothing." }],
  ])("shows a response that is %s", async (_title, response, shown) => {
    const { document, paths, warnings } = await documentOf((router) => {
      router.get({ path: "/a", experimental: { openapi: { responses: { 200: response as never } } } }, reply);
    });
    expect(paths["/api/a"]?.get.responses["200"]).toMatchObject(shown);
    expect(warnings).toEqual([]);
    await expectValid(document);
  });

  it("shows parameters with schemas of every kind, and merges those of validation", async () => {
    const { document, paths } = await documentOf((router) => {
      router.get(
        {
          path: "/a/:id",
          validation: { query: z.object({ page: z.number().optional(), sort: z.string().optional() }) },
          experimental: {
            openapi: {
              parameters: [
                { name: "X-Tenant", in: "header", required: true, schema: z.uuid() },
                { name: "filter", in: "query", schema: NoteDto },
                { name: "ids", in: "query", schema: { type: "array", items: z.int() } },
                { name: "page", in: "query", description: "From 1." },
                { name: "id", in: "path", description: "Of the note." },
                { name: "sort", in: "query", content: { "application/json": { schema: Note } } },
                { name: "plain", in: "cookie" },
              ],
            },
          },
        },
        reply,
      );
    });
    const shown = paths["/api/a/{id}"]?.get.parameters;
    expect(Object.fromEntries(shown.map(({ name, ...rest }: Loose) => [name, rest]))).toMatchObject({
      "X-Tenant": { in: "header", required: true, schema: { type: "string", format: "uuid" } },
      filter: { schema: noteDto },
      ids: { schema: { type: "array", items: { type: "integer" } } },
      page: { description: "From 1.", schema: { type: "number" } },
      id: { required: true, description: "Of the note.", schema: { type: "string" } },
      sort: { content: json(note) },
      plain: { in: "cookie", schema: { type: "string" } },
    });
    await expectValid(document);
  });

  it("shows a body with schemas of every kind", async () => {
    const { document, paths } = await documentOf((router) => {
      const content = {
        "application/json": { schema: { type: "array", items: NoteDto } },
        "text/csv": { schema: z.string(), example: "a,b" },
      };
      router.post({ path: "/a", experimental: { openapi: { requestBody: { content, required: true } } } }, reply);
    });
    expect(paths["/api/a"]?.post.requestBody).toEqual({
      required: true,
      content: {
        ...json({ type: "array", items: noteDto }),
        "text/csv": { schema: { type: "string" }, example: "a,b" },
      },
    });
    await expectValid(document);
  });
});
