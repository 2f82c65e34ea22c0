/** Ends this process with the one that started it, however that ends: as a signal does, which lets running requests end. */
export function endWithStarter(): void {
  process.once("disconnect", () => {
    process.kill(process.pid, "SIGTERM");
    setTimeout(() => process.exit(1), 2_000).unref();
  });
  // The listener alone must not keep a program alive that has come to its end.
  process.channel?.unref();
}
