import type { Request } from "express";
import { cutText } from "../bound-response.js";
import type { ServiceResponse } from "../call-service.js";
import type { Catalog } from "../catalog.js";
import type { McpContext } from "../mcp-context.js";

/** The hints about a tool, for programs that prompt their users first. */
export interface ToolAnnotations {
  readonly readOnlyHint: boolean;
  readonly destructiveHint?: boolean;
  readonly idempotentHint?: boolean;
  /** No system outside this service is called. */
  readonly openWorldHint: false;
}

/** A tool in the list of tools. */
export interface ListedTool {
  readonly name: string;
  readonly title: string;
  readonly description: string;
  readonly inputSchema: { readonly type: "object"; readonly [key: string]: unknown };
  readonly annotations: ToolAnnotations;
}

/** The context of one call. */
export interface Call {
  readonly request: Request;
  readonly catalog: Catalog;
  readonly context: McpContext;
}

/** The result of a tool: text within the limits. */
export interface ToolResult {
  readonly text: string;
  readonly isError?: boolean;
}

/** A tool with its action. */
export interface Tool extends ListedTool {
  readonly run: (given: unknown, call: Call) => Promise<ToolResult>;
}

/** A rejection by the service or an argument error, as text for an agent. */
export const rejection = (text: string): ToolResult => ({ text: cutText(text), isError: true });

/** The parts of a problem (RFC 9457) that help to correct the call. */
export function describeRejection({ status, value }: ServiceResponse): ToolResult {
  const { code, detail, errors } = Object(value) as Record<string, unknown>;
  if (code === undefined) return rejection(`The service responded with ${status}.`);
  return rejection(JSON.stringify({ status, code, detail, errors }));
}
