import { connect, type Socket } from "node:net";
import type { LoadRequest } from "./load.js";
import { responseLength } from "./response-length.js";

/** One connection that sends one request after another. */
export interface RawConnection {
  /**
   * Sends a request and waits for the complete response.
   *
   * @throws {Error} for a response with another status than expected
   */
  send(request: LoadRequest): Promise<void>;
  close(): void;
}

/**
 * A connection with a minimal client: Node's own would take most of the time. It opens with its first request, because a
 * server closes one that waits longer than a minute for it, while other targets are warmed up.
 */
export function openRawConnection(port: number): RawConnection {
  let socket: Socket | undefined;
  let received = "";
  let complete = 0;
  let expected: number | undefined;
  let settle: { resolve(): void; reject(error: Error): void } | undefined;
  const fail = (error?: Error): void => settle?.reject(error ?? new Error("The server closed a connection."));
  const receive = (chunk: string): void => {
    received += chunk;
    if (complete === 0) complete = responseLength(received);
    if (complete === 0 || received.length < complete) return;
    const status = Number(received.slice(9, 12));
    received = "";
    complete = 0;
    if (expected === undefined ? status < 300 : status === expected) settle?.resolve();
    else fail(new Error(`A request returned ${status}.`));
  };
  const open = (): Socket =>
    connect(port, "127.0.0.1")
      .setNoDelay(true)
      .setEncoding("latin1")
      .on("error", fail)
      .on("close", () => fail())
      .on("data", receive);
  return {
    send: (request) =>
      new Promise((resolve, reject) => {
        settle = { resolve, reject };
        expected = request.status;
        socket ??= open();
        socket.write(textOf(request));
      }),
    close: () => socket?.destroy(),
  };
}

function textOf({ method, path, body, token }: LoadRequest): string {
  const lines = [`${method} ${path} HTTP/1.1`, "Host: 127.0.0.1"];
  if (token !== undefined) lines.push(`Authorization: Bearer ${token}`);
  if (body !== undefined) lines.push("Content-Type: application/json", `Content-Length: ${Buffer.byteLength(body)}`);
  return `${lines.join("\r\n")}\r\n\r\n${body ?? ""}`;
}
