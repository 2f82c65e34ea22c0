import type { Server } from "node:http";
import type { Socket } from "node:net";
import type { RunningRequests } from "./stop-server.js";

/** How fast clients must read responses. */
export interface AnswerTimes {
  /** How many bytes a client must take per second, over `rateMs`. */
  readonly bytesPerSecond: number;
}

/** How often the connections are checked, in milliseconds. */
const lookMs = 5_000;
/** Over how long the rate is measured, in milliseconds, and how long a connection may stand still. */
const rateMs = 60_000;

/** What was sent on a connection when its rate was last measured, and the checks since then at which more waited. */
interface Judged {
  readonly sent: number;
  readonly looks: number;
}

/**
 * Closes the connections of clients that do not read their responses, or read them too slowly (contract C43), because what waits to be
 * sent to them is held in memory. While a handler has nothing to send, no time counts. Checks are counted instead of milliseconds, so
 * that a blocked event loop closes no connection.
 *
 * A connection that stands still is closed by Node's own socket timeout, which also notices progress inside of one large write. The rate
 * is measured by whole writes: a client has as long as its waiting bytes take at the lowest rate.
 */
export function watchAnswers(server: Server, running: RunningRequests, { bytesPerSecond }: AnswerTimes): void {
  const judged = new WeakMap<Socket, Judged>();
  const start = (socket: Socket, sent: number): void => {
    judged.set(socket, { sent, looks: 0 });
    socket.setTimeout(Math.min(server.timeout || rateMs, rateMs));
  };
  const end = (socket: Socket, isRunning: boolean): void => {
    // After a response Node has set the keep-alive timeout.
    if (judged.delete(socket) && isRunning) socket.setTimeout(server.timeout);
  };
  const look = (): void => {
    for (const [socket, responses] of running) {
      const waiting = socket.writableLength;
      const sent = socket.bytesWritten - waiting;
      const last = judged.get(socket);
      if (responses.length === 0 || waiting === 0) {
        end(socket, responses.length > 0);
        continue;
      }
      if (last === undefined) {
        start(socket, sent);
        continue;
      }
      const looks = last.looks + 1;
      const windowMs = Math.max(rateMs, (waiting / bytesPerSecond) * 1_000);
      if (looks * lookMs < windowMs) judged.set(socket, { sent: last.sent, looks });
      else if (sent - last.sent >= (bytesPerSecond * rateMs) / 1_000) judged.set(socket, { sent, looks: 0 });
      else socket.destroy();
    }
  };
  let timer: NodeJS.Timeout | undefined;
  server.on("listening", () => {
    timer = setInterval(look, lookMs).unref();
  });
  server.on("close", () => clearInterval(timer));
}
