import assert from "node:assert/strict";
import type { Answer, LoadClient, LoadRequest } from "./load.js";

/** Headers whose values are different in each answer. */
const changing = new Set(["date", "x-request-id"]);

/**
 * Asks every server the same and holds the answers against each other: status, body and headers.
 *
 * @param variable field names whose values the servers make up
 * @throws {Error} that shows the difference
 */
export async function checkSameAnswers(
  clients: readonly LoadClient[],
  next: () => LoadRequest,
  { count, variable = [] }: { readonly count: number; readonly variable?: readonly string[] },
): Promise<void> {
  for (let asked = 0; asked < count; asked++) {
    const request = next();
    const answers: Comparable[] = [];
    for (const client of clients) {
      // What a request creates can be created only once.
      const own = variable.length === 0 || answers.length === 0 ? request : next();
      answers.push(comparable(await client.ask(own), variable));
    }
    const [first] = answers;
    for (const { head, body } of answers) {
      const where = `The sides answer ${request.method} ${request.path} differently`;
      assert.deepEqual(head, first?.head, `${where}: ${JSON.stringify(head)}, ${JSON.stringify(first?.head)}`);
      assert.equal(body, first?.body, where);
    }
  }
}

interface Comparable {
  readonly head: object;
  readonly body: string;
}

function comparable({ status, headers, body }: Answer, variable: readonly string[]): Comparable {
  const shown = Object.fromEntries(
    Object.entries({ ...headers, etag: "each side has its own" }).map(([name, value]) => [
      name,
      changing.has(name) ? "…" : hideNumbers(value, variable),
    ]),
  );
  return { head: { status, ...shown }, body: body === "" ? "" : JSON.stringify(JSON.parse(body), hide(variable)) };
}

const hide =
  (variable: readonly string[]) =>
  (key: string, value: unknown): unknown =>
    variable.includes(key) ? "…" : value;

/** A header such as `Location` names what was made up, and the length depends on it. */
const hideNumbers = (value: unknown, variable: readonly string[]): unknown =>
  variable.length === 0 ? value : String(value).replace(/\d+/g, "…");
