import { once } from "node:events";
import type { Server } from "node:http";
import { type AddressInfo, connect, type Socket } from "node:net";
import { onTestFinished } from "vitest";

/** A server that listens on a port of its own until the test ends. */
export async function listen(server: Server): Promise<number> {
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  onTestFinished(() => {
    server.close();
    server.closeAllConnections();
  });
  return (server.address() as AddressInfo).port;
}

/** A connection whose bytes are written and read as they are. */
export interface RawConnection {
  readonly socket: Socket;
  /** Everything that was received. */
  received(): string;
  /** The status of each response so far. */
  statuses(): readonly number[];
  readonly closed: Promise<unknown>;
}

export async function connectRaw(port: number, text = ""): Promise<RawConnection> {
  const socket = connect(port, "127.0.0.1");
  socket.on("error", () => undefined);
  let received = "";
  socket.on("data", (chunk) => {
    received += String(chunk);
  });
  const closed = new Promise((resolve) => socket.once("close", resolve));
  onTestFinished(() => void socket.destroy());
  await once(socket, "connect");
  if (text !== "") socket.write(text);
  return {
    ...{ socket, closed },
    received: () => received,
    statuses: () => [...received.matchAll(/HTTP\/1\.1 (\d{3})/g)].map(([, status]) => Number(status)),
  };
}

/** Requests without bodies, in one packet. */
export const packet = (...paths: readonly string[]): string =>
  paths.map((path) => `GET ${path} HTTP/1.1\r\nHost: a\r\n\r\n`).join("");
