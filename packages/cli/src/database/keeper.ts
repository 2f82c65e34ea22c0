// A program: keeps the database of development for the process that started it, and ends it with that process, however it ends.
import { StartError } from "@servicekit/core";
import { loadDatabaseLibrary } from "./library.js";

/** What this program tells the process that started it. */
export type KeeperMessage =
  | { readonly kind: "started"; readonly url: string; readonly reused: boolean }
  | { readonly kind: "log"; readonly line: string }
  | { readonly kind: "failed"; readonly message: string };

const tell = (message: KeeperMessage): void => {
  // Whoever listened may be gone.
  if (process.connected) process.send?.(message, undefined, undefined, () => {});
};

const [, , directory = ""] = process.argv;
const ended = new Promise<void>((resolve) => {
  process.once("disconnect", resolve);
  process.once("SIGTERM", () => resolve());
  // From the terminal it reaches everybody at once; the one who started this decides.
  process.on("SIGINT", () => {});
  process.on("SIGHUP", () => {});
});

try {
  const { startDevDatabase } = await loadDatabaseLibrary("service dev");
  const log = (line: string): void => tell({ kind: "log", line });
  const { url, reused, stop } = await startDevDatabase({ directory, log });
  tell({ kind: "started", url, reused });
  await ended;
  await stop();
} catch (error) {
  tell({ kind: "failed", message: error instanceof StartError ? error.message : String(error) });
  process.exitCode = 1;
}
if (process.connected) process.disconnect();
