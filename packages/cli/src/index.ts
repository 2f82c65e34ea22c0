export type { InspectedService, ProgramHost } from "./commands/inspected-service.js";
export { type CliHost, runCli } from "./run-cli.js";
