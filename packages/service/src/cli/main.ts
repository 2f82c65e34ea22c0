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
// The program started by "service start" keeps running.
if (argv[0] !== "start" || exitCode !== 0) process.exit(exitCode);
