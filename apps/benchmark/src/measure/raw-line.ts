import { connect } from "node:net";
import { lengthOfAnswer } from "./answer-length.js";

/** One connection on which one request is asked after another. */
export interface RawLine {
  /** Asks for a path, and waits for the whole answer. */
  get(path: string): Promise<void>;
  close(): void;
}

/** Opens a connection whose client does next to nothing: Node's own would be most of what is waited for. */
export function openRawLine(port: number): RawLine {
  const socket = connect(port, "127.0.0.1").setNoDelay(true).setEncoding("latin1");
  let received = "";
  let whole = 0;
  let settle: { resolve(): void; reject(error: Error): void } | undefined;
  const fail = (error?: Error): void => settle?.reject(error ?? new Error("The server ended a connection."));
  socket.on("error", fail).on("close", () => fail());
  socket.on("data", (chunk: string) => {
    received += chunk;
    if (whole === 0) whole = lengthOfAnswer(received);
    if (whole === 0 || received.length < whole) return;
    const status = Number(received.slice(9, 12));
    received = "";
    whole = 0;
    if (status === 200) settle?.resolve();
    else fail(new Error(`A request was answered ${status}.`));
  });
  return {
    get: (path) =>
      new Promise((resolve, reject) => {
        settle = { resolve, reject };
        socket.write(`GET ${path} HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n`, "latin1");
      }),
    close: () => socket.destroy(),
  };
}
