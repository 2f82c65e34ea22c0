import { type IncomingHttpHeaders, request } from "node:http";

/** Internal details that no response may contain (contract C3). */
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
    const requested = request(url, { method, path: target, headers, agent: false }, (response) => {
      const chunks: Buffer[] = [];
      response.on("data", (chunk: Buffer) => chunks.push(chunk));
      response.on("end", () =>
        resolve({
          status: response.statusCode ?? 0,
          headers: response.headers,
          text: Buffer.concat(chunks).toString(),
        }),
      );
    });
    requested.on("error", reject).end(body);
  });
}
