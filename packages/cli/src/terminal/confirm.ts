import { createInterface } from "node:readline/promises";

/** Whether the terminal can prompt. */
export const isInteractive = (): boolean => process.stdin.isTTY === true && process.stdout.isTTY === true;

/** Prompts for yes or no; without a terminal the result is no. */
export async function confirm(question: string): Promise<boolean> {
  if (!isInteractive()) return false;
  const terminal = createInterface({ input: process.stdin, output: process.stdout });
  try {
    return /^y(es)?$/i.test((await terminal.question(`${question} (y/N) `)).trim());
  } finally {
    terminal.close();
  }
}
