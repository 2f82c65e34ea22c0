/** Why a text is not JSON, and where. */
export interface JsonIssue {
  readonly message: string;
  /** Both start at 1; unknown in browsers that report no position. */
  readonly line?: number;
  readonly column?: number;
}

/** The first error of a JSON text; `undefined` if there is none. */
export function jsonIssue(text: string): JsonIssue | undefined {
  try {
    JSON.parse(text);
    return undefined;
  } catch (error) {
    const { message } = error as Error;
    const [, line, column] = /line (\d+) column (\d+)/.exec(message) ?? [];
    const offset =
      /position (\d+)/.exec(message)?.[1] ?? (/end of (JSON|data)/i.test(message) ? text.length : undefined);
    const plain = message.replace(/^JSON\.parse: /, "").replace(/,? ?(in JSON )?at (position|line) .*$/, "");
    if (line !== undefined) return { message: plain, line: Number(line), column: Number(column) };
    return { message: plain, ...(offset === undefined ? {} : placeOf(text, Number(offset))) };
  }
}

function placeOf(text: string, offset: number): { readonly line: number; readonly column: number } {
  const lines = text.slice(0, offset).split("\n");
  return { line: lines.length, column: (lines.at(-1) ?? "").length + 1 };
}

/** The same value, indented. */
export const formatJson = (text: string): string => JSON.stringify(JSON.parse(text), null, 2);
