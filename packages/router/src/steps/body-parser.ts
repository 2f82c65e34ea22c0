import { httpErrors } from "@servicekit/core";
import type { RequestHandler } from "express";
import { hasBody } from "../body/media-type.js";
import type { BodyParserConfig, JsonParserOptions } from "../declaration/body-parser.js";
import { routeName } from "../declaration/check-route-config.js";
import type { DeclaredRoute } from "../declaration/declared-route.js";
import type { RouteStep } from "../pipeline/route-step.js";
import { isDtoClass, isZodSchema } from "../validation/schema.js";
import { type BodyParser, makeBodyParser, makeFormatParser } from "./make-body-parser.js";

/** The global body parser: JSON options, none, or a handler in its place. */
export type BodyParserSettings = JsonParserOptions | false | RequestHandler;

/**
 * The step of `bodyParser`: a route's own parsers, tried by content type, or the global one. On a declared route a body
 * that none of them accepts is 415 (contract C5).
 */
export function makeBodyParserStep(settings: BodyParserSettings = {}): RouteStep {
  return {
    key: "bodyParser",
    handlers(value, route) {
      if (value === undefined && typeof settings === "function") return [settings];
      const declared = value as BodyParserConfig | undefined;
      const json = settings === false || typeof settings === "function" ? undefined : settings;
      const entries = declared ?? (json === undefined ? false : ([{ parser: "json", options: json }] as const));
      if (entries === false) return declared === false && route !== undefined ? [rejectIfRead(route)] : [];
      const expected = {
        scalar: expectsScalar(route),
        values: route?.origin.bodyValues,
        isOfClass: isDtoClass(route?.config.validation?.body),
      };
      return [
        ...(declared === undefined || route === undefined ? [] : [rejectIfRead(route)]),
        parseBody(
          [
            ...entries.map((entry) => makeBodyParser(entry, expected)),
            ...(route?.origin.bodyFormats ?? []).map((format) => makeFormatParser(format, json, expected)),
          ],
          route,
        ),
      ];
    },
  };
}
/** The declared body options of a route cannot apply after a handler before it has read the body. */
function rejectIfRead(route: DeclaredRoute): RequestHandler {
  return function rejectIfRead(request, _response, next) {
    if (!hasBody(request) || !(request.readableDidRead || request.body !== undefined)) return next();
    next(
      new Error(
        `The body of ${routeName(route)} was read before its bodyParser could apply. Pass the router to use, or mount it before the handler that reads bodies.`,
      ),
    );
  };
}

function parseBody(parsers: readonly BodyParser[], route: DeclaredRoute | undefined): RequestHandler {
  const leavesForms = route?.config.experimental?.uploads !== undefined;
  return function parseBody(request, response, next) {
    if (request.body !== undefined || !hasBody(request) || request.readableDidRead) return next();
    for (const parser of parsers) if (parser.takes(request)) return parser.read(request, response, next);
    if (route === undefined || (leavesForms && request.is("multipart/form-data"))) return next();
    return next(httpErrors.UnsupportedMediaType(undefined, { stack: false }));
  };
}

const scalarTypes: ReadonlySet<string> = new Set(["string", "number", "boolean", "null", "literal", "enum", "bigint"]);

/** Whether the schema of a route's body is a scalar, so that a JSON scalar is accepted. */
function expectsScalar(route: DeclaredRoute | undefined): boolean {
  const schema = route?.config.validation?.body;
  return isZodSchema(schema) && scalarTypes.has(schema._zod.def.type);
}
