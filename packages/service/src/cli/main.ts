import { readFileSync } from "node:fs";
import { runCli } from "@servicekit/cli";

const manifest = readFileSync(new URL("../../package.json", import.meta.url), "utf8");
const argv = process.argv.slice(2);
const exitCode = await runCli(argv, {
  version: (JSON.parse(manifest) as { version: string }).version,
  // Loaded where a command looks into a service: help and most commands never do.
  create: async (environment) => {
    const { createService } = await import("../create-service.js");
    return createService({}, { environment, argv: [] });
  },
});
// What was started by "service start" goes on.
if (argv[0] !== "start" || exitCode !== 0) process.exit(exitCode);
