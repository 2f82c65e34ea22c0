import { describe, expect, it } from "vitest";
import { z } from "zod";
import { checkRouteConfig } from "./check-route-config.js";
import type { DeclaredRoute } from "./declared-route.js";
import type { RouteConfig } from "./route-config.js";

const served = new Set([
  "path",
  "disabled",
  "authentication",
  "validation",
  "rateLimit",
  "experimental.uploads",
  "experimental.openapi",
  "queryParser",
  "bodyParser",
  "compression",
]);

function issues(config: object, path = "/a/:id"): string[] {
  const route: DeclaredRoute = {
    method: "GET",
    path,
    config: { path, ...config } as RouteConfig,
    handlers: [],
    origin: { place: "here:1" },
  };
  return checkRouteConfig(route, served).map(({ message }) => message);
}

describe("checkRouteConfig", () => {
  it.each<object>([
    {},
    { disabled: false, authentication: true, compression: true, bodyParser: false, queryParser: false },
    { authentication: "optional" },
    { authentication: { resource: "post", action: "Publish", rule: ["*"] } },
    { authentication: { resource: "post", action: "Publish", rule: { roles: [], name: "x", anything: 1 } } },
    { validation: { body: z.object({}), query: class Dto {}, params: false } },
    { validation: { params: z.object({ id: z.string() }) } },
    { rateLimit: { windowMs: 1, max: 1, message: "x" } },
    { rateLimit: { windowMs: 1, limit: 1 } },
    { path: "{/:lang}/a/:id" },
    { experimental: { uploads: { type: "single", field: "a" }, openapi: false } },
    {
      experimental: {
        uploads: { type: "array", field: "a", maxCount: 3, allowedFileTypes: ["png"], attachToBody: false },
      },
    },
    { experimental: { uploads: { type: "fields", fields: [{ name: "a", maxCount: 1 }, { name: "b" }] } } },
    {
      experimental: {
        uploads: {
          type: "single",
          field: "a",
          allowedFileTypes: [".png", "PDF", "image/*", "image/svg+xml", "7z", ".text", "dwg"],
        },
      },
    },
    { experimental: { openapi: { summary: "a", responses: { 200: {}, "4XX": {}, default: {} }, parameters: [] } } },
    {
      bodyParser: [
        { parser: "json", options: { limit: "1.5mb", strict: false, type: ["a/b"] } },
        { parser: "multipart" },
      ],
    },
    { compression: { level: 9, threshold: "2kb", filter: () => true, memLevel: 1, strategy: 0, chunkSize: 1024 } },
    { queryParser: { parseArray: false } },
  ])("accepts %j", (config) => {
    expect(issues(config)).toEqual([]);
  });

  // The forms of experimental.openapi (C96).
  it.each<[object, string]>([
    [{ ratelimit: {} }, "ratelimit: Unknown key. Did you mean rateLimit?"],
    [{ zzzzzzzzzzzz: 1 }, "zzzzzzzzzzzz: Unknown key; expected one of: path,"],
    [{ experimental: { upload: {} } }, "experimental.upload: Unknown key. Did you mean uploads?"],
    [{ experimental: true }, "experimental: found true, expected an object."],
    [{ disabled: "yes" }, 'disabled: found "yes" (text), expected true or false.'],
    [
      { authentication: "admin" },
      'authentication: found "admin" (text), expected true, false, "optional" or an object with resource and action.',
    ],
    [{ authentication: { resource: "a" } }, "authentication.action: found nothing, expected a non-empty string."],
    [
      { authentication: { resource: "a", action: "b", rule: "Admin" } },
      'authentication.rule: found "Admin" (text), expected a list of roles or an object with roles.',
    ],
    [
      { authentication: { resource: "a", action: "b", rule: [7] } },
      "authentication.rule.0: found 7 (a number), expected a non-empty string.",
    ],
    [
      { authentication: { resource: "a", action: "b", role: [] } },
      "authentication.role: Unknown key. Did you mean rule?",
    ],
    [
      { validation: z.object({}) },
      "validation: found an object of the class ZodObject, expected an object with schemas",
    ],
    [{ validation: { body: { a: "string" } } }, "validation.body: found "],
    [{ validation: { body: () => true } }, "validation.body: found "],
    [
      { validation: { headers: z.object({}) } },
      "validation.headers: Unknown key; expected one of: body, query, params.",
    ],
    [
      { validation: { params: z.object({ ident: z.string() }) } },
      "The path has :id, which is missing in validation.params.",
    ],
    [
      { rateLimit: { windowMs: 0, max: 1 } },
      "rateLimit.windowMs: found 0 (a number), expected an integer number of milliseconds.",
    ],
    [
      { rateLimit: { windowMs: 1, limit: 1, max: 2 } },
      "rateLimit.max: limit and max are the same setting. Remove one of them.",
    ],
    ...(
      [
        [{ responses: { 200: "OK" } }, 'responses.200: found "OK" (text), expected a schema, { content, description }'],
        [{ responses: { 200: [z.string()] } }, "responses.200: found a list"],
        [{ responses: { 200: null } }, "responses.200: found "],
        [
          { responses: { 200: { contents: z.object({}) } } },
          "responses.200.contents: Unknown key. Did you mean content?",
        ],
        [
          { responses: { 200: { descripton: "x" } } },
          "responses.200.descripton: Unknown key. Did you mean description?",
        ],
        [{ responses: { 200: { description: 1 } } }, "responses.200.description: found 1 (a number), expected a text."],
        [
          { responses: { 200: { description: "x", schema: z.object({}) } } },
          "responses.200.schema: Unknown key. Did you mean contentSchema?",
        ],
        [{ responses: { 200: { content: "text" } } }, "responses.200.content: found "],
        [
          { responses: { 200: { content: { json: { schema: {} } } } } },
          "responses.200.content.json: Unknown key; expected one of: type,",
        ],
        [
          { responses: { 200: { content: { "application/json": z.object({}) } } } },
          "responses.200.content.application/json: found an object of the class ZodObject, expected an object with schema.",
        ],
        [
          { responses: { 200: { content: { "application/json": { schma: {} } } } } },
          "responses.200.content.application/json.schma: Unknown key. Did you mean schema?",
        ],
        [{ responses: { 200: { type: "text" } } }, 'responses.200.type: found "text" (text), expected one of null,'],
        [
          { responses: { 200: { type: "object", propertys: {} } } },
          "responses.200.propertys: Unknown key. Did you mean properties?",
        ],
        [
          { responses: { 200: { type: "object", properties: { a: "string" } } } },
          'responses.200.properties.a: found "string" (text), expected a Zod schema, a DTO class or a JSON Schema.',
        ],
        [{ response: {} }, "response: Unknown key. Did you mean responses?"],
        [
          { parameters: [z.object({ q: z.string() })] },
          "parameters.0: found an object of the class ZodObject, expected a parameter",
        ],
        [{ parameters: [class Dto {}] }, "parameters.0: found "],
        [{ parameters: { q: z.string() } }, "parameters: found "],
        [{ parameters: [{ in: "query" }] }, "parameters.0.name: found nothing, expected the name of the parameter."],
        [{ parameters: [{ name: "q", in: "body" }] }, "parameters.0.in: found "],
        [
          { parameters: [{ name: "q", in: "query", scheme: {} }] },
          "parameters.0.scheme: Unknown key. Did you mean schema?",
        ],
        [{ parameters: [{ name: "ident", in: "path" }] }, "parameters.0.name: The path has no :ident."],
        [{ parameters: [{ name: "id", in: "path", required: false }] }, "parameters.0.required: A path parameter"],
        [{ parameters: [{ name: "q", in: "query", schema: "string" }] }, "parameters.0.schema: found "],
        [
          { parameters: [{ name: "q", in: "query", schema: {}, content: {} }] },
          "parameters.0.content: A parameter has",
        ],
        [{ requestBody: z.object({}) }, "requestBody: found "],
        [
          { requestBody: { content: { json: {} } } },
          "requestBody.content.json: found an object, expected a media type",
        ],
        [{ requestBody: { content: { "a/b": { schema: "x" } } } }, "requestBody.content.a/b.schema: found "],
        [{ requestBody: { content: {}, require: true } }, "requestBody.require: Unknown key. Did you mean required?"],
      ] as [object, string][]
    ).map(([openapi, message]): [object, string] => [{ experimental: { openapi } }, `experimental.openapi.${message}`]),
    ...["*", "*.png", "image/", "*/*", "image/*.png", "png,jpg", "a/b/c", "png jpg"].map((type): [object, string] => [
      { experimental: { uploads: { type: "single", field: "a", allowedFileTypes: ["pdf", type] } } },
      `experimental.uploads.allowedFileTypes.1: found ${JSON.stringify(type)} (text), expected an extension such as "png", or a MIME type such as "image/png" or "image/*".`,
    ]),
    ...(
      [
        ["image", "image/*"],
        [" Video ", "video/*"],
        ["images", "image/*"],
        ["documents", "pdf"],
        ["image/jpg", "image/jpeg"],
      ] as const
    ).map(([type, meant]): [object, string] => [
      { experimental: { uploads: { type: "single", field: "a", allowedFileTypes: ["pdf", type] } } },
      `experimental.uploads.allowedFileTypes: ${JSON.stringify(type)} matches no file. Did you mean "${meant}"?`,
    ]),
    [{ rateLimit: { windowMs: 1 } }, "rateLimit.max: is missing"],
    [{ rateLimit: false }, "rateLimit: found false, expected an object."],
    [{ bodyParser: [] }, "bodyParser: found "],
    [{ bodyParser: true }, "bodyParser: found "],
    [{ bodyParser: ["json"] }, 'bodyParser.0: found "json" (text), expected an object.'],
    [
      { bodyParser: [{ parser: "xml" }] },
      'bodyParser.0.parser: found "xml" (text), expected "json", "urlencoded", "raw", "text" or "multipart".',
    ],
    [
      { bodyParser: [{ parser: "json" }, { parser: "raw", options: { limit: "much" } }] },
      'bodyParser.1.options.limit: found "much" (text), expected a number of bytes or a string such as 1mb.',
    ],
    [
      { bodyParser: [{ parser: "raw", options: { parameterLimit: 1 } }] },
      "bodyParser.0.options.parameterLimit: Unknown key",
    ],
    [{ bodyParser: [{ parser: "json", option: {} }] }, "bodyParser.0.option: Unknown key. Did you mean options?"],
    [{ compression: { level: 10 } }, "compression.level: found 10 (a number), expected an integer from -1 to 9."],
    [{ compression: { strategy: 99 } }, "compression.strategy: found 99 (a number), expected an integer from 0 to 4."],
    [{ compression: "gzip" }, 'compression: found "gzip" (text), expected true, false or an object.'],
    [{ queryParser: { parseNumbers: true } }, "queryParser.parseNumbers: Unknown key. Did you mean parseNumber?"],
    [{ queryParser: true }, "queryParser: found true, expected false or an object."],
    [
      { experimental: { uploads: { type: "single" } } },
      "experimental.uploads.field: is missing. Type single requires it.",
    ],
    [
      { experimental: { uploads: { type: "fields" } } },
      "experimental.uploads.fields: is missing. Type fields requires it.",
    ],
    [
      { experimental: { uploads: { type: "single", field: "a", maxCount: 2 } } },
      "experimental.uploads.maxCount: is only allowed with type array.",
    ],
    [
      { experimental: { uploads: { field: "a" } } },
      'experimental.uploads.type: found nothing, expected "single", "array" or "fields".',
    ],
    [
      { experimental: { openapi: { responses: { ok: {} } } } },
      "experimental.openapi.responses.ok: This is not a status code such as 200, 4XX or default.",
    ],
    [
      { bodyParser: false, validation: { body: z.object({}) } },
      "bodyParser: false leaves validation.body nothing to validate.",
    ],
    [
      { bodyParser: false, experimental: { uploads: { type: "single", field: "a" } } },
      "bodyParser: false contradicts experimental.uploads",
    ],
    [
      { bodyParser: [{ parser: "multipart" }], experimental: { uploads: { type: "single", field: "a" } } },
      "The parser multipart discards the files",
    ],
  ])("rejects %j", (config, message) => {
    const found = issues(config);
    expect(
      found.some((issue) => issue.startsWith(message)),
      found.join("\n"),
    ).toBe(true);
  });

  it("reports a path without a leading slash, which no request would match", () => {
    expect(issues({ path: "a/:id" })).toEqual([
      'path: found "a/:id", which matches no request. Did you mean "/a/:id"?',
    ]);
  });

  it("finds every path parameter that the schema lacks, including wildcards", () => {
    expect(issues({ validation: { params: z.strictObject({ b: z.string() }) } }, "/:a/:b-:c{/:d}/*e/\\:f")).toEqual([
      "The path has :a, which is missing in validation.params.",
      "The path has :c, which is missing in validation.params.",
      "The path has :d, which is missing in validation.params.",
      "The path has :e, which is missing in validation.params.",
    ]);
  });

  it("reports that no step serves a known key", () => {
    const route: DeclaredRoute = {
      method: "GET",
      path: "/",
      config: { path: "/", authentication: true },
      handlers: [],
      origin: { place: "p" },
    };
    expect(checkRouteConfig(route, new Set(["path"]))).toEqual([
      {
        where: "GET / (p)",
        message:
          'authentication is declared, but this application has no step for it. Mount the router in a service, or pass a step for "authentication" to mountRoutes.',
      },
    ]);
  });
});
