import { type IncomingHttpHeaders, request } from "node:http";

/** What no answer may tell of the inside (contract C3). */
export const inside =
  /prisma(?!QueryOptions)|P\d{4}\b|SQLSTATE|node_modules|\bat \S+:\d+:\d+|[a-z]_[a-z_]+_(key|fkey)\b/i;

/** A request that no client library would send. */
export function sendRaw(
  url: string,
  method: string,
  target: string,
  headers: Record<string, string>,
  body?: Buffer | string,
): Promise<{ status: number; headers: IncomingHttpHeaders; text: string }> {
  return new Promise((resolve, reject) => {
    const asked = request(url, { method, path: target, headers, agent: false }, (answer) => {
      const chunks: Buffer[] = [];
      answer.on("data", (chunk: Buffer) => chunks.push(chunk));
      answer.on("end", () =>
        resolve({ status: answer.statusCode ?? 0, headers: answer.headers, text: Buffer.concat(chunks).toString() }),
      );
    });
    asked.on("error", reject).end(body);
  });
}
