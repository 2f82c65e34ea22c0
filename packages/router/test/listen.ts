import type { Server } from "node:http";
import { type AddressInfo, connect } from "node:net";
import type { Express } from "express";
import { makeServer } from "../src/index.js";

/** Servers of `makeServer` on free ports; `closeAll` closes the open ones. */
export function makeListener() {
  const servers: Server[] = [];
  return {
    async listen(app: Express, options?: Parameters<typeof makeServer>[1]): Promise<number> {
      const server = makeServer(app, options);
      servers.push(server);
      await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
      server.unref();
      return (server.address() as AddressInfo).port;
    },
    closeAll(): void {
      for (const server of servers.splice(0)) server.closeAllConnections();
    },
  };
}

/** Sends raw text and reads until the peer closes or `until` arrives. */
export function raw(port: number, text: string, until = "never"): Promise<string> {
  return new Promise((resolve) => {
    const socket = connect(port, "127.0.0.1", () => socket.write(text));
    let response = "";
    socket.on("data", (chunk) => {
      response += chunk;
      if (response.includes(until)) socket.destroy();
    });
    socket.on("close", () => resolve(response));
    socket.on("error", () => resolve(response));
  });
}
