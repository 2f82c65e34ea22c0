import { whenMissing } from "@servicekit/core/internal";

const packages = { names: ["@modelcontextprotocol/sdk"], purpose: "The Model Context Protocol" };

/** The required parts of the official library. @throws {StartupError} if it is not installed */
export async function loadSdk() {
  const missing = whenMissing("mcp", packages);
  const [{ Server }, { WebStandardStreamableHTTPServerTransport: Transport }, types] = await Promise.all([
    import("@modelcontextprotocol/sdk/server/index.js").catch(missing),
    import("@modelcontextprotocol/sdk/server/webStandardStreamableHttp.js").catch(missing),
    import("@modelcontextprotocol/sdk/types.js").catch(missing),
  ]);
  return { Server, Transport, types };
}

/** The official library, once loaded. */
export type Sdk = Awaited<ReturnType<typeof loadSdk>>;
