export { makeMcpRouter } from "./make-mcp-router.js";
export type { McpContext, McpDocument, SeenModel, ServedDescription } from "./mcp-context.js";
export type { StdioOptions } from "./serve-stdio.js";
