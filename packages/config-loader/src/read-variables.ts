import { makeStartFault, nearestWord, type StartFault } from "@servicekit/errors";
import { describeFound, isSecretName } from "./describe-found.js";
import { type Layer, toLayerObject, valueUnder } from "./layer.js";
import type { ConfigObject } from "./merge-layers.js";
import { readValue, type ValueType } from "./read-value.js";

/** The variables of an environment; an absent one is `undefined`. */
export type Environment = Readonly<Record<string, string | undefined>>;

/** What a variable means: the key it sets and how its text is read. */
export type Variable = ValueType & {
  /** A dotted key, such as `authentication.jwt.cookie.secure`. */
  readonly key: string;
  /** A key that the layers above must hold an object under; without it the variable is not read. */
  readonly within?: string;
};

/** The variables that are read, by their names. */
export type VariableTable = Readonly<Record<string, Variable>>;

/**
 * Reads a configuration from environment variables. An empty variable is like an absent one.
 *
 * @param above what the higher layers say, for `within`
 * @returns the values under their keys, and a fault for each variable that cannot be read
 */
export function readVariables(environment: Environment, table: VariableTable, above?: ConfigObject): Layer {
  const entries: [string, unknown][] = [];
  const faults: StartFault[] = [];
  for (const [name, variable] of Object.entries(table)) {
    const text = Object.hasOwn(environment, name) ? environment[name] : undefined;
    if (text === undefined || text.trim() === "") continue;
    if (variable.within !== undefined && !isObject(valueUnder(above, variable.within))) continue;
    const read = readValue(text, variable);
    if ("value" in read) entries.push([variable.key, read.value]);
    else faults.push(makeTextFault(name, text, read.expected, variable));
  }
  return { value: toLayerObject(entries), faults };
}

/** The fault of a text that cannot be read as what it should be. */
export function makeTextFault(path: string, text: string, expected: string, how: ValueType): StartFault {
  const nearest = how.type === "enum" ? nearestWord(text, how.values) : undefined;
  const found = describeFound(text, isSecretName(path));
  return makeStartFault({
    where: path,
    found,
    expected,
    ...(nearest === undefined ? {} : { nearest: `"${nearest}"` }),
  });
}

const isObject = (value: unknown): boolean => typeof value === "object" && value !== null;
