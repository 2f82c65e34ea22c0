import type { Server } from "node:http";
import type { Socket } from "node:net";
import { performance } from "node:perf_hooks";

/** How often it is looked how late the event loop is, in milliseconds, and how long what was seen may count. */
const beatMs = 500;
const keptMs = 120_000;

/**
 * Keeps Node's own time limits of a server from counting a while in which this process stood still, whatever held it: Node
 * looks at the clock before it reads what has come in meanwhile, and would answer 408 to requests, and end connections,
 * whose bytes were there in time.
 */
export function excuseStalls(server: Server): void {
  const clock = watchStalls(server);
  for (const limit of ["headersTimeout", "requestTimeout"] as const) {
    let milliseconds = server[limit];
    // Node asks for both each time it looks for connections over their time; 0 is no limit.
    Object.defineProperty(server, limit, {
      enumerable: true,
      configurable: true,
      get: () => (milliseconds > 0 ? milliseconds + clock.stoodStill(milliseconds) : milliseconds),
      set: (value: number) => {
        milliseconds = value;
      },
    });
  }
  server.on("timeout", (socket: Socket) => {
    // Whoever else listens decides, as with Node.
    if (server.listenerCount("timeout") > 1) return;
    const { bytesRead } = socket;
    setImmediate(() => socket.bytesRead === bytesRead && socket.destroy());
  });
}

interface StallClock {
  /** For how much of so many milliseconds of running before now this process stood still besides, in milliseconds. */
  readonly stoodStill: (milliseconds: number) => number;
}

/** Measures for how long this process stands still, while a server listens. */
function watchStalls(server: Server): StallClock {
  const stalls: { readonly at: number; readonly ms: number }[] = [];
  let beat: number | undefined;
  let timer: NodeJS.Timeout | undefined;
  const look = (): void => {
    const now = performance.now();
    const ms = beat === undefined ? 0 : now - beat - beatMs;
    if (ms > beatMs) stalls.push({ at: now, ms });
    while (stalls[0] !== undefined && stalls[0].at < now - keptMs) stalls.shift();
    beat = now;
  };
  server.on("listening", () => {
    beat = undefined;
    look();
    timer = setInterval(look, beatMs).unref();
  });
  server.on("close", () => clearInterval(timer));
  return {
    stoodStill: (milliseconds) => {
      const now = performance.now();
      // Node's look may come before that of this clock.
      const late = beat === undefined ? 0 : Math.max(0, now - beat - beatMs);
      let sum = late > beatMs ? late : 0;
      for (const { at, ms } of stalls.toReversed()) {
        if (at < now - milliseconds - sum) break;
        sum += ms;
      }
      return sum;
    },
  };
}
