import type { Writable } from "node:stream";

/** The output of progress; `process.stderr` is one. */
export type Terminal = Writable & { readonly isTTY?: boolean };

/** On a terminal one updated line; otherwise a plain line for about every thousand rows and for the last. */
export function makeProgress(total: number, terminal: Terminal): (written: number) => void {
  let printed = 0;
  const toText = (count: number) => count.toLocaleString("en-US");
  return (written) => {
    const isLast = written === total;
    const line = `seeding… ${toText(written)} of ${toText(total)} rows`;
    if (terminal.isTTY) terminal.write(`\r${line}${isLast ? "\n" : ""}`);
    else if (isLast || written - printed >= 1000) {
      terminal.write(`${line}\n`);
      printed = written;
    }
  };
}
