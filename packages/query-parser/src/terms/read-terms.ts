import { quote, reject } from "../query-errors.js";
import { checkUrlBytes, fillLimits, listParameters, overLimit, type QueryLimits } from "../query-limits.js";
import { checkUnicode } from "./check-unicode.js";
import { type AddPair, flattenObject } from "./flatten-object.js";
import { splitName } from "./split-name.js";

/** One name of a query with all of its values. */
export interface QueryTerm {
  /** As the client wrote it, decoded. */
  readonly name: string;
  /** The name split at `__` and `[…]`; an empty last segment (`a[]`) means a list. */
  readonly segments: readonly string[];
  /** As the client wrote them, decoded: see `readText` for quotes and `splitList` for commas. */
  readonly values: readonly string[];
}

/** The input of a query: the text after `?`, or the output of another parser. */
export type QueryInput = string | URLSearchParams | Readonly<Record<string, unknown>>;

/** How `readTerms` reads. */
export interface ReadTermsOptions {
  /** Whether `__` is a separator, as brackets are. @default true */
  readonly parseDoubleUnderscore?: boolean;
  /** Names that contain `__` themselves, each one segment. */
  readonly joinedNames?: ReadonlySet<string> | undefined;
  readonly limits?: Partial<QueryLimits>;
}

/**
 * Reads a query into its terms, in the order in which their names first appear. Values stay text.
 *
 * @throws {HttpError} 400 `MalformedQuery`, `ForbiddenKey`, `QueryLimitExceeded`, 414 `UriTooLong`
 */
export function readTerms(input: QueryInput, options: ReadTermsOptions = {}): QueryTerm[] {
  const { parseDoubleUnderscore = true, joinedNames } = options;
  const limits = fillLimits(options.limits);
  const terms = new Map<string, { name: string; segments: string[]; values: string[] }>();
  let filters = 0;
  const add = (name: string, value: string): void => {
    const present = terms.get(name);
    if (present !== undefined) {
      if (present.values.length >= limits.listItems) throw overLimit("listItems", limits, name);
      present.values.push(value);
      return;
    }
    if (!listParameters.has(name) && ++filters > limits.terms) throw overLimit("terms", limits);
    terms.set(name, { name, segments: splitName(name, parseDoubleUnderscore, joinedNames), values: [value] });
  };
  if (typeof input === "string") readString(input, limits, add);
  else if (input instanceof URLSearchParams) readSearchParams(input, limits, add);
  else flattenObject(input, add);
  return [...terms.values()];
}

function readString(input: string, limits: QueryLimits, add: AddPair): void {
  checkUrlBytes(input, limits);
  checkUnicode(input);
  for (let at = input.startsWith("?") ? 1 : 0; at < input.length; ) {
    const next = input.indexOf("&", at);
    const stop = next === -1 ? input.length : next;
    if (stop > at) {
      const pair = input.slice(at, stop);
      const equals = pair.indexOf("=");
      if (equals === -1) add(decode(pair, pair), "");
      else {
        const name = decode(pair.slice(0, equals), pair);
        add(name, decode(pair.slice(equals + 1), name));
      }
    }
    at = stop + 1;
  }
}

function readSearchParams(input: URLSearchParams, limits: QueryLimits, add: AddPair): void {
  let bytes = -1;
  for (const [name, value] of input) {
    bytes += name.length + value.length + 2;
    if (bytes > limits.urlBytes) throw overLimit("urlBytes", limits);
    add(name, value);
  }
}

function decode(text: string, parameter: string): string {
  if (!/[%+]/.test(text)) return text;
  try {
    return decodeURIComponent(text.replaceAll("+", " "));
  } catch {
    const message = `The parameter ${quote(parameter)} has a percent encoding that is not valid UTF-8.`;
    throw reject("MalformedQuery", parameter, message);
  }
}
