import { once } from "node:events";
import { type AddressInfo, connect, type Socket } from "node:net";
import { setImmediate } from "node:timers/promises";
import type { Express } from "express";
import { makeServer } from "../src/index.js";

/** Sends the beginning of a request to an application, closes the connection while it is processed, and waits until the server has noticed. */
export async function abortRequest(app: Express, text: string): Promise<void> {
  const server = makeServer(app);
  await once(server.listen(0, "127.0.0.1"), "listening");
  const begun = new Promise<Socket>((resolve) => server.once("request", ({ socket }) => resolve(socket)));
  const socket = connect((server.address() as AddressInfo).port, "127.0.0.1");
  socket.write(text);
  const accepted = await begun;
  const closed = new Promise((resolve) => accepted.once("close", resolve));
  socket.destroy();
  await closed;
  await setImmediate();
  server.close();
}
