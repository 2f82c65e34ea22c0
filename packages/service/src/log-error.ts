import { isHttpError } from "@servicekit/errors";

/**
 * Logs what an answer hides from the client, under the id that the answer names. A fault that is known, such as a database
 * that is away, is one line; anything else comes with its stack.
 */
export function logError(error: unknown, request: { id?: string; method: string; originalUrl: string }): void {
  const { id = "-", method, originalUrl } = request;
  const where = `[${id}] ${method} ${originalUrl.split("?", 1)[0]}:`;
  if (!isHttpError(error)) {
    console.error(where, error);
    return;
  }
  const cause = error.cause instanceof Error ? ` (${error.cause.message.trim().split("\n").at(-1)})` : "";
  console.error(`${where} ${error.status} ${error.code}: ${error.message}${cause}`);
}
