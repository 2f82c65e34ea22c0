// A program: runs another one from its sources.
import { importProgram } from "./import-program.js";

const [, , entry = "", ...args] = process.argv;
await importProgram(entry, args);
