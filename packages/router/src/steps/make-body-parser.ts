import type { Request, RequestHandler } from "express";
import { decodeText } from "../body/media-type.js";
import { checkFieldCount, parseFields, plusToSpace } from "../body/parse-fields.js";
import { parseJson } from "../body/parse-json.js";
import { readBytes } from "../body/read-bytes.js";
import { readMultipart } from "../body/read-multipart.js";
import type {
  BodyParserEntry,
  JsonParserOptions,
  MediaTypes,
  RawParserOptions,
  TextParserOptions,
  UrlencodedParserOptions,
} from "../declaration/body-parser.js";

/** A parser ready to be asked. */
export interface BodyParser {
  /** Whether the content type of a request is one of its own. */
  takes(request: Request): boolean;
  /** Reads the body into `request.body`; an empty one stays `undefined`. */
  readonly read: RequestHandler;
}

/** What a route says of the JSON that it waits for. */
export interface JsonExpectation {
  /** Whether its schema is one of neither object nor list. */
  readonly scalar: boolean;
  /** How many values its bodies may hold, where that is more than the limit. */
  readonly values?: number | undefined;
  /** Whether a class judges the body. */
  readonly isOfClass?: boolean;
}

/** The most values of a JSON body where no limit is configured (contract C59). */
const defaultValues = 10_000;

/** A class of class-validator costs ten times what a schema costs. */
const defaultValuesOfClass = 2_500;

/** Makes a parser of an entry of `bodyParser`. */
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
  const usual = expected.isOfClass === true ? defaultValuesOfClass : defaultValues;
  const values = Math.max(options.values ?? usual, expected.values ?? 0);
  const takesOther = takesType(type ?? ["application/json", "application/*+json"]);
  return {
    takes: (request) =>
      (type === undefined && request.headers["content-type"] === "application/json") || takesOther(request),
    read: parsed(options, (body, request) => parseJson(body, decodeText(request, body), { strict, values, reviver })),
  };
}

function urlencodedParser(options: UrlencodedParserOptions): BodyParser {
  const { type = "application/x-www-form-urlencoded", extended = true, parameterLimit = 1000 } = options;
  return {
    takes: takesType(type),
    read: parsed(options, (body, request) => {
      checkFieldCount(body, parameterLimit);
      const text = decodeText(request, plusToSpace(body));
      return parseFields(new URLSearchParams(text), { extended, parameterLimit });
    }),
  };
}

function rawParser(options: RawParserOptions): BodyParser {
  return { takes: takesType(options.type ?? "application/octet-stream"), read: parsed(options, (body) => body) };
}

function textParser(options: TextParserOptions): BodyParser {
  const { type = "text/plain", defaultCharset } = options;
  return {
    takes: takesType(type),
    read: parsed(options, (body, request) => decodeText(request, body, defaultCharset)),
  };
}

function takesType(type: MediaTypes): (request: Request) => boolean {
  if (typeof type === "function") return type;
  const types = typeof type === "string" ? [type] : [...type];
  return (request) => Boolean(request.is(types));
}

function parsed(options: RawParserOptions, parse: (body: Buffer, request: Request) => unknown): RequestHandler {
  const read = readBytes(options);
  return (request, response, next) =>
    read(request, response, (error?: unknown) => {
      const bytes: unknown = request.body;
      if (error || !Buffer.isBuffer(bytes)) {
        next(error);
        return;
      }
      try {
        request.body = bytes.length === 0 ? undefined : parse(bytes, request);
      } catch (thrown) {
        request.body = undefined;
        next(thrown);
        return;
      }
      next();
    });
}
