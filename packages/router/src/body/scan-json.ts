/** Digits that every JSON number preserves, unless it is too close to zero. */
export const storedDigits = 15;

/** The limits of a JSON text. */
export interface JsonBounds {
  /** Maximum nesting depth. */
  readonly depth: number;
  /** Maximum number of values: lists, objects and their contents. */
  readonly values: number;
}

/** The result of a scan. */
export interface JsonScan {
  readonly issue?: "too-deep" | "too-many-values" | "forbidden-key";
  /** The position of the issue. */
  readonly path: readonly string[];
  /** Whether it contains numbers with so many digits, or so close to zero, that some may be rounded. */
  readonly hasLongNumbers: boolean;
  /** The number of values up to the issue: lists, objects and their contents. */
  readonly values: number;
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

/** The engine searches the end of a longer string. */
const shortString = 24;

/**
 * Scans the bytes of a JSON text once, before it is parsed and even if it is malformed: its nesting depth, the number
 * of values, the key `__proto__` (contract C20), and numbers that may be rounded (contract C4). It creates no objects,
 * so it costs less than parsing; rejected texts are not parsed (contract C59).
 *
 * @param onLongNumber receives each number of more than 15 characters, or with an exponent of -100 and less, and can
 * request its place
 */
export function scanJson(
  bytes: Buffer,
  { depth: deepest, values: max }: JsonBounds,
  onLongNumber?: (token: string, place: () => string[]) => void,
): JsonScan {
  const size = bytes.length;
  // The position of each level: the item of a list, or the byte at which the last key of an object starts.
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
        if (isForbidden(bytes, index + 1, end)) return { issue: "forbidden-key", path: path(), hasLongNumbers, values };
      }
      index = end + 1;
    } else if (byte === comma) {
      if (++values > max) return { issue: "too-many-values", path: [], hasLongNumbers, values };
      if (isList[depth] === true) places[depth] = (places[depth] as number) + 1;
      else expectsKey = depth > 0;
      index++;
    } else if (byte === openList || byte === openObject) {
      if (++values > max) return { issue: "too-many-values", path: [], hasLongNumbers, values };
      if (++depth > deepest) return { issue: "too-deep", path: [], hasLongNumbers, values };
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
      if (index - start > storedDigits || (index - start >= shortestTiny && isTiny(bytes, start + 1, index))) {
        hasLongNumbers = true;
        onLongNumber?.(bytes.toString("latin1", start, index), path);
      }
    } else {
      // White space, and the letters of true, false and null.
      do index++;
      while (index < size && (bytes[index] as number) <= 0x20);
    }
  }
  return { path: [], hasLongNumbers, values };
}

/** Whether a number has a negative exponent of three digits and more, with which it may become 0. */
function isTiny(bytes: Buffer, start: number, end: number): boolean {
  for (let index = end - 4; index > start; index--) if (bytes[index] === minus) return true;
  return false;
}

const isDigit = (byte: number): boolean => byte >= 0x30 && byte <= 0x39;
/** Digits and the other characters of a number: + - . e E */
const isOfNumber = (byte: number): boolean =>
  isDigit(byte) || byte === 0x2b || byte === minus || byte === 0x2e || byte === 0x65 || byte === 0x45;

/** The position of the quote that ends a string; the end of the text if there is none. */
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

/** Whether a key is `__proto__`, however its characters are escaped. */
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

/** The text may be malformed; then the path is not reported. */
function readKey(key: Buffer): string {
  try {
    return String(JSON.parse(key.toString()));
  } catch {
    return "";
  }
}
