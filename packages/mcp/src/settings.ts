import type { ShapeOf } from "@servicekit/router/settings";
import { z } from "zod";

/** The block `mcp` (contract C75): AI agents call the service at `/api/mcp`. Off by default. */
export interface McpConfig {
  /** The access of agents, within the permissions of their caller: read, or also write. @default "read" */
  readonly access?: "read" | "write";
}

const keys: ShapeOf<McpConfig> = { access: z.enum(["read", "write"]).optional() };

/** The schema of the block `mcp`. */
export const mcpSchema = z.strictObject(keys);

/** The block `mcp` with its default. */
export type McpSettings = Required<McpConfig>;

/** Validates the block `mcp`; without it MCP is off. */
export function readMcpSettings(config: McpConfig | undefined): McpSettings | undefined {
  return config && { access: config.access ?? "read" };
}
