import type { Server } from "node:http";
import type { Socket } from "node:net";
import type { RunningRequests } from "./stop-server.js";

/** How answers must be read. */
export interface AnswerTimes {
  /** How much a client must take in each second, over {@link rateMs}. */
  readonly bytesPerSecond: number;
}

/** How often the connections are looked at, in milliseconds. */
const lookMs = 5_000;
/**
 * Over how long the rate is judged, in milliseconds: the system's own buffers take more only when a third of them, a
 * megabyte maybe, is empty.
 */
const rateMs = 60_000;

/** What was sent on a connection when the rate was judged last, and the looks since then at which more waited. */
interface Judged {
  readonly sent: number;
  readonly looks: number;
}

/**
 * Cuts the connections of clients that do not read their answers, or hardly (contract C43): what waits to be sent to them
 * is held in memory. A handler that has nothing to send makes the client wait, which is no fault of the client. Looks are
 * counted instead of milliseconds, so that a process that stood still blames nobody for it.
 */
export function watchAnswers(server: Server, running: RunningRequests, { bytesPerSecond }: AnswerTimes): void {
  const judged = new WeakMap<Socket, Judged>();
  const look = (): void => {
    for (const [socket, responses] of running) {
      const { sent, waiting } = progressOf(socket);
      const last = judged.get(socket);
      if (responses.length === 0 || waiting === 0) judged.delete(socket);
      else if (last === undefined) judged.set(socket, { sent, looks: 0 });
      else if ((last.looks + 1) * lookMs < rateMs) judged.set(socket, { sent: last.sent, looks: last.looks + 1 });
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

/** What Node itself asks when it judges whether a connection that is written to stands still. */
interface Handle {
  readonly bytesWritten?: number;
  readonly writeQueueSize?: number;
}

/** How many bytes the system has taken of what was written to a connection, and how many wait for it. */
function progressOf(socket: Socket): { readonly sent: number; readonly waiting: number } {
  const waiting = socket.writableLength;
  const { bytesWritten, writeQueueSize } = (socket as { _handle?: Handle | null })._handle ?? {};
  // A large answer is written at once: only the queue below tells that it gets shorter.
  if (bytesWritten !== undefined && writeQueueSize !== undefined)
    return { sent: bytesWritten - writeQueueSize, waiting };
  return { sent: socket.bytesWritten - waiting, waiting };
}
