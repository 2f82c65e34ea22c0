import { readFileSync } from "node:fs";
import { runCli } from "@servicekit/cli";
import { createService } from "../create-service.js";

const manifest = readFileSync(new URL("../../package.json", import.meta.url), "utf8");
const argv = process.argv.slice(2);
const exitCode = await runCli(argv, {
  version: (JSON.parse(manifest) as { version: string }).version,
  create: (environment) => createService({}, { environment, argv: [] }),
});
// What was started by "service start" goes on.
if (argv[0] !== "start" || exitCode !== 0) process.exit(exitCode);
