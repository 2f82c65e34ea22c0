import type { Writable } from "node:stream";

/** Where progress is written; `process.stderr` is one. */
export type Terminal = Writable & { readonly isTTY?: boolean };

/** On a terminal one line that is rewritten; elsewhere a plain line for about every thousand rows and for the last. */
export function makeProgress(total: number, terminal: Terminal): (written: number) => void {
  let told = 0;
  const toText = (count: number) => count.toLocaleString("en-US");
  return (written) => {
    const isLast = written === total;
    const line = `seeding… ${toText(written)} of ${toText(total)} rows`;
    if (terminal.isTTY) terminal.write(`\r${line}${isLast ? "\n" : ""}`);
    else if (isLast || written - told >= 1000) {
      terminal.write(`${line}\n`);
      told = written;
    }
  };
}
