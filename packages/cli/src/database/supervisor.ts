// A program that runs the development database for the process that started it, and stops it when that process exits.
import { StartupError } from "@servicekit/core";
import { loadDatabaseLibrary } from "./library.js";

/** A message to the process that started it. */
export type SupervisorMessage =
  | { readonly kind: "started"; readonly url: string; readonly reused: boolean }
  | { readonly kind: "log"; readonly line: string }
  | { readonly kind: "failed"; readonly message: string };

const report = (message: SupervisorMessage): void => {
  // The receiver may have exited.
  if (process.connected) process.send?.(message, undefined, undefined, () => {});
};

const [, , directory = ""] = process.argv;
const ended = new Promise<void>((resolve) => {
  process.once("disconnect", resolve);
  process.once("SIGTERM", () => resolve());
  // The terminal sends it to all processes; the parent decides.
  process.on("SIGINT", () => {});
  process.on("SIGHUP", () => {});
});

try {
  const { startDevDatabase } = await loadDatabaseLibrary("service dev");
  const log = (line: string): void => report({ kind: "log", line });
  const { url, reused, stop } = await startDevDatabase({ directory, log });
  report({ kind: "started", url, reused });
  await ended;
  await stop();
} catch (error) {
  report({ kind: "failed", message: error instanceof StartupError ? error.message : String(error) });
  process.exitCode = 1;
}
if (process.connected) process.disconnect();
