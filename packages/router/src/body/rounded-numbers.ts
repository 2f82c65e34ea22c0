import { keptDigits, scanJson } from "./scan-json.js";

const source = Symbol("servicekit.jsonText");

type Place = readonly string[];

/** The text of a body, and where its values stand in the body now. */
interface Source {
  readonly bytes: Buffer;
  readonly placeOf: (place: Place) => Place;
}

/** How many rounded numbers are told. */
const mostTold = 1000;

/**
 * Where in a parsed JSON body numbers stand that are not what the client wrote: they had more digits than a number of
 * JavaScript keeps, such as `9007199254740993`, or are closer to zero, such as `1e-400`. Empty for anything but the body as it came.
 */
export function roundedNumbers(body: unknown): readonly Place[] {
  const known = sourceOf(body);
  if (known === undefined) return [];
  const { bytes, placeOf } = known;
  const found: Place[] = [];
  scanJson(bytes, { depth: Number.MAX_SAFE_INTEGER, values: Number.MAX_SAFE_INTEGER }, (token, place) => {
    if (found.length < mostTold && isRounded(token)) found.push(placeOf(place()));
  });
  return found;
}

/** Remembers of a parsed body the text of its long numbers, for whoever asks which of them were rounded. */
export function rememberLongNumbers(body: unknown, bytes: Buffer): void {
  remember(body, { bytes, placeOf: (place) => place });
}

/**
 * Lets what was made of a body, as a copy in which keys have other names, be asked for its rounded numbers as well.
 *
 * @param placeOf where what stood at a place of the body stands in the other
 */
export function handOnLongNumbers(body: unknown, made: unknown, placeOf: (place: Place) => Place): void {
  const known = made === body ? undefined : sourceOf(body);
  if (known !== undefined) remember(made, { bytes: known.bytes, placeOf: (place) => placeOf(known.placeOf(place)) });
}

function sourceOf(body: unknown): Source | undefined {
  return typeof body === "object" && body !== null ? (body as { readonly [source]?: Source })[source] : undefined;
}

function remember(body: unknown, from: Source): void {
  if (typeof body === "object" && body !== null) Object.defineProperty(body, source, { value: from });
}

/** Doubles closer to zero keep fewer digits, down to none. */
const smallestNormal = 2 ** -1022;

/** A double is told from every other by so many digits. */
const tellingDigits = 17;

/** Whether the digits are not those of the double that they are read as: in short, in as many places, or all of them. */
function isRounded(token: string): boolean {
  const value = Number(token);
  if (String(value) === token) return false;
  const written = canonical(token);
  const count = written.digits.length;
  if (count === 0 || (count <= keptDigits && Math.abs(value) >= smallestNormal)) return false;
  if (!Number.isFinite(value)) return false;
  const long = value.toPrecision(count > tellingDigits ? 100 : count);
  return ![String(value), long].some((text) => {
    const { digits, exponent } = canonical(text);
    return digits === written.digits && exponent === written.exponent;
  });
}

/** The digits without zeros at either end, and the power of ten that they are multiplied with. */
function canonical(token: string): { readonly digits: string; readonly exponent: number } {
  const [mantissa = "", power = "0"] = (token.startsWith("-") ? token.slice(1) : token).split(/e/i);
  const [whole = "", fraction = ""] = mantissa.split(".");
  const all = whole + fraction;
  let start = 0;
  while (all[start] === "0") start++;
  let end = all.length;
  while (end > start && all[end - 1] === "0") end--;
  return { digits: all.slice(start, end), exponent: Number(power) - fraction.length + (all.length - end) };
}
