import assert from "node:assert/strict";
import type { LoadClient, LoadRequest } from "../measure/load.js";
import type { Content, Dialect } from "./dialects.js";

/** Fields with a value of the server, or of a request that can be sent only once. */
const changing = new Set(["id", "sku", "createdAt", "updatedAt"]);

/**
 * Sends the same requests to every peer and compares their content with that of the first. Headers, error bodies and the
 * status codes of errors are each framework's own.
 *
 * @throws {Error} that shows the difference
 */
export async function checkSameData(
  peers: readonly { readonly client: LoadClient; readonly dialect: Dialect }[],
  next: () => LoadRequest,
): Promise<void> {
  for (let requested = 0; requested < 5; requested++) {
    const first = next();
    const responses: unknown[] = [];
    for (const { client, dialect } of peers) {
      const request = first.method === "POST" && responses.length > 0 ? next() : first;
      const sent = dialect.translate(request);
      const { status, body } = await client.send(sent);
      assert.equal(status < 300, sent.status === undefined, `${sent.method} ${sent.path}: ${status} ${body}`);
      const content = status < 300 ? dialect.read(body, request) : "rejected";
      responses.push(request.status === undefined ? hideChanging(content, request.method !== "GET") : isError(content));
    }
    for (const response of responses) assert.deepEqual(response, responses[0], `${first.method} ${first.path}`);
  }
}

const isError = (content: Content | "rejected"): boolean => content === "rejected" || content === "missing";

const hideChanging = (content: Content | "rejected", isWritten: boolean): unknown =>
  JSON.parse(JSON.stringify(content), (key, value) => (isWritten && changing.has(key) ? "…" : value));
