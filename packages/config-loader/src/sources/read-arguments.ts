import { type StartFault } from "@servicekit/core";
import { makeStartFault } from "@servicekit/core/internal";
import { type Layer, toLayerObject } from "../layer.js";
import { readValue, type ValueType } from "./read-value.js";
import { makeTextFault } from "./read-variables.js";

/** What an argument means: the key it sets, how its text is read, and its short form without the dash. */
export type Argument = ValueType & { readonly key: string; readonly short?: string };

/** The arguments that are read, by their long names without the dashes. */
export type ArgumentTable = Readonly<Record<string, Argument>>;

/**
 * Reads a configuration from the command line: `-p 8000`, `--port 8000`, `--port=8000`. The last of several counts;
 * unknown arguments and all after `--` are left alone.
 *
 * @param argv the arguments alone, without Node and the script
 */
export function readArguments(argv: readonly string[], table: ArgumentTable): Layer {
  const entries: [string, unknown][] = [];
  const faults: StartFault[] = [];
  const end = argv.indexOf("--");
  const words = (end === -1 ? argv : argv.slice(0, end))[Symbol.iterator]();
  for (const word of words) {
    const [name = "", inline] = word.startsWith("--") ? splitOnce(word) : [word];
    const argument = Object.entries(table).find(([long, how]) => name === `--${long}` || isShort(name, how))?.[1];
    if (argument === undefined) continue;
    const text = inline ?? words.next().value;
    if (text === undefined || text === "") {
      faults.push(makeStartFault({ where: name, message: "A value is missing after it." }));
      continue;
    }
    const read = readValue(text, argument);
    if ("value" in read) entries.push([argument.key, read.value]);
    else faults.push(makeTextFault(name, text, read.expected, argument));
  }
  return { value: toLayerObject(entries), faults };
}

const isShort = (name: string, { short }: Argument): boolean => short !== undefined && name === `-${short}`;

function splitOnce(word: string): [string, string?] {
  const at = word.indexOf("=");
  return at === -1 ? [word] : [word.slice(0, at), word.slice(at + 1)];
}
