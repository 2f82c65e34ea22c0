import { describe, expect, it } from "vitest";
import { z } from "zod";
import { checkRouteConfig } from "./check-route-config.js";
import type { DeclaredRoute } from "./declaration/declared-route.js";
import type { RouteConfig } from "./declaration/route-config.js";

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

function faults(config: object, path = "/a/:id"): string[] {
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
    { authentication: { resource: "post", action: "Publish", rule: ["*"] } },
    { authentication: { resource: "post", action: "Publish", rule: { roles: [], name: "x", anything: 1 } } },
    { validation: { body: z.object({}), query: class Dto {}, params: false } },
    { validation: { params: z.object({ id: z.string() }) } },
    { rateLimit: { windowMs: 1, max: 1, message: "x" } },
    { experimental: { uploads: { type: "single", field: "a" }, openapi: false } },
    {
      experimental: {
        uploads: { type: "array", field: "a", maxCount: 3, allowedFileTypes: ["png"], attachToBody: false },
      },
    },
    { experimental: { uploads: { type: "fields", fields: [{ name: "a", maxCount: 1 }, { name: "b" }] } } },
    { experimental: { openapi: { summary: "a", responses: { 200: {}, "4XX": {}, default: {} }, parameters: [] } } },
    {
      bodyParser: [
        { parser: "json", options: { limit: "1.5mb", strict: false, type: ["a/b"] } },
        { parser: "multipart" },
      ],
    },
    { compression: { level: 9, threshold: "2kb", filter: () => true, memLevel: 1, strategy: 0, chunkSize: 1024 } },
    { queryParser: { parseArray: false } },
  ])("takes %j", (config) => {
    expect(faults(config)).toEqual([]);
  });

  it.each<[object, string]>([
    [{ ratelimit: {} }, "The declaration has the unknown key ratelimit; did you mean rateLimit?"],
    [{ zzzzzzzzzzzz: 1 }, "The declaration has the unknown key zzzzzzzzzzzz; known are path,"],
    [
      { experimental: { upload: {} } },
      "The declaration has the unknown key experimental.upload; did you mean experimental.uploads?",
    ],
    [{ experimental: true }, "experimental must be an object."],
    [{ disabled: "yes" }, "disabled must be true or false."],
    [{ authentication: "admin" }, "authentication must be true, false or an object with resource and action."],
    [{ authentication: { resource: "a" } }, "authentication.action is missing."],
    [
      { authentication: { resource: "a", action: "b", rule: "Admin" } },
      "authentication.rule must be a list of roles or an object with roles.",
    ],
    [{ authentication: { resource: "a", action: "b", rule: [7] } }, "authentication.rule must be"],
    [
      { authentication: { resource: "a", action: "b", role: [] } },
      "authentication has the unknown key role; did you mean rule?",
    ],
    [{ validation: z.object({}) }, "validation must be an object with schemas"],
    [{ validation: { body: { a: "string" } } }, "validation.body must be a Zod schema"],
    [{ validation: { body: () => true } }, "validation.body must be a Zod schema"],
    [{ validation: { headers: z.object({}) } }, "validation has the unknown part headers"],
    [{ validation: { params: z.object({ ident: z.string() }) } }, "The path has :id, which validation.params lacks."],
    [{ rateLimit: { windowMs: 0, max: 1 } }, "rateLimit.windowMs must be a whole number of at least 1."],
    [
      { rateLimit: { windowMs: 1, limit: 1 } },
      "rateLimit has the unknown key limit; known are windowMs, max, message.",
    ],
    [{ rateLimit: { windowMs: 1 } }, "rateLimit.max is missing."],
    [{ rateLimit: false }, "rateLimit must be an object."],
    [{ bodyParser: [] }, "bodyParser must be false or a list of parsers."],
    [{ bodyParser: true }, "bodyParser must be false or a list of parsers."],
    [{ bodyParser: ["json"] }, "bodyParser[0] must be an object with parser and options."],
    [
      { bodyParser: [{ parser: "xml" }] },
      "bodyParser[0].parser must be one of json, urlencoded, raw, text, multipart.",
    ],
    [
      { bodyParser: [{ parser: "json" }, { parser: "raw", options: { limit: "much" } }] },
      "bodyParser[1].options.limit must be a number of bytes or a text such as 1mb.",
    ],
    [
      { bodyParser: [{ parser: "raw", options: { parameterLimit: 1 } }] },
      "bodyParser[0].options has the unknown key parameterLimit",
    ],
    [
      { bodyParser: [{ parser: "json", option: {} }] },
      "bodyParser[0] has the unknown key option; did you mean options?",
    ],
    [{ compression: { level: 10 } }, "compression.level must be a whole number from -1 to 9."],
    [{ compression: "gzip" }, "compression must be an object."],
    [
      { queryParser: { parseNumbers: true } },
      "queryParser has the unknown key parseNumbers; did you mean parseNumber?",
    ],
    [{ queryParser: true }, "queryParser must be an object."],
    [
      { experimental: { uploads: { type: "single" } } },
      "experimental.uploads.field is missing, which type single needs.",
    ],
    [
      { experimental: { uploads: { type: "fields" } } },
      "experimental.uploads.fields is missing, which type fields needs.",
    ],
    [
      { experimental: { uploads: { type: "single", field: "a", maxCount: 2 } } },
      "experimental.uploads.maxCount belongs to type array only.",
    ],
    [{ experimental: { uploads: { field: "a" } } }, "experimental.uploads.type is missing."],
    [
      { experimental: { openapi: { responses: { ok: {} } } } },
      "experimental.openapi.responses must be an object keyed by status code.",
    ],
    [
      { bodyParser: false, validation: { body: z.object({}) } },
      "bodyParser: false leaves no body for validation.body to check.",
    ],
    [
      { bodyParser: false, experimental: { uploads: { type: "single", field: "a" } } },
      "bodyParser: false contradicts experimental.uploads",
    ],
    [
      { bodyParser: [{ parser: "multipart" }], experimental: { uploads: { type: "single", field: "a" } } },
      "The parser multipart drops the files",
    ],
  ])("refuses %j", (config, message) => {
    const found = faults(config);
    expect(
      found.some((fault) => fault.startsWith(message)),
      found.join("\n"),
    ).toBe(true);
  });

  it("finds every parameter of the path that the schema lacks, wildcards too", () => {
    expect(faults({ validation: { params: z.strictObject({ b: z.string() }) } }, "/:a/:b-:c{/:d}/*e/\\:f")).toEqual([
      "The path has :a, which validation.params lacks.",
      "The path has :c, which validation.params lacks.",
      "The path has :d, which validation.params lacks.",
      "The path has :e, which validation.params lacks.",
    ]);
  });

  it("says that nothing serves a known key", () => {
    const route: DeclaredRoute = {
      method: "GET",
      path: "/",
      config: { path: "/", authentication: true },
      handlers: [],
      origin: { place: "p" },
    };
    expect(checkRouteConfig(route, new Set(["path"]))).toEqual([
      { where: "GET / (p)", message: "authentication is declared, but nothing here serves it." },
    ]);
  });
});
