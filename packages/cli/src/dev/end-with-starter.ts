/** Exits with the parent process in the way of a signal, so that running requests complete. */
export function endWithStarter(): void {
  process.once("disconnect", () => {
    process.kill(process.pid, "SIGTERM");
    setTimeout(() => process.exit(1), 2_000).unref();
  });
  // The listener alone must not keep the process running.
  process.channel?.unref();
}
