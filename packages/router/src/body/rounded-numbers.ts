const rounded = Symbol("servicekit.roundedNumbers");

/** Digits that every JSON number keeps. */
const keptDigits = 15;

/**
 * Where in a parsed JSON body numbers stand that are not what the client wrote: they had more digits than a number of
 * JavaScript keeps, such as `9007199254740993`. Empty for anything but the body as it came.
 */
export function roundedNumbers(body: unknown): readonly (readonly string[])[] {
  if (typeof body !== "object" || body === null) return [];
  return (body as { readonly [rounded]?: readonly (readonly string[])[] })[rounded] ?? [];
}

/** Remembers on a parsed body which of its numbers were rounded. A text without long numbers costs one look. */
export function markRoundedNumbers(body: unknown, text: string): void {
  if (typeof body !== "object" || body === null || !/[\d.]{16}/.test(text)) return;
  const paths = findRoundedNumbers(text);
  if (paths.length > 0) Object.defineProperty(body, rounded, { value: paths });
}

interface Level {
  /** The key, or the index, of the value that is being read. */
  at: string | number;
}

/** Walks through a JSON text that is known to be valid. */
function findRoundedNumbers(text: string): string[][] {
  const found: string[][] = [];
  const levels: Level[] = [];
  let expectsKey = false;
  for (let index = 0; index < text.length; index++) {
    const sign = text[index];
    const level = levels.at(-1);
    if (sign === '"') {
      const end = endOfText(text, index);
      if (expectsKey && level !== undefined) {
        level.at = JSON.parse(text.slice(index, end + 1)) as string;
        expectsKey = false;
      }
      index = end;
    } else if (sign === "{" || sign === "[") {
      levels.push({ at: sign === "{" ? "" : 0 });
      expectsKey = sign === "{";
    } else if (sign === "}" || sign === "]") {
      levels.pop();
      expectsKey = false;
    } else if (sign === ",") {
      if (typeof level?.at === "number") level.at++;
      else expectsKey = true;
    } else if (sign === "-" || isDigit(sign)) {
      const start = index;
      while (index + 1 < text.length && isOfNumber(text[index + 1])) index++;
      const path = () => levels.map(({ at }) => String(at));
      if (isRounded(text.slice(start, index + 1))) found.push(path());
    }
  }
  return found;
}

function endOfText(text: string, start: number): number {
  let index = start + 1;
  while (index < text.length && text[index] !== '"') index += text[index] === "\\" ? 2 : 1;
  return index;
}

const isDigit = (sign: string | undefined): boolean => sign !== undefined && sign >= "0" && sign <= "9";
const isOfNumber = (sign: string | undefined): boolean =>
  isDigit(sign) || (sign !== undefined && "+-.eE".includes(sign));

/** A double is told from every other by so many digits. */
const tellingDigits = 17;

/** Whether the digits are not those of the double that they are read as: in short, in as many places, or all of them. */
function isRounded(token: string): boolean {
  if (token.length <= keptDigits) return false;
  const written = canonical(token);
  const count = written.digits.length;
  if (count <= keptDigits) return false;
  const value = Number(token);
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
