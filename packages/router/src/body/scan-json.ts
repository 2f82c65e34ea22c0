/** Digits that every JSON number keeps, unless it is too close to zero. */
export const keptDigits = 15;

/** What a JSON text may hold. */
export interface JsonBounds {
  /** How deep it may nest. */
  readonly depth: number;
  /** How many values it may hold: lists, objects and all that stands in them. */
  readonly values: number;
}

/** What a look at the bytes of a JSON text found. */
export interface JsonScan {
  readonly fault?: "too-deep" | "too-many-values" | "forbidden-key";
  /** Where the fault is. */
  readonly path: readonly string[];
  /** Whether there are numbers with so many digits, or so close to zero, that some may not be kept. */
  readonly hasLongNumbers: boolean;
}

/** The length of `1e-324`, which is read as 0. */
const shortestTiny = 6;

const quote = 0x22;
const backslash = 0x5c;
const comma = 0x2c;
const minus = 0x2d;
const openList = 0x5b;
const closeList = 0x5d;
const openObject = 0x7b;
const closeObject = 0x7d;

/** A string that is longer than this is searched for its end by the engine. */
const shortString = 24;

/**
 * Looks once over the bytes of a JSON text, before it is parsed and whether or not it is well-formed: how deep it nests,
 * how much it holds, whether a key is `__proto__` (contract C20), and whether numbers may have been rounded (contract C4).
 * It makes no objects, so that it costs less than parsing; what is refused for its shape is not parsed (contract C59).
 *
 * @param onLongNumber is shown each number of more than 15 signs, or with a power of -100 and less, and asks for its place
 *   where it wants to know
 */
export function scanJson(
  bytes: Buffer,
  { depth: deepest, values: most }: JsonBounds,
  onLongNumber?: (token: string, place: () => string[]) => void,
): JsonScan {
  const size = bytes.length;
  // Where each level stands: at which item of a list, or at which byte the last key of an object begins.
  const places: number[] = [];
  const isList: boolean[] = [];
  let hasLongNumbers = false;
  let depth = 0;
  let values = 0;
  let expectsKey = false;
  let index = 0;
  const path = (): string[] => readPath(bytes, places, isList, depth);

  while (index < size) {
    const byte = bytes[index] as number;
    if (byte === quote) {
      const end = endOfString(bytes, index);
      if (expectsKey) {
        places[depth] = index;
        expectsKey = false;
        if (isForbidden(bytes, index + 1, end)) return { fault: "forbidden-key", path: path(), hasLongNumbers };
      }
      index = end + 1;
    } else if (byte === comma) {
      if (++values > most) return { fault: "too-many-values", path: [], hasLongNumbers };
      if (isList[depth] === true) places[depth] = (places[depth] as number) + 1;
      else expectsKey = depth > 0;
      index++;
    } else if (byte === openList || byte === openObject) {
      if (++values > most) return { fault: "too-many-values", path: [], hasLongNumbers };
      if (++depth > deepest) return { fault: "too-deep", path: [], hasLongNumbers };
      places[depth] = 0;
      expectsKey = byte === openObject;
      isList[depth] = !expectsKey;
      index++;
    } else if (byte === closeList || byte === closeObject) {
      if (depth > 0) depth--;
      expectsKey = false;
      index++;
    } else if (isDigit(byte) || byte === minus) {
      const start = index;
      do index++;
      while (index < size && isOfNumber(bytes[index] as number));
      if (index - start > keptDigits || (index - start >= shortestTiny && isTiny(bytes, start + 1, index))) {
        hasLongNumbers = true;
        onLongNumber?.(bytes.toString("latin1", start, index), path);
      }
    } else {
      // White space, and the letters of true, false and null.
      do index++;
      while (index < size && (bytes[index] as number) <= 0x20);
    }
  }
  return { path: [], hasLongNumbers };
}

/** Whether a number has a negative power of ten of three digits and more, by which it may become 0. */
function isTiny(bytes: Buffer, start: number, end: number): boolean {
  for (let index = end - 4; index > start; index--) if (bytes[index] === minus) return true;
  return false;
}

const isDigit = (byte: number): boolean => byte >= 0x30 && byte <= 0x39;
/** Digits, and what else stands in a number: + - . e E */
const isOfNumber = (byte: number): boolean =>
  isDigit(byte) || byte === 0x2b || byte === minus || byte === 0x2e || byte === 0x65 || byte === 0x45;

/** The place of the quote that ends a string; the end of the text where there is none. */
function endOfString(bytes: Buffer, start: number): number {
  const size = bytes.length;
  const near = Math.min(start + shortString, size);
  let index = start + 1;
  while (index < near) {
    const byte = bytes[index];
    if (byte === quote) return index;
    index += byte === backslash ? 2 : 1;
  }
  const end = bytes.indexOf(quote, index);
  if (end === -1) return size;
  if (bytes[end - 1] !== backslash) return end;
  while (index < size) {
    const byte = bytes[index];
    if (byte === quote) return index;
    index += byte === backslash ? 2 : 1;
  }
  return size;
}

const forbidden = Buffer.from("__proto__");

/** Whether a key is `__proto__`, in whatever way its characters are written. */
function isForbidden(bytes: Buffer, start: number, end: number): boolean {
  let index = start;
  for (const byte of forbidden) {
    if (bytes[index] === byte) index++;
    else if (
      bytes[index] === backslash &&
      Number.parseInt(bytes.toString("latin1", index + 2, index + 6), 16) === byte
    ) {
      index += 6;
    } else return false;
  }
  return index === end;
}

function readPath(bytes: Buffer, places: readonly number[], isList: readonly boolean[], depth: number): string[] {
  return Array.from({ length: depth }, (_, above) => {
    const place = places[above + 1] as number;
    if (isList[above + 1] === true) return String(place);
    return readKey(bytes.subarray(place, endOfString(bytes, place) + 1));
  });
}

/** The text need not be well-formed yet; if it is not, nobody will be told the path. */
function readKey(key: Buffer): string {
  try {
    return String(JSON.parse(key.toString()));
  } catch {
    return "";
  }
}
