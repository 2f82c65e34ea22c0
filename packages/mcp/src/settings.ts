import type { ShapeOf } from "@servicekit/router/settings";
import { z } from "zod";

/** The block `mcp` (contract C75): models ask the service at `/api/mcp`. Off without it. */
export interface McpConfig {
  /** What they may do, each as its caller: read, or write too where the caller may. @default "read" */
  readonly access?: "read" | "write";
}

const keys: ShapeOf<McpConfig> = { access: z.enum(["read", "write"]).optional() };

/** The shape of the block `mcp`. */
export const mcpSchema = z.strictObject(keys);

/** The block `mcp` with its default filled in. */
export type McpSettings = Required<McpConfig>;

/** Completes the block `mcp`; without it no model asks. */
export function readMcpSettings(config: McpConfig | undefined): McpSettings | undefined {
  return config && { access: config.access ?? "read" };
}
