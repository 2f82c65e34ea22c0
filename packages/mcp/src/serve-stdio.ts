import { createInterface } from "node:readline";
import type { Readable } from "node:stream";

/** Maximum length of a message, in characters. */
const longestMessage = 4 * 1024 * 1024;

/** The connection between a program and a service. */
export interface StdioOptions {
  /** Handles a request of the Fetch standard. */
  readonly fetch: (request: Request) => Promise<Response>;
  /** The headers that authenticate the caller, such as `Authorization`. */
  readonly headers: Readonly<Record<string, string>>;
  /** Messages to the service, one per line. */
  readonly input: Readable;
  /** Receives the messages of the service, one per line. */
  readonly output: {
    /** Writes one message. */
    readonly write: (text: string) => unknown;
  };
}

interface Message {
  readonly id?: string | number | null;
  readonly method?: unknown;
  readonly result?: { readonly protocolVersion?: unknown };
}

/**
 * The transport over standard input and output (contract C75): each line is one message, which is sent to `/api/mcp`,
 * and its response is one line. Ends with the input, when every message has a response.
 */
export async function serveStdio({ fetch, headers, input, output }: StdioOptions): Promise<void> {
  let version: string | undefined;
  const write = (reply: object): void => {
    output.write(`${JSON.stringify(reply)}\n`);
  };
  const reply = async (line: string): Promise<void> => {
    const message = readMessage(line);
    if (message === undefined) return write(failure(null, -32700, "The line is not a JSON message."));
    const { id } = message;
    try {
      const response = await fetch(
        new Request("http://localhost/api/mcp", {
          method: "POST",
          headers: {
            ...headers,
            accept: "application/json, text/event-stream",
            "content-type": "application/json",
            ...(version === undefined ? {} : { "mcp-protocol-version": version }),
          },
          body: line,
        }),
      );
      const text = await response.text();
      const received = text === "" ? undefined : (JSON.parse(text) as Message & { readonly detail?: unknown });
      if (typeof received?.result?.protocolVersion === "string") version = received.result.protocolVersion;
      if (response.ok ? received !== undefined : received !== undefined && "jsonrpc" in received)
        write(received as object);
      else if (!response.ok && id !== undefined)
        write(failure(id, -32000, String(received?.detail ?? response.status)));
    } catch {
      if (id !== undefined) write(failure(id, -32603, "The service did not respond."));
    }
  };
  const running = new Set<Promise<void>>();
  for await (const line of createInterface({ input, crlfDelay: Number.POSITIVE_INFINITY })) {
    if (line.trim() === "") continue;
    const work =
      line.length > longestMessage
        ? Promise.resolve(write(failure(null, -32600, "The message is too long.")))
        : reply(line);
    running.add(work);
    void work.finally(() => running.delete(work));
    // The initialization is completed before the next message is read.
    if (version === undefined) await work;
  }
  await Promise.all(running);
}

function readMessage(line: string): Message | undefined {
  try {
    const value: unknown = JSON.parse(line);
    return typeof value === "object" && value !== null && !Array.isArray(value) ? (value as Message) : undefined;
  } catch {
    return undefined;
  }
}

const failure = (id: string | number | null, code: number, message: string): object => ({
  jsonrpc: "2.0",
  id,
  error: { code, message },
});
