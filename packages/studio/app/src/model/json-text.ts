/** Why a text is not JSON, and where. */
export interface JsonIssue {
  readonly message: string;
  /** Both start at 1. */
  readonly line: number;
  readonly column: number;
}

/** The first error of a JSON text; `undefined` if there is none. Not all browsers report its place. */
export function jsonIssue(text: string): JsonIssue | undefined {
  try {
    JSON.parse(text);
    return undefined;
  } catch {
    const { offset, expected } = firstError(text);
    const lines = text.slice(0, offset).split("\n");
    return { message: `Expected ${expected}.`, line: lines.length, column: (lines.at(-1) ?? "").length + 1 };
  }
}

/** The same value, indented. */
export const formatJson = (text: string): string => JSON.stringify(JSON.parse(text), null, 2);

interface Failure {
  readonly offset: number;
  readonly expected: string;
}

// biome-ignore lint/suspicious/noControlCharactersInRegex: JSON forbids them in texts.
const text = /"(?:[^"\\\u0000-\u001f]|\\(?:["\\/bfnrt]|u[\da-fA-F]{4}))*"/y;
const scalar = new RegExp(`${text.source}|-?(?:0|[1-9]\\d*)(?:\\.\\d+)?(?:[eE][+-]?\\d+)?|true|false|null`, "y");
const blanks = /[ \t\n\r]*/y;

/** Reads values of RFC 8259 up to the first place that no value continues with. */
function firstError(source: string): Failure {
  let at = 0;
  const skip = (): string => {
    blanks.lastIndex = at;
    at += blanks.exec(source)?.[0].length ?? 0;
    return source.charAt(at);
  };
  const read = (pattern: RegExp, expected: string): Failure | undefined => {
    skip();
    pattern.lastIndex = at;
    const [found] = pattern.exec(source) ?? [];
    if (found === undefined)
      return { offset: at, expected: source.charAt(at) === '"' ? "a text that ends with a double quote" : expected };
    at += found.length;
    return undefined;
  };
  const readItems = (end: string, readItem: () => Failure | undefined): Failure | undefined => {
    at += 1;
    if (skip() === end) {
      at += 1;
      return undefined;
    }
    for (;;) {
      const failure = readItem();
      if (failure !== undefined) return failure;
      const next = skip();
      if (next !== end && next !== ",") return { offset: at, expected: `"," or "${end}"` };
      at += 1;
      if (next === end) return undefined;
    }
  };
  const readValue = (): Failure | undefined => {
    const start = skip();
    if (start === "[") return readItems("]", readValue);
    if (start !== "{") return read(scalar, "a value");
    return readItems("}", () => read(text, "a property name in double quotes") ?? read(/:/y, '":"') ?? readValue());
  };
  const failure = readValue();
  if (failure !== undefined) return failure;
  skip();
  return { offset: at, expected: "the end" };
}
