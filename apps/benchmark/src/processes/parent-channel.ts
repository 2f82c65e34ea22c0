import { monitorEventLoopDelay } from "node:perf_hooks";

/** Reports to the parent that this process is ready, replies to its messages, and exits when the parent disconnects. */
export function serveParent(ready: number, response: (question: unknown) => number): void {
  process.on("message", (question) => process.send?.(response(question)));
  process.on("disconnect", () => process.exit(0));
  process.send?.(ready);
}

/** The CPU microseconds of this process so far, in all its threads. */
export function cpuTime(): number {
  const { user, system } = process.cpuUsage();
  return user + system;
}

const delays = monitorEventLoopDelay({ resolution: 1 });

/** The longest time in which the event loop was blocked since the last message, in nanoseconds. */
function longestStall(): number {
  const { max } = delays;
  delays.enable();
  delays.reset();
  return max;
}

/**
 * The usage of this process: `"memory"` and `"peak"` (the maximum so far) in bytes; the longest `"stall"` in nanoseconds;
 * CPU microseconds for any other message.
 */
export function reportUsage(question: unknown): number {
  if (question === "stall") return longestStall();
  if (question === "memory") return process.memoryUsage.rss();
  if (question === "peak") return process.resourceUsage().maxRSS * 1024;
  return cpuTime();
}
