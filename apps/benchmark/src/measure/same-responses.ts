import assert from "node:assert/strict";
import type { LoadClient, LoadRequest, LoadResponse } from "./load.js";

/** Headers with another value in each response. */
const changing = new Set(["date", "x-request-id"]);

/**
 * Sends the same requests to every server and compares status, headers and bodies.
 *
 * @param variable fields whose values differ between servers
 * @throws {Error} that shows the difference
 */
export async function checkSameResponses(
  clients: readonly LoadClient[],
  next: () => LoadRequest,
  { count, variable = [] }: { readonly count: number; readonly variable?: readonly string[] },
): Promise<void> {
  for (let sent = 0; sent < count; sent++) {
    const request = next();
    const responses: Comparable[] = [];
    for (const client of clients) {
      // A request that creates a row can be sent only once.
      const own = variable.length === 0 || responses.length === 0 ? request : next();
      responses.push(comparable(await client.send(own), variable));
    }
    const [first] = responses;
    for (const { head, body } of responses) {
      const where = `Different responses to ${request.method} ${request.path}`;
      assert.deepEqual(head, first?.head, `${where}: ${JSON.stringify(head)}, ${JSON.stringify(first?.head)}`);
      assert.equal(body, first?.body, where);
    }
  }
}

interface Comparable {
  readonly head: object;
  readonly body: string;
}

function comparable({ status, headers, body }: LoadResponse, variable: readonly string[]): Comparable {
  const shown = Object.fromEntries(
    Object.entries({ ...headers, etag: "each target has its own" }).map(([name, value]) => [
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

/** A header such as `Location` contains the generated id, and the length depends on it. */
const hideNumbers = (value: unknown, variable: readonly string[]): unknown =>
  variable.length === 0 ? value : String(value).replace(/\d+/g, "…");
