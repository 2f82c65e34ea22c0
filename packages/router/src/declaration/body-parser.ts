import type { IncomingMessage, ServerResponse } from "node:http";
import {
  checkShape,
  type Expectation,
  isBoolean,
  isCount,
  isFunction,
  isPlainObject,
  isSize,
  isString,
  type Shape,
  unknownKey,
} from "./check-shape.js";

/** Media types that a parser takes: names, patterns such as `text/*`, or a function. */
export type MediaTypes = string | readonly string[] | ((request: IncomingMessage) => boolean);

interface ReadOptions {
  /** The largest body after inflation, in bytes or as text such as `100kb`. @default "1mb" */
  readonly limit?: number | string;
  readonly type?: MediaTypes;
  /** Whether compressed bodies are taken. @default true */
  readonly inflate?: boolean;
  /** Sees the bytes before they are parsed; what it throws refuses the body. */
  readonly verify?: (request: IncomingMessage, response: ServerResponse, body: Buffer, encoding: string) => void;
}

export interface JsonParserOptions extends ReadOptions {
  /** Only objects and lists. @default true, unless the body's schema is one of a scalar */
  readonly strict?: boolean;
  readonly reviver?: (key: string, value: unknown) => unknown;
}

export interface UrlencodedParserOptions extends ReadOptions {
  /** Whether `a[b]=c` makes nested objects. @default true */
  readonly extended?: boolean;
  /** @default 1000 */
  readonly parameterLimit?: number;
}

export interface RawParserOptions extends ReadOptions {}

export interface TextParserOptions extends ReadOptions {
  /** The charset of a body that names none. @default "utf-8" */
  readonly defaultCharset?: string;
}

export interface MultipartParserOptions {
  /** The largest text field, in bytes or as text. @default "1mb" */
  readonly limit?: number | string;
}

/** One parser of a route. They are tried in order, by the content type of the request. */
export type BodyParserEntry =
  | { readonly parser: "json"; readonly options?: JsonParserOptions }
  | { readonly parser: "urlencoded"; readonly options?: UrlencodedParserOptions }
  | { readonly parser: "raw"; readonly options?: RawParserOptions }
  | { readonly parser: "text"; readonly options?: TextParserOptions }
  | { readonly parser: "multipart"; readonly options?: MultipartParserOptions };

/** `false` leaves the stream of the request untouched. */
export type BodyParserConfig = readonly BodyParserEntry[] | false;

const isMediaTypes: Expectation = {
  expected: "a media type, a list of them or a function",
  test: (value) =>
    typeof value === "string" ||
    typeof value === "function" ||
    (Array.isArray(value) && value.every((item) => typeof item === "string")),
};
const reading: Shape = { limit: isSize, type: isMediaTypes, inflate: isBoolean, verify: isFunction };
const parsers: Readonly<Record<BodyParserEntry["parser"], Shape>> = {
  json: { ...reading, strict: isBoolean, reviver: isFunction },
  urlencoded: { ...reading, extended: isBoolean, parameterLimit: isCount },
  raw: reading,
  text: { ...reading, defaultCharset: isString },
  multipart: { limit: isSize },
};

/** The faults of a `bodyParser` value, in words. */
export function checkBodyParser(value: unknown): string[] {
  if (value === false) return [];
  if (!Array.isArray(value) || value.length === 0) return ["must be false or a list of parsers."];
  return value.flatMap((entry: unknown, index) => checkEntry(entry).map((fault) => `[${index}]${fault}`));
}

function checkEntry(entry: unknown): string[] {
  const names = Object.keys(parsers);
  if (!isPlainObject(entry)) return [" must be an object with parser and options."];
  const faults = Object.keys(entry)
    .filter((key) => key !== "parser" && key !== "options")
    .map((key) => ` ${unknownKey(key, ["parser", "options"])}`);
  const { parser, options } = entry;
  if (typeof parser !== "string" || !Object.hasOwn(parsers, parser)) {
    return [...faults, `.parser must be one of ${names.join(", ")}.`];
  }
  if (options === undefined) return faults;
  const shape = parsers[parser as BodyParserEntry["parser"]];
  return [
    ...faults,
    ...checkShape(options, shape).map((fault) => `.options${fault.startsWith(".") ? "" : " "}${fault}`),
  ];
}
