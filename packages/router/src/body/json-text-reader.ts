import { tooManyValues } from "./check-json.js";
import { scanJson } from "./scan-json.js";

/** Parses a JSON text. @throws {SyntaxError} if it is malformed, and what {@link makeJsonTextReader} documents */
export type JsonTextReader = (text: string) => unknown;

/**
 * Creates a parser for all JSON texts in one body, such as those of form fields or of the cells of a file. Together they
 * have at most the number of values that a JSON body may have (contract C59).
 *
 * @throws {HttpError} 413 from the parser for more values, before they are parsed
 */
export function makeJsonTextReader(max: number): JsonTextReader {
  let left = max;
  return (text) => {
    const { issue, values } = scanJson(Buffer.from(text), { depth: Number.POSITIVE_INFINITY, values: left });
    if (issue === "too-many-values") throw tooManyValues(max);
    left -= values;
    return JSON.parse(text);
  };
}
