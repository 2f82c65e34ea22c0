// What only other packages of this repository use. Unstable: it changes without a major version.
export { runProgramCommand } from "./run-program-command.js";
