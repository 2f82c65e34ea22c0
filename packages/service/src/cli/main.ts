import { readFileSync } from "node:fs";
import { runCli } from "@servicekit/cli";

const manifest = readFileSync(new URL("../../package.json", import.meta.url), "utf8");
const argv = process.argv.slice(2);
const exitCode = await runCli(argv, {
  version: (JSON.parse(manifest) as { version: string }).version,
  // Loaded for commands that inspect a service, which most do not.
  create: async (environment) => {
    const { createService } = await import("../create-service.js");
    return createService({}, { environment, argv: [] });
  },
});
// The program that these commands have started keeps running.
const keepsRunning = argv[0] === "start" || argv[0] === "worker";
if (!keepsRunning || exitCode !== 0) process.exit(exitCode);
