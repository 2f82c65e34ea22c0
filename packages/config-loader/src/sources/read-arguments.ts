import { type StartupIssue } from "@servicekit/core";
import { makeStartupIssue } from "@servicekit/core/internal";
import { type Layer, toLayerObject } from "../layer.js";
import { readValue, type ValueType } from "./read-value.js";
import { makeTextError } from "./read-variables.js";

/** The key that an argument sets, how its text is read, and its short form without the dash. */
export type Argument = ValueType & { readonly key: string; readonly short?: string };

/** The known arguments, by their long names without dashes. */
export type ArgumentTable = Readonly<Record<string, Argument>>;

/**
 * Reads a configuration from the command line: `-p 8000`, `--port 8000`, `--port=8000`. The last of several counts.
 * Unknown arguments and everything after `--` are ignored.
 *
 * @param argv the arguments, without Node and the script
 */
export function readArguments(argv: readonly string[], table: ArgumentTable): Layer {
  const entries: [string, unknown][] = [];
  const issues: StartupIssue[] = [];
  const end = argv.indexOf("--");
  const words = (end === -1 ? argv : argv.slice(0, end))[Symbol.iterator]();
  for (const word of words) {
    const [name = "", inline] = word.startsWith("--") ? splitOnce(word) : [word];
    const argument = Object.entries(table).find(([long, how]) => name === `--${long}` || isShort(name, how))?.[1];
    if (argument === undefined) continue;
    const text = inline ?? words.next().value;
    if (text === undefined || text === "") {
      issues.push(makeStartupIssue({ where: name, message: "Its value is missing." }));
      continue;
    }
    const read = readValue(text, argument);
    if ("value" in read) entries.push([argument.key, read.value]);
    else issues.push(makeTextError(name, text, read.expected, argument));
  }
  return { value: toLayerObject(entries), issues };
}

const isShort = (name: string, { short }: Argument): boolean => short !== undefined && name === `-${short}`;

function splitOnce(word: string): [string, string?] {
  const at = word.indexOf("=");
  return at === -1 ? [word] : [word.slice(0, at), word.slice(at + 1)];
}
