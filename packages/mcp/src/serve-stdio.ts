import { createInterface } from "node:readline";
import type { Readable } from "node:stream";

/** The longest message, in characters. */
const longestMessage = 4 * 1024 * 1024;

/** What carries messages between a program and a service. */
export interface StdioOptions {
  /** Answers a request of the Fetch standard as the service would. */
  readonly fetch: (request: Request) => Promise<Response>;
  /** Says who the caller is, such as `Authorization`. */
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
 * The transport over standard input and output (contract C75): each line is one message, which goes the way of any other to
 * `/api/mcp`, and its answer is one line. Ends with the input, when everything is answered.
 */
export async function serveStdio({ fetch, headers, input, output }: StdioOptions): Promise<void> {
  let version: string | undefined;
  const say = (answer: object): void => {
    output.write(`${JSON.stringify(answer)}\n`);
  };
  const answer = async (line: string): Promise<void> => {
    const message = readMessage(line);
    if (message === undefined) return say(failure(null, -32700, "The line is no message as JSON."));
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
      const told = text === "" ? undefined : (JSON.parse(text) as Message & { readonly detail?: unknown });
      if (typeof told?.result?.protocolVersion === "string") version = told.result.protocolVersion;
      if (response.ok ? told !== undefined : told !== undefined && "jsonrpc" in told) say(told as object);
      else if (!response.ok && id !== undefined) say(failure(id, -32000, String(told?.detail ?? response.status)));
    } catch {
      if (id !== undefined) say(failure(id, -32603, "The service gave no answer."));
    }
  };
  const running = new Set<Promise<void>>();
  for await (const line of createInterface({ input, crlfDelay: Number.POSITIVE_INFINITY })) {
    if (line.trim() === "") continue;
    const work =
      line.length > longestMessage
        ? Promise.resolve(say(failure(null, -32600, "The message is too long.")))
        : answer(line);
    running.add(work);
    void work.finally(() => running.delete(work));
    // What a connection is opened with is settled before the rest is asked.
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
