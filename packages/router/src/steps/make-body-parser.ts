import express, { type Request, type RequestHandler } from "express";
import { checkJsonBytes, checkJsonValue, toJsonError } from "../body/check-json.js";
import { charsetOf, checkEncoded, readCharset } from "../body/media-type.js";
import { checkEscapes, checkFieldCount, parseFields, plusToSpace } from "../body/parse-fields.js";
import { readBody, Thrown } from "../body/read-body.js";
import { readMultipart } from "../body/read-multipart.js";
import type {
  BodyParserEntry,
  JsonParserOptions,
  MediaTypes,
  RawParserOptions,
  TextParserOptions,
  UrlencodedParserOptions,
} from "../declaration/body-parser.js";
import type { BodyFormat } from "../declaration/declared-route.js";

/** A parser with its conditions. */
export interface BodyParser {
  /** Whether it accepts the content type of a request. */
  takes(request: Request): boolean;
  /** Reads the body into `request.body`; an empty one stays `undefined`. */
  readonly read: RequestHandler;
}

/** The JSON that a route expects. */
export interface JsonExpectation {
  /** Whether its schema is neither an object nor a list. */
  readonly scalar: boolean;
  /** Maximum number of values in its bodies, if it is above the limit. */
  readonly values?: number | undefined;
  /** Whether a class validates the body. */
  readonly isOfClass?: boolean;
}

/** The default maximum number of values in a JSON body (contract C59). */
export const defaultJsonValues = 10_000;

/** A class of class-validator costs ten times as much as a schema. */
const defaultValuesOfClass = 2_500;

/** Creates a parser from an entry of `bodyParser`. */
export function makeBodyParser(entry: BodyParserEntry, expected: JsonExpectation = { scalar: false }): BodyParser {
  switch (entry.parser) {
    case "json":
      return jsonParser(entry.options ?? {}, expected);
    case "urlencoded":
      return urlencodedParser(entry.options ?? {});
    case "raw":
      return rawParser(entry.options ?? {});
    case "text":
      return textParser(entry.options ?? {});
    case "multipart":
      return { takes: takesType("multipart/form-data"), read: readMultipart(entry.options ?? {}) };
  }
}

function jsonParser(options: JsonParserOptions, expected: JsonExpectation): BodyParser {
  const { type, strict = !expected.scalar, reviver } = options;
  const values = maxValues(options, expected);
  const takesOther = takesType(type ?? ["application/json", "application/*+json"]);
  const own = { strict: false, ...(reviver === undefined ? {} : { reviver: passThrown(reviver) }) };
  const read = readBody((parser) => express.json({ ...parser, ...own }), options, {
    check(bytes) {
      checkEncoded(bytes);
      return checkJsonBytes(bytes, values);
    },
    finish(value, bytes, scan) {
      checkJsonValue(value, bytes, scan, strict);
      return value;
    },
    translate: toJsonError,
  });
  return {
    takes: (request) =>
      (type === undefined && request.headers["content-type"] === "application/json") || takesOther(request),
    read: withCharset(read, (request) => {
      // The only charset of JSON; Express's parser does not accept this name of it.
      if (charsetOf(request) === "utf8") request.headers["content-type"] = "application/json; charset=utf-8";
    }),
  };
}

function maxValues({ values }: JsonParserOptions, expected: JsonExpectation): number {
  const usual = expected.isOfClass === true ? defaultValuesOfClass : defaultJsonValues;
  return Math.max(values ?? usual, expected.values ?? 0);
}

type Reviver = Exclude<JsonParserOptions["reviver"], undefined>;

/** Keeps what a reviver throws apart from errors of the JSON. */
function passThrown(reviver: Reviver): Reviver {
  return function revive(this: unknown, ...args: Parameters<Reviver>) {
    try {
      return Reflect.apply(reviver, this, args) as unknown;
    } catch (error) {
      throw new Thrown(error);
    }
  };
}

/**
 * Express's parser of forms has other rules for names: it merges `a=1&a[b]=2`, and drops `__proto__` where contract C20 requires a
 * 400. So Express reads the bytes, and the names are read as those of multipart forms are.
 */
function urlencodedParser(options: UrlencodedParserOptions): BodyParser {
  const { type = "application/x-www-form-urlencoded", extended = true, parameterLimit = 1000 } = options;
  const read = readBody((parser) => express.raw(parser), options, {
    check(bytes) {
      checkEncoded(bytes);
      checkFieldCount(bytes, parameterLimit);
      checkEscapes(bytes);
    },
    finish: (_value, bytes) =>
      parseFields(new URLSearchParams(plusToSpace(bytes).toString()), { extended, parameterLimit }),
  });
  return { takes: takesType(type), read: withCharset(read) };
}

function rawParser(options: RawParserOptions): BodyParser {
  return {
    takes: takesType(options.type ?? "application/octet-stream"),
    read: readBody((parser) => express.raw(parser), options, {}),
  };
}

function textParser(options: TextParserOptions): BodyParser {
  const { type = "text/plain", defaultCharset } = options;
  const read = readBody((parser) => express.text({ ...parser, defaultCharset: defaultCharset ?? "utf-8" }), options, {
    check: (bytes, request) => checkEncoded(bytes, readCharset(request, defaultCharset)),
  });
  return { takes: takesType(type), read: withCharset(read, undefined, defaultCharset) };
}

/** Checks the charset of a body before it is read. */
function withCharset(read: RequestHandler, rename?: (request: Request) => void, fallback?: string): RequestHandler {
  return (request, response, next) => {
    readCharset(request, fallback);
    rename?.(request);
    read(request, response, next);
  };
}

/** Creates the parser of a further format of a generated route, with the limits of its JSON. */
export function makeFormatParser(
  { type, read: convert }: BodyFormat,
  json: JsonParserOptions = {},
  expected: JsonExpectation = { scalar: false },
): BodyParser {
  const { limit, inflate, verify } = json;
  const options = { limit, inflate, verify };
  const values = maxValues(json, expected);
  const read = readBody((parser) => express.raw(parser), options, { check: (bytes) => checkEncoded(bytes) });
  return {
    takes: takesType(type),
    read: withCharset((request, response, next) =>
      read(request, response, (error?: unknown) => {
        const bytes: unknown = request.body;
        if (error !== undefined || !Buffer.isBuffer(bytes)) return next(error);
        request.body = undefined;
        Promise.resolve()
          .then(() => convert(bytes, request, values))
          .then((value) => {
            request.body = value;
            next();
          }, next);
      }),
    ),
  };
}

function takesType(type: MediaTypes): (request: Request) => boolean {
  if (typeof type === "function") return type;
  const types = typeof type === "string" ? [type] : [...type];
  return (request) => Boolean(request.is(types));
}
