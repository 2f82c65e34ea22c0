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
