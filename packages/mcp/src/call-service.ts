import { callerOf } from "@servicekit/router";
import type { Request } from "express";
import type { McpContext } from "./mcp-context.js";

/** A request to the service on behalf of an agent. */
export interface ServiceRequest {
  readonly method: string;
  /** With the query. */
  readonly path: string;
  readonly body?: unknown;
  readonly headers?: Readonly<Record<string, string>>;
}

/** The response of the service. */
export interface ServiceResponse {
  readonly isRejected: boolean;
  readonly status: number;
  /** JSON as a value, other text unchanged, and a sentence for anything else. */
  readonly value: unknown;
  readonly headers: Headers;
}

/** The headers that describe the message, not its sender. */
const ofMessage =
  /^(connection|keep-alive|te|trailer|transfer-encoding|upgrade|expect|host|range|prefer|cookie|x-request-id|idempotency-key|(content|accept|mcp|if|proxy)-.*|accept|http2-settings)$/;

/** Maximum number of bytes read of a response. */
const maxBytes = 8 * 1024 * 1024;

/** Maximum length of a request line with headers, in characters (Node's own limit is 16 KB). */
const longestPath = 12_000;

/**
 * Calls the service for the caller of a request: a separate request through the complete pipeline, from the caller's
 * address and with the caller's headers, so that permissions, limits, validation, hooks and logs apply (contract C75).
 */
export async function callService(
  context: McpContext,
  caller: Request,
  outgoing: ServiceRequest,
): Promise<ServiceResponse> {
  const { method, path, body, headers } = outgoing;
  if (path.length > longestPath) {
    const value = { code: "UriTooLong", detail: "The request is too long. Request less at a time." };
    return { isRejected: true, status: 414, value, headers: new Headers() };
  }
  const gone = new AbortController();
  const leave = (): void => gone.abort();
  caller.res?.once("close", leave);
  try {
    const request = new Request(new URL(path, originOf(caller)), {
      method,
      headers: {
        ...headersOf(caller),
        accept: "application/json",
        ...(body === undefined ? {} : { "content-type": "application/json" }),
        ...headers,
      },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
      signal: gone.signal,
    });
    return await readResponse(await context.fetch(request, caller));
  } finally {
    caller.res?.off("close", leave);
  }
}

/**
 * The headers that identify the caller. A cookie that was rejected here (contract C31) must not be accepted by a read.
 */
function headersOf(caller: Request): Record<string, string> {
  const id = caller.res?.getHeader("x-request-id");
  const sent: Record<string, string> = typeof id === "string" ? { "x-request-id": id } : {};
  for (const [name, value] of Object.entries(caller.headers)) {
    if (value !== undefined && !ofMessage.test(name)) sent[name] = Array.isArray(value) ? value.join(", ") : value;
  }
  const { cookie } = caller.headers;
  return cookie === undefined || callerOf(caller) === undefined ? sent : { ...sent, cookie };
}

function originOf({ headers, socket }: Request): string {
  const isSecure = (socket as { readonly encrypted?: boolean }).encrypted === true;
  const origin = `${isSecure ? "https" : "http"}://${headers.host}`;
  return headers.host !== undefined && URL.canParse(origin) ? origin : "http://localhost";
}

async function readResponse(response: globalThis.Response): Promise<ServiceResponse> {
  const { headers, status, ok } = response;
  const type = headers.get("content-type") ?? "";
  const toResponse = (value: unknown): ServiceResponse => ({ isRejected: !ok, status, value, headers });
  // A stream of events has no end.
  if (!/^(application\/(.+\+)?json|text\/(?!event-stream))/.test(type)) {
    await response.body?.cancel();
    return toResponse(type === "" ? undefined : `A response of the type ${type}, which cannot be shown.`);
  }
  const text = await readText(response);
  if (text === undefined) return toResponse(`A response of more than ${maxBytes} bytes, which is not shown.`);
  return toResponse(/json/.test(type) ? JSON.parse(text) : text);
}

async function readText({ body }: globalThis.Response): Promise<string | undefined> {
  const chunks: Uint8Array[] = [];
  let bytes = 0;
  for await (const chunk of (body ?? []) as AsyncIterable<Uint8Array>) {
    bytes += chunk.length;
    if (bytes > maxBytes) return undefined;
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString();
}
