import type { Request } from "express";
import type { Told } from "../ask-service.js";
import { cutText } from "../bound-answer.js";
import type { Catalog } from "../catalog.js";
import type { McpContext } from "../mcp-context.js";

/** What a tool may do, as the protocol tells it to programs that ask people first. */
export interface ToolAnnotations {
  readonly readOnlyHint: boolean;
  readonly destructiveHint?: boolean;
  readonly idempotentHint?: boolean;
  /** Nothing outside of this service is reached. */
  readonly openWorldHint: false;
}

/** A tool as it is listed. */
export interface ListedTool {
  readonly name: string;
  readonly title: string;
  readonly description: string;
  readonly inputSchema: { readonly type: "object"; readonly [key: string]: unknown };
  readonly annotations: ToolAnnotations;
}

/** What a tool works with: one call, and who makes it. */
export interface Call {
  readonly request: Request;
  readonly catalog: Catalog;
  readonly context: McpContext;
}

/** What a tool answers: text within bounds. */
export interface ToolAnswer {
  readonly text: string;
  readonly isError?: boolean;
}

/** A tool with what it does. */
export interface Tool extends ListedTool {
  readonly run: (given: unknown, call: Call) => Promise<ToolAnswer>;
}

/** A refusal of the service, or of the arguments, in words for a model. */
export const refusal = (text: string): ToolAnswer => ({ text: cutText(text), isError: true });

/** The parts of a problem (RFC 9457) that help to ask better. */
export function toldRefusal({ status, value }: Told): ToolAnswer {
  const { code, detail, errors } = Object(value) as Record<string, unknown>;
  if (code === undefined) return refusal(`The service answered ${status}.`);
  return refusal(JSON.stringify({ status, code, detail, errors }));
}
