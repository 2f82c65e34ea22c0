import type { ServerResponse } from "node:http";
import type { Application } from "express";

/** The application settings that change the JSON output of `response.json`. */
export interface JsonFormat {
  readonly replacer: ((this: unknown, key: string, value: unknown) => unknown) | (string | number)[] | undefined;
  readonly spaces: string | number | undefined;
  readonly isEscaped: boolean;
}

/**
 * The format of `json replacer`, `json spaces` and `json escape` of an application; `undefined` if none of them is set.
 *
 * @param response of a request that Express has received
 */
export function jsonFormatOf(response: ServerResponse): JsonFormat | undefined {
  const { app } = response as ServerResponse & { app?: Application };
  if (app === undefined) return undefined;
  const replacer = app.get("json replacer") ?? undefined;
  const spaces = app.get("json spaces") ?? undefined;
  const isEscaped = Boolean(app.get("json escape"));
  return replacer === undefined && spaces === undefined && !isEscaped ? undefined : { replacer, spaces, isEscaped };
}

/** JSON of any value; numbers that JSON cannot represent become strings (contract C4). */
export function toJsonText(value: unknown, format?: JsonFormat): string {
  if (format === undefined) return plainText(value);
  const { replacer, spaces, isEscaped } = format;
  const make = (given: unknown): string => JSON.stringify(given, replacer as never, spaces) ?? "null";
  const text = withoutBigInts(make, value);
  return isEscaped ? text.replace(/[<>&]/g, (sign) => escaped[sign as keyof typeof escaped]) : text;
}

const plainText = (value: unknown): string => withoutBigInts((given) => JSON.stringify(given) ?? "null", value);

/** As Express escapes them, so that the text is safe inside HTML. */
const escaped = { "<": "\\u003c", ">": "\\u003e", "&": "\\u0026" } as const;

function withoutBigInts(make: (value: unknown) => string, value: unknown): string {
  try {
    return make(value);
  } catch (error) {
    if (!(error instanceof TypeError) || !/BigInt/.test(error.message)) throw error;
    const text = JSON.stringify(value, (_key, inner) => (typeof inner === "bigint" ? String(inner) : inner));
    return make(JSON.parse(text));
  }
}
