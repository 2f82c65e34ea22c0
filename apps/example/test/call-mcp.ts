import { Client } from "@modelcontextprotocol/sdk/client/index.js";
import { StreamableHTTPClientTransport } from "@modelcontextprotocol/sdk/client/streamableHttp.js";

/** The result of a tool, as text. */
export interface ToolText {
  readonly text: string;
  readonly isError: boolean;
  /** The text as JSON. */
  readonly json: () => Record<string, unknown> & { readonly data: Record<string, unknown>[] };
}

/** An agent's connection to a shop, with the official client library. */
export interface Agent {
  readonly client: Client;
  readonly tools: () => Promise<readonly string[]>;
  readonly call: (name: string, given?: Record<string, unknown>) => Promise<ToolText>;
  /** The names of the resources for this caller. */
  readonly resources: () => Promise<readonly string[]>;
  readonly describe: (resource: string) => Promise<Record<string, unknown>>;
}

/** Connects to the shop at an address with headers that authenticate the caller. */
export async function connectAgent(url: string, headers: Record<string, string> = {}): Promise<Agent> {
  const client = new Client({ name: "agent", version: "1.0.0" });
  const transport = new StreamableHTTPClientTransport(new URL("/api/mcp", url), { requestInit: { headers } });
  // The library's own optional properties are not exact.
  await client.connect(transport as Parameters<typeof client.connect>[0]);
  const call: Agent["call"] = async (name, given = {}) => {
    const { content, isError } = await client.callTool({ name, arguments: given });
    const [{ text = "" } = {}] = content as readonly { readonly text?: string }[];
    return { text, isError: isError === true, json: () => JSON.parse(text) };
  };
  return {
    client,
    call,
    tools: async () => (await client.listTools()).tools.map(({ name }) => name),
    resources: async () => (await call("list_resources")).json().data.map(({ resource }) => String(resource)),
    describe: async (resource) => (await call("describe_resource", { resource })).json(),
  };
}
