import { callerOf } from "@servicekit/router";
import type { Request } from "express";
import type { McpContext } from "./mcp-context.js";

/** A request to the service, made for a model. */
export interface Asked {
  readonly method: string;
  /** With the query. */
  readonly path: string;
  readonly body?: unknown;
  readonly headers?: Readonly<Record<string, string>>;
}

/** What the service answered. */
export interface Told {
  readonly isRefused: boolean;
  readonly status: number;
  /** JSON as a value, other text as it stands, and a sentence in place of anything else. */
  readonly value: unknown;
  readonly headers: Headers;
}

/** What is said of the message alone, and not of who sends it. */
const ofMessage =
  /^(connection|keep-alive|te|trailer|transfer-encoding|upgrade|expect|host|range|prefer|cookie|x-request-id|idempotency-key|(content|accept|mcp|if|proxy)-.*|accept|http2-settings)$/;

/** More than that is not read of an answer, in bytes. */
const mostBytes = 8 * 1024 * 1024;

/** What a server reads of a request line and headers (Node's own bound is 16 KB), in characters. */
const longestPath = 12_000;

/**
 * Asks the service for the caller of a request: a request of its own through the whole pipeline, from the caller's address and
 * with the caller's headers, so that rights, limits, validation, hooks and logs are those of any other (contract C75).
 */
export async function askService(context: McpContext, caller: Request, asked: Asked): Promise<Told> {
  const { method, path, body, headers } = asked;
  if (path.length > longestPath) {
    const value = { code: "UriTooLong", detail: "The question is too long: ask for less at a time." };
    return { isRefused: true, status: 414, value, headers: new Headers() };
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
    return await readAnswer(await context.fetch(request, caller));
  } finally {
    caller.res?.off("close", leave);
  }
}

/** What was sent to say who the caller is. A cookie that was not accepted here (contract C31) is not accepted by a read. */
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

async function readAnswer(response: globalThis.Response): Promise<Told> {
  const { headers, status, ok } = response;
  const type = headers.get("content-type") ?? "";
  const told = (value: unknown): Told => ({ isRefused: !ok, status, value, headers });
  if (!/^(application\/(.+\+)?json|text\/)/.test(type)) {
    await response.body?.cancel();
    return told(type === "" ? undefined : `An answer of the type ${type}, which is not shown.`);
  }
  const text = await readText(response);
  if (text === undefined) return told(`An answer of more than ${mostBytes} bytes, which is not shown.`);
  return told(/json/.test(type) ? JSON.parse(text) : text);
}

async function readText({ body }: globalThis.Response): Promise<string | undefined> {
  const chunks: Uint8Array[] = [];
  let bytes = 0;
  for await (const chunk of (body ?? []) as AsyncIterable<Uint8Array>) {
    bytes += chunk.length;
    if (bytes > mostBytes) return undefined;
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString();
}
