import { monitorEventLoopDelay } from "node:perf_hooks";

/** Tells the parent that this process is ready, answers its questions, and ends when the parent lets go. */
export function serveParent(ready: number, answer: (question: unknown) => number): void {
  process.on("message", (question) => process.send?.(answer(question)));
  process.on("disconnect", () => process.exit(0));
  process.send?.(ready);
}

/** CPU microseconds that this process has used so far, in all its threads. */
export function cpuTime(): number {
  const { user, system } = process.cpuUsage();
  return user + system;
}

const delays = monitorEventLoopDelay({ resolution: 1 });

/** Nanoseconds of the longest time since the last question for which the event loop did nothing else. */
function longestStall(): number {
  const { max } = delays;
  delays.enable();
  delays.reset();
  return max;
}

/**
 * What this process uses: `"memory"` and `"peak"` in bytes, the highest so far; the longest `"stall"` in nanoseconds; CPU
 * microseconds for any other question.
 */
export function reportUsage(question: unknown): number {
  if (question === "stall") return longestStall();
  if (question === "memory") return process.memoryUsage.rss();
  if (question === "peak") return process.resourceUsage().maxRSS * 1024;
  return cpuTime();
}
