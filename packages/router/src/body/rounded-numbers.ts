import { scanJson, storedDigits } from "./scan-json.js";

const source = Symbol("servicekit.jsonText");

type Place = readonly string[];

/** The text of a body, and the current places of its values. */
interface Source {
  readonly bytes: Buffer;
  readonly placeOf: (place: Place) => Place;
}

/** The maximum number of reported rounded numbers. */
const maxReported = 1000;

/**
 * The places of numbers in a parsed JSON body that differ from what the client wrote: those with more digits than a
 * JavaScript number preserves, such as `9007199254740993`, or too close to zero, such as `1e-400`. Empty for anything
 * but the unchanged body.
 */
export function roundedNumbers(body: unknown): readonly Place[] {
  const known = sourceOf(body);
  if (known === undefined) return [];
  const { bytes, placeOf } = known;
  const found: Place[] = [];
  scanJson(bytes, { depth: Number.MAX_SAFE_INTEGER, values: Number.MAX_SAFE_INTEGER }, (token, place) => {
    if (found.length < maxReported && isRounded(token)) found.push(placeOf(place()));
  });
  return found;
}

/** Stores the text of a parsed body's long numbers, for a later check which of them were rounded. */
export function rememberLongNumbers(body: unknown, bytes: Buffer): void {
  remember(body, { bytes, placeOf: (place) => place });
}

/**
 * Makes the rounded numbers of a body available for a copy of it, in which keys have other names.
 *
 * @param placeOf maps a place in the body to the place in the copy
 */
export function passLongNumbers(body: unknown, made: unknown, placeOf: (place: Place) => Place): void {
  const known = made === body ? undefined : sourceOf(body);
  if (known !== undefined) remember(made, { bytes: known.bytes, placeOf: (place) => placeOf(known.placeOf(place)) });
}

function sourceOf(body: unknown): Source | undefined {
  return typeof body === "object" && body !== null ? (body as { readonly [source]?: Source })[source] : undefined;
}

function remember(body: unknown, from: Source): void {
  if (typeof body === "object" && body !== null) Object.defineProperty(body, source, { value: from });
}

/** Doubles closer to zero have fewer digits, down to none. */
const smallestNormal = 2 ** -1022;

/** This many digits distinguish every double. */
const distinguishingDigits = 17;

/** Whether the digits differ from those of the double: in the shortest form, in as many places, or in full. */
function isRounded(token: string): boolean {
  const value = Number(token);
  if (String(value) === token) return false;
  const written = canonical(token);
  const count = written.digits.length;
  if (count === 0 || (count <= storedDigits && Math.abs(value) >= smallestNormal)) return false;
  if (!Number.isFinite(value)) return false;
  const long = value.toPrecision(count > distinguishingDigits ? 100 : count);
  return ![String(value), long].some((text) => {
    const { digits, exponent } = canonical(text);
    return digits === written.digits && exponent === written.exponent;
  });
}

/** The digits without leading and trailing zeros, and the power of ten. */
function canonical(token: string): { readonly digits: string; readonly exponent: number } {
  const [mantissa = "", power = "0"] = (token.startsWith("-") ? token.slice(1) : token).split(/e/i);
  const [integer = "", fraction = ""] = mantissa.split(".");
  const all = integer + fraction;
  let start = 0;
  while (all[start] === "0") start++;
  let end = all.length;
  while (end > start && all[end - 1] === "0") end--;
  return { digits: all.slice(start, end), exponent: Number(power) - fraction.length + (all.length - end) };
}
