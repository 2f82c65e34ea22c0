import { isHttpError } from "@servicekit/core";
import { isOperator, operators } from "./operators.js";
import { fillOptions, type QueryParserOptions, type QueryParserSettings } from "./options.js";
import { groupKeys, isConditions, type ParsedQuery, type QueryScalar, type QueryValue } from "./parsed-query.js";
import { splitName } from "./terms/split-name.js";
import { isLosslessNumber, readScalar } from "./values/read-scalar.js";

/** How {@link stringifyQuery} writes; the switches are those of the parser that will read it. */
export interface StringifyQueryOptions extends QueryParserOptions {
  /**
   * `a__b__gte=1` or `a[b][gte]=1`. A name that underscores cannot represent is written in brackets. @default
   * "underscore"
   */
  readonly notation?: "underscore" | "brackets" | undefined;
}

/**
 * Writes a query that `parseQuery` reads back as the same value (contract C21). Text that would be read as another type
 * is quoted.
 *
 * @example
 * stringifyQuery({ age: { gte: 5 }, zip: "01234", code: "42" }); // age__gte=5&zip=01234&code=%2242%22
 * @throws {TypeError} for what a query cannot represent: `undefined`, `NaN`, an empty group, an object as an operand
 */
export function stringifyQuery(query: ParsedQuery, options: StringifyQueryOptions = {}): string {
  const writer: Writer = { settings: fillOptions(options), brackets: options.notation === "brackets", pairs: [] };
  writeConditions(query, [], writer);
  return writer.pairs.join("&");
}

interface Writer {
  readonly settings: QueryParserSettings;
  readonly brackets: boolean;
  readonly pairs: string[];
}

type Path = readonly string[];

function writeConditions(conditions: ParsedQuery, path: Path, writer: Writer): void {
  const entries = Object.entries(conditions);
  if (entries.length === 0 && path.length > 0) throw unwritable(path, "contains no condition");
  for (const [key, value] of entries) {
    if (groupKeys.has(key)) throw unwritable([...path, key], "has the name of a group");
    if (key === "AND" || key === "OR" || key === "NOT") writeGroup(value, [...path, key.toLowerCase()], writer);
    else if (isConditions(value)) writeField(value, [...path, key], writer);
    else writeValue(value, [...path, key], undefined, writer);
  }
}

function writeGroup(group: QueryValue, path: Path, writer: Writer): void {
  if (isConditions(group)) {
    writeConditions(group, path, writer);
    return;
  }
  if (!Array.isArray(group) || group.length === 0) throw unwritable(path, "contains no condition");
  for (const [index, entry] of group.entries()) {
    const at = [...path, String(index)];
    if (!isConditions(entry)) throw unwritable(at, "contains no condition");
    writeConditions(entry, at, writer);
  }
}

function writeField(filter: ParsedQuery, path: Path, writer: Writer): void {
  const entries = Object.entries(filter);
  if (entries.length === 0) throw unwritable(path, "contains no condition");
  const insensitive = filter.mode === "insensitive" && entries.some(([key]) => isOperator(key));
  for (const [key, value] of entries) {
    if (insensitive && key === "mode") continue;
    const operator = insensitive ? (key === "equals" ? "iequals" : `i${key}`) : key;
    if (!isOperator(operator)) {
      if (insensitive) throw unwritable([...path, key], "has no case-insensitive form");
      writeConditions({ [key]: value }, path, writer);
    } else if (!isConditions(value)) writeValue(value, [...path, operator], operator, writer);
    else if (operators[operator].operands === "relation") writeConditions(value, [...path, operator], writer);
    else throw unwritable([...path, operator], "is an object, but a value is expected");
  }
}

function writeValue(value: QueryValue, path: Path, operator: keyof typeof operators | undefined, writer: Writer): void {
  const { settings, pairs } = writer;
  const operands = operator === undefined ? "one" : operators[operator].operands;
  const takesNull = operator === "is" || operator === "isNot";
  if (
    (operands === "boolean" && typeof value !== "boolean") ||
    (operands === "relation" && !(takesNull && value === null))
  )
    throw unwritable(path, "is not a value of its operator");
  if (value === null && operands === "one" && !settings.parseNull) {
    const isNull = operator === undefined || operator === "equals" ? "true" : operator === "not" ? "false" : undefined;
    if (isNull === undefined) throw unwritable(path, "is null, which parseNull: false cannot read");
    const field = operator === undefined ? path : path.slice(0, -1);
    pairs.push(`${writeName([...field, "isNull"], writer)}=${isNull}`);
    return;
  }
  const isText = operator !== undefined && operators[operator].text;
  const splits = settings.parseArray && (operator === undefined || operands === "list");
  const write = (item: unknown, inList: boolean): string =>
    encode(writeScalar(item, path, isText, splits, inList, writer));
  if (!Array.isArray(value)) {
    if (operands === "list") throw unwritable(path, "is not a list");
    pairs.push(`${writeName(path, writer)}=${write(value, false)}`);
  } else if (splits && (operands === "list" || value.length > 1)) {
    pairs.push(`${writeName(path, writer)}=${value.map((item) => write(item, true)).join(",")}`);
  } else {
    const name = writeName([...path, ""], writer);
    if (value.length === 0) pairs.push(`${name}=`);
    for (const item of value) pairs.push(`${name}=${write(item, true)}`);
  }
}

function writeScalar(
  value: unknown,
  path: Path,
  isText: boolean,
  splits: boolean,
  inList: boolean,
  { settings }: Writer,
): string {
  if (typeof value === "number" && !isLosslessNumber(String(value))) throw unwritable(path, `is ${value}`);
  if (typeof value === "number" || typeof value === "boolean" || value === null)
    return String(value satisfies QueryScalar);
  if (typeof value !== "string") throw unwritable(path, `is of the type ${typeof value}`);
  const misread =
    value.startsWith('"') ||
    (inList && value === "") ||
    (splits && (value.includes(",") || (inList && value.endsWith("\\")))) ||
    (!isText && typeof readScalar({ text: value, quoted: false }, settings) !== "string");
  return misread ? `"${value.replace(/["\\]/g, "\\$&")}"` : value;
}

/** Names are split by the parser's own code, so that every written name is read back. */
function writeName(path: Path, { settings, brackets }: Writer): string {
  const [head = "", ...rest] = path;
  const inBrackets = head + rest.map((segment) => `[${segment}]`).join("");
  const list = path.at(-1) === "" ? "[]" : "";
  const withUnderscores = (list === "" ? path : path.slice(0, -1)).join("__") + list;
  const spellings = brackets || !settings.parseDoubleUnderscore ? [inBrackets] : [withUnderscores, inBrackets];
  const name = spellings.find((spelling) => readsAs(spelling, path, settings.parseDoubleUnderscore));
  if (name === undefined) throw unwritable(path, "has a name that cannot be written in a query");
  return encode(name);
}

function readsAs(name: string, path: Path, parseDoubleUnderscore: boolean): boolean {
  try {
    const segments = splitName(name, parseDoubleUnderscore);
    return segments.length === path.length && segments.every((segment, at) => segment === path[at]);
  } catch (error) {
    if (isHttpError(error)) return false;
    throw error;
  }
}

/** Commas, colons and brackets need no encoding in a query, and are easier to read without. */
function encode(text: string): string {
  try {
    return encodeURIComponent(text).replace(/%(?:2C|3A|5B|5D)/g, decodeURIComponent);
  } catch {
    throw new TypeError("The query contains text that is not valid Unicode.");
  }
}

function unwritable(path: Path, reason: string): TypeError {
  return new TypeError(`${path.join(".")} cannot be written in a query: it ${reason}.`);
}
