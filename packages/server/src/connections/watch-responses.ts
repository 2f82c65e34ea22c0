import type { Server } from "node:http";
import type { Socket } from "node:net";
import type { RunningRequests } from "./stop-server.js";

/** The minimum rate at which clients must read responses. */
export interface ResponseTimes {
  /** The minimum number of bytes that a client reads per second, over `rateMs`. */
  readonly bytesPerSecond: number;
}

/** The interval of the checks, in milliseconds. */
const checkMs = 5_000;
/** The period over which the rate is measured, and the maximum time without progress. */
const rateMs = 60_000;

/** The bytes sent on a connection at the last measurement of its rate, and the checks since then at which data waited. */
interface Measurement {
  readonly sent: number;
  readonly checks: number;
}

/**
 * Closes the connections of clients that do not read their responses, or read them too slowly (contract C43), because
 * the unsent data is held in memory. Time in which a handler has nothing to send does not count. Checks are counted
 * instead of milliseconds, so that a blocked event loop closes no connection.
 *
 * A connection without progress is closed by Node's own socket timeout, which also detects progress within one large
 * write. The rate is measured over complete writes: a client has as much time as its queued bytes take at the minimum
 * rate.
 */
export function watchResponses(server: Server, running: RunningRequests, { bytesPerSecond }: ResponseTimes): void {
  const measurements = new WeakMap<Socket, Measurement>();
  const start = (socket: Socket, sent: number): void => {
    measurements.set(socket, { sent, checks: 0 });
    socket.setTimeout(Math.min(server.timeout || rateMs, rateMs));
  };
  const end = (socket: Socket, isRunning: boolean): void => {
    // After a response Node has set the keep-alive timeout.
    if (measurements.delete(socket) && isRunning) socket.setTimeout(server.timeout);
  };
  const check = (): void => {
    for (const [socket, responses] of running) {
      const waiting = socket.writableLength;
      const sent = socket.bytesWritten - waiting;
      const last = measurements.get(socket);
      if (responses.length === 0 || waiting === 0) {
        end(socket, responses.length > 0);
        continue;
      }
      if (last === undefined) {
        start(socket, sent);
        continue;
      }
      const checks = last.checks + 1;
      const windowMs = Math.max(rateMs, (waiting / bytesPerSecond) * 1_000);
      if (checks * checkMs < windowMs) measurements.set(socket, { sent: last.sent, checks });
      else if (sent - last.sent >= (bytesPerSecond * rateMs) / 1_000) measurements.set(socket, { sent, checks: 0 });
      else socket.destroy();
    }
  };
  let timer: NodeJS.Timeout | undefined;
  server.on("listening", () => {
    timer = setInterval(check, checkMs).unref();
  });
  server.on("close", () => clearInterval(timer));
}
