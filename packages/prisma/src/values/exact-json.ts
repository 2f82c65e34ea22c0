import { withoutEnd } from "./without-end.js";
/**
 * A JSON number that JavaScript cannot represent: it counts as the nearest representable one, and is written unchanged.
 */
export class ExactNumber extends Number {
  readonly text: string;

  constructor(text: string) {
    super(text);
    this.text = text;
  }
}

/** JSON values with an {@link ExactNumber}. */
const exact = new WeakSet<object>();

/** Whether a value was parsed by {@link parseJson} and contains a number that `JSON.stringify` would change. */
export const containsExactNumber = (value: unknown): value is object =>
  typeof value === "object" && value !== null && (value instanceof ExactNumber || exact.has(value));

/** Without such digits, JavaScript writes every number as it was parsed. */
const maybeLong = /\d{16}|\d\.\d{12}|\d[eE]/;
// The closing quote is optional so that a text that is not JSON is scanned once, too.
const tokens = /"(?:[^"\\]|\\.)*"?|-?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?/g;

/** The JSON of a PostgreSQL text as a response contains it: without blanks, and without losing a digit. */
export function compactJson(text: string): string {
  if (!maybeLong.test(text)) return JSON.stringify(JSON.parse(text));
  const numbers: string[] = [];
  const marked = markLong(text, numbers);
  return unmark(JSON.stringify(JSON.parse(marked)), (at) => numbers[at] as string);
}

/** The value of such a text. */
export function parseJson(text: string): unknown {
  if (!maybeLong.test(text)) return JSON.parse(text);
  const numbers: string[] = [];
  const marked = markLong(text, numbers);
  if (numbers.length === 0) return JSON.parse(text);
  const value: unknown = JSON.parse(marked, (_key, inner: unknown) => {
    const at = typeof inner === "string" ? placeOf(inner) : undefined;
    return at === undefined ? inner : new ExactNumber(numbers[at] as string);
  });
  if (typeof value === "object" && value !== null) exact.add(value);
  return value;
}

/** Markers replace numbers as JSON strings; no text of a database starts with NUL and this name. */
const mark = "\0servicekit-number-";
const markJson = JSON.stringify(mark).slice(1, -1);

const placeOf = (text: string): number | undefined =>
  text.startsWith(mark) ? Number(text.slice(mark.length)) : undefined;

function markLong(text: string, numbers: string[]): string {
  return text.replace(tokens, (token) => {
    if (token.startsWith('"') || isWrittenAlike(token)) return token;
    return `"${markJson}${numbers.push(token) - 1}"`;
  });
}

/** Replaces the markers by their numbers. */
const unmark = (json: string, numberAt: (at: number) => string): string =>
  json.replaceAll(new RegExp(`"${markJson.replace("\\", "\\\\")}(\\d+)"`, "g"), (_all, at) => numberAt(Number(at)));

/** JSON of a value with exact numbers. */
export function exactJsonText(value: unknown): string {
  const numbers: string[] = [];
  const json = JSON.stringify(value, (_key, inner: unknown) =>
    inner instanceof ExactNumber ? `${mark}${numbers.push(inner.text) - 1}` : inner,
  );
  return unmark(json, (at) => numbers[at] as string);
}

const exactMarker = "\0servicekit-json-";
const exactMarkerJson = JSON.stringify(exactMarker).slice(1, -1);

/** Replaces a value with exact numbers where rows are serialized; {@link withExactNumbers} inserts its text. */
export class ExactJson {
  readonly #value: unknown;

  constructor(value: unknown) {
    this.#value = value;
  }

  toJSON(): string {
    return `${exactMarker}${exactJsonText(this.#value)}`;
  }
}

/** The JSON of rows with the unchanged numbers of each {@link ExactJson} in it. */
export function withExactNumbers(json: string): string {
  if (!json.includes(exactMarkerJson)) return json;
  const texts = new RegExp(`"${exactMarkerJson.replace("\\", "\\\\")}((?:[^"\\\\]|\\\\.)*)"`, "g");
  return json.replaceAll(texts, (_all, inner: string) => JSON.parse(`"${inner}"`) as string);
}

/** Whether JavaScript reads and writes a number without changing its value. */
function isWrittenAlike(token: string): boolean {
  const value = Number(token);
  return Number.isFinite(value) && digitsOf(token) === digitsOf(String(value));
}

/** A number's sign, digits and exponent in one notation. */
function digitsOf(text: string): string {
  const [, sign = "", integer = "", fraction = "", exponent = "0"] =
    /^(-?)(\d+)(?:\.(\d+))?(?:e([+-]?\d+))?$/i.exec(text) ?? [];
  const digits = `${integer}${fraction}`.replace(/^0+/, "");
  const short = withoutEnd(digits, "0");
  if (short === "") return "0";
  return `${sign}${short}e${Number(exponent) - fraction.length + digits.length - short.length}`;
}
