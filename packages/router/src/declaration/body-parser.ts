import type { IncomingMessage, ServerResponse } from "node:http";
import { z } from "zod";
import { count, handler, type ShapeOf, size } from "./option-values.js";

/** Media types of a parser: names, patterns such as `text/*`, or a function. */
export type MediaTypes = string | readonly string[] | ((request: IncomingMessage) => boolean);

interface ReadOptions {
  /** Maximum size of the inflated body, in bytes or as a string such as `100kb`. @default "1mb" */
  readonly limit?: number | string;
  readonly type?: MediaTypes;
  /** Whether compressed bodies are accepted. @default true */
  readonly inflate?: boolean;
  /** Receives the bytes before they are parsed; an exception rejects the body. */
  readonly verify?: (request: IncomingMessage, response: ServerResponse, body: Buffer, encoding: string) => void;
}

/** Options of the parser of JSON bodies. */
export interface JsonParserOptions extends ReadOptions {
  /** Only objects and lists. @default true, unless the body's schema is one of a scalar */
  readonly strict?: boolean;
  /**
   * Maximum number of values in a body: lists, objects and their contents. @default 10000, 2500 if a class validates
   * them
   */
  readonly values?: number;
  /** The reviver function of `JSON.parse`. */
  readonly reviver?: (key: string, value: unknown) => unknown;
}

/** Options of the parser of `application/x-www-form-urlencoded` bodies. */
export interface UrlencodedParserOptions extends ReadOptions {
  /** Whether `a[b]=c` creates nested objects. @default true */
  readonly extended?: boolean;
  /** @default 1000 */
  readonly parameterLimit?: number;
}

/** Options of the parser that returns the body as a `Buffer`. */
export interface RawParserOptions extends ReadOptions {}

/** Options of the parser that returns the body as a string. */
export interface TextParserOptions extends ReadOptions {
  /** The default charset of a body. @default "utf-8" */
  readonly defaultCharset?: string;
}

/** Options of the parser of `multipart/form-data` bodies. */
export interface MultipartParserOptions {
  /** All text fields together, in bytes or as text. @default "1mb" */
  readonly limit?: number | string;
}

/** One parser of a route. They are tried in order, by the content type of the request. */
export type BodyParserEntry =
  | { readonly parser: "json"; readonly options?: JsonParserOptions }
  | { readonly parser: "urlencoded"; readonly options?: UrlencodedParserOptions }
  | { readonly parser: "raw"; readonly options?: RawParserOptions }
  | { readonly parser: "text"; readonly options?: TextParserOptions }
  | { readonly parser: "multipart"; readonly options?: MultipartParserOptions };

/** `false` does not read the body stream. */
export type BodyParserConfig = readonly BodyParserEntry[] | false;

const reading: ShapeOf<ReadOptions> = {
  limit: size.optional(),
  type: z
    .union([z.string(), z.array(z.string()), handler])
    .meta({ expected: "a media type, a list of them or a function" })
    .optional(),
  inflate: z.boolean().optional(),
  verify: handler.optional(),
};

const json: ShapeOf<JsonParserOptions> = {
  ...reading,
  strict: z.boolean().optional(),
  values: count.optional(),
  reviver: handler.optional(),
};
const urlencoded: ShapeOf<UrlencodedParserOptions> = {
  ...reading,
  extended: z.boolean().optional(),
  parameterLimit: count.optional(),
};
const inText: ShapeOf<TextParserOptions> = { ...reading, defaultCharset: z.string().optional() };
const multipart: ShapeOf<MultipartParserOptions> = { limit: size.optional() };

/** Options of the JSON parser, global or of a route. */
export const jsonParserSchema = z.strictObject(json);

const entry = <Name extends BodyParserEntry["parser"]>(parser: Name, options: z.ZodRawShape) =>
  z.strictObject({ parser: z.literal(parser), options: z.strictObject(options).optional() });

/** The schema of `bodyParser` of a route. */
export const bodyParserSchema = z.union([
  z.literal(false),
  z
    .array(
      z.discriminatedUnion("parser", [
        entry("json", json),
        entry("urlencoded", urlencoded),
        entry("raw", reading),
        entry("text", inText),
        entry("multipart", multipart),
      ]),
    )
    .min(1)
    .meta({ expected: "a list of parsers" }),
]);
