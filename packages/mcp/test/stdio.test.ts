import { PassThrough } from "node:stream";
import { expect, it } from "vitest";
import { serveStdio } from "../src/internal.js";

const initialize = { jsonrpc: "2.0", id: 0, method: "initialize" };

it("C75 sends each line to /api/mcp with the token, and writes each response", async () => {
  const seen: string[] = [];
  const lines: string[] = [];
  const input = new PassThrough();
  const fetch = async (request: Request): Promise<Response> => {
    const { id, method } = (await request.json()) as { id?: number; method: string };
    const version = request.headers.get("mcp-protocol-version");
    seen.push([method, new URL(request.url).pathname, request.headers.get("authorization"), version].join(" "));
    if (id === undefined) return new Response(null, { status: 202 });
    if (method === "late") return Response.json({ detail: "Too many requests." }, { status: 429 });
    return Response.json({ jsonrpc: "2.0", id, result: id === 0 ? { protocolVersion: "2025-06-18" } : {} });
  };
  const done = serveStdio({
    ...{ fetch, headers: { authorization: "Bearer t" }, input },
    output: { write: (text) => lines.push(text) },
  });
  input.write(`${JSON.stringify(initialize)}\n\n`);
  input.write(`${JSON.stringify({ jsonrpc: "2.0", method: "notifications/initialized" })}\nnonsense\n[]\n`);
  input.end(`${JSON.stringify({ ...initialize, id: 1, method: "late" })}\n`);
  await done;
  expect(seen).toEqual([
    "initialize /api/mcp Bearer t ",
    "notifications/initialized /api/mcp Bearer t 2025-06-18",
    "late /api/mcp Bearer t 2025-06-18",
  ]);
  expect(lines.map((line) => (JSON.parse(line) as { id: unknown }).id).sort()).toEqual([0, 1, null, null]);
  expect(lines.join("")).toContain("Too many requests.");
});
