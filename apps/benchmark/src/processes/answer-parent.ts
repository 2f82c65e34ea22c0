/** Tells the parent that this process is ready, answers its questions, and ends when the parent lets go. */
export function answerParent(ready: number, answer: (question: unknown) => number): void {
  process.on("message", (question) => process.send?.(answer(question)));
  process.on("disconnect", () => process.exit(0));
  process.send?.(ready);
}

/** CPU microseconds that this process has used so far, in all its threads. */
export function cpuTime(): number {
  const { user, system } = process.cpuUsage();
  return user + system;
}

/** What this process uses: `"memory"` and `"peak"` in bytes, the highest so far; CPU microseconds for any other question. */
export function tellUse(question: unknown): number {
  if (question === "memory") return process.memoryUsage.rss();
  if (question === "peak") return process.resourceUsage().maxRSS * 1024;
  return cpuTime();
}
