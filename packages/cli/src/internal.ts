// Used only by other packages of this repository. Unstable: it changes without a major version.
export { makeProgram } from "./program.js";
export { addProgramCommands, runProgramCommand } from "./run-program-command.js";
