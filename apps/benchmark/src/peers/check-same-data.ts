import assert from "node:assert/strict";
import type { LoadClient, LoadRequest } from "../measure/load.js";

/** What the server, or a request that can be sent only once, makes up. */
const madeUp = new Set(["id", "sku", "createdAt", "updatedAt"]);

/**
 * Asks every peer, and holds status and data against those of the first. Headers and the bodies of errors are each
 * framework's own.
 *
 * @throws {Error} that shows the difference
 */
export async function checkSameData(clients: readonly LoadClient[], next: () => LoadRequest): Promise<void> {
  for (let asked = 0; asked < 5; asked++) {
    const first = next();
    const answers = [];
    for (const client of clients) {
      const request = first.method === "POST" && answers.length > 0 ? next() : first;
      const { status, body } = await client.ask(request);
      answers.push({ status, data: status < 300 ? dataOf(body, first.method !== "GET") : undefined });
    }
    for (const answer of answers) assert.deepEqual(answer, answers[0], `${first.method} ${first.path}`);
  }
}

function dataOf(text: string, isWritten: boolean): unknown {
  const hide = (key: string, value: unknown): unknown => (isWritten && madeUp.has(key) ? "…" : value);
  const { data, message } = JSON.parse(text, hide) as { data?: unknown; message?: string };
  return data ?? message;
}
