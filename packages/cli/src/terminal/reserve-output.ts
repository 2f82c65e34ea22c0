import fs from "node:fs";
import { Socket } from "node:net";

/** Writes to standard output. */
export interface ReservedOutput {
  write(text: string): void;
}

const place = Symbol.for("@servicekit/reserved-output");
const shared = globalThis as { [place]?: ReservedOutput };

/**
 * Reserves standard output for the result of a command, so that programs can read it: from now on all other output of this process,
 * such as the log and the text of `console.log`, goes to standard error. A second call, also of another copy of this module,
 * returns the same output.
 */
export function reserveOutput(): ReservedOutput {
  const { stdout, stderr } = process;
  if (shared[place] !== undefined) return shared[place];
  const { fd } = stdout;
  const writeStream = stdout.write.bind(stdout);
  // The stream of a file writes to the descriptor that is changed below.
  const write = (text: string): void =>
    stdout instanceof Socket ? void writeStream(text) : fs.writeFileSync(fd, text);
  stdout.write = stderr.write.bind(stderr) as typeof stdout.write;
  // The log writes to the descriptor.
  Object.defineProperty(stdout, "fd", { value: stderr.fd });
  shared[place] = { write };
  return shared[place];
}
