import { expect, it } from "vitest";
import { generatedService } from "./generated-document.js";
import { makeSchema } from "./make-schema.js";

/** What an agent reads first, in tokens of about four bytes. */
const tokensOf = (text: string): number => Math.ceil(Buffer.byteLength(text) / 4);

it("C75 for 81 models the list of tools is under 3,000 tokens, and that of resources is one result", async () => {
  const service = await generatedService(makeSchema(7, 81), { mcp: { access: "write" } });
  const call = async (method: string, params?: object): Promise<string> => {
    const response = await service.fetch(
      new Request("http://localhost/api/mcp", {
        method: "POST",
        headers: { "content-type": "application/json", accept: "application/json, text/event-stream" },
        body: JSON.stringify({ jsonrpc: "2.0", id: 1, method, params }),
      }),
    );
    return response.text();
  };
  try {
    const tools = await call("tools/list");
    expect((JSON.parse(tools) as { result: { tools: unknown[] } }).result.tools).toHaveLength(7);
    expect(tokensOf(tools)).toBeLessThan(3_000);
    const listed = await call("tools/call", { name: "list_resources", arguments: {} });
    expect(listed.match(/\\"resource\\"/g)).toHaveLength(81);
    expect(tokensOf(listed)).toBeLessThan(6_000);
    console.log(`tools: ${tokensOf(tools)} tokens, resources: ${tokensOf(listed)}`);
  } finally {
    await service.close();
  }
});
