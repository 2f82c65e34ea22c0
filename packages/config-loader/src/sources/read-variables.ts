import { type StartupIssue } from "@servicekit/core";
import { makeStartupIssue, nearestWord } from "@servicekit/core/internal";
import { describeFound, isSecretName } from "@servicekit/core/schema";
import { type Layer, toLayerObject, valueUnder } from "../layer.js";
import type { ConfigObject } from "../merge-layers.js";
import { readValue, type ValueType } from "./read-value.js";

/** The variables of an environment; unset ones are `undefined`. */
export type Environment = Readonly<Record<string, string | undefined>>;

/** The key that a variable sets, and how its text is read. */
export type Variable = ValueType & {
  /** A dotted key, such as `authentication.jwt.cookie.secure`. */
  readonly key: string;
  /** A key under which the higher layers must have an object; otherwise the variable is not read. */
  readonly within?: string;
  /** The keys of `within` of which one must be set; otherwise the variable has no effect, which is a warning. */
  readonly needed?: readonly string[];
};

/** The known variables by name; if two set one key, the later one counts. */
export type VariableTable = Readonly<Record<string, Variable>>;

/** The values of an environment, and the variables that set them. */
export interface VariableLayer extends Layer {
  /** The names of the variables, by the keys that they set. */
  readonly setBy: ReadonlyMap<string, string>;
  /** Variables that have no effect, each in a sentence. */
  readonly warnings: readonly string[];
}

/**
 * Reads a configuration from environment variables. An empty variable counts as unset.
 *
 * @param above the values of the higher layers, for `within`
 * @returns the values under their keys, and an issue for each variable that cannot be read
 */
export function readVariables(environment: Environment, table: VariableTable, above?: ConfigObject): VariableLayer {
  const given = Object.entries(table).flatMap(([name, variable]) => {
    const text = Object.hasOwn(environment, name) ? environment[name] : undefined;
    return text === undefined || text.trim() === "" ? [] : [{ name, text, variable }];
  });
  // A block may exist because one of its variables is set.
  const isOpen = (within: string | undefined): boolean =>
    within === undefined ||
    isObject(valueUnder(above, within)) ||
    given.some(({ variable: other }) => other.within === undefined && other.key.startsWith(`${within}.`));
  // Invalid text is an error even if the variable has no effect.
  const counted = given.filter(({ variable: { within, needed } }) => needed !== undefined || isOpen(within));
  const entries = new Map<string, { readonly name: string; readonly value: unknown }>();
  const issues: StartupIssue[] = [];
  for (const { name, text, variable } of counted) {
    const read = readValue(text, variable);
    if ("value" in read) {
      if (isOpen(variable.within)) entries.set(variable.key, { name, value: read.value });
    } else issues.push(makeTextError(name, text, read.expected, variable));
  }
  for (const [key, { name }] of entries) {
    const block = [...entries].find(([other]) => key.startsWith(`${other}.`));
    if (block === undefined) continue;
    issues.push(
      makeStartupIssue({
        where: name,
        message: `conflicts with ${block[1].name}, which sets all of ${block[0]}. Remove one of them.`,
      }),
    );
    entries.delete(key);
  }
  return {
    value: toLayerObject([...entries].map(([key, { value }]) => [key, value])),
    issues,
    setBy: new Map([...entries].map(([key, { name }]) => [key, name])),
    warnings: given.flatMap(({ name, variable: { within, needed } }) => {
      if (needed === undefined || isOpen(within)) return [];
      return [`The environment variable ${name} has no effect without ${joinAnd(needed, table)}.`];
    }),
  };
}

/** Keys with the variables that set them. */
function joinAnd(keys: readonly string[], table: VariableTable): string {
  const names = keys.map((key) => {
    const name = Object.entries(table).find(([, variable]) => variable.key === key)?.[0];
    return name === undefined ? key : `${key} (${name})`;
  });
  return names.join(" and ");
}

/** The issue of text that cannot be read as the expected kind. */
export function makeTextError(path: string, text: string, expected: string, how: ValueType): StartupIssue {
  const nearest = nearestWord(text, wordsOf(how));
  const found = describeFound(text, isSecretName(path));
  return makeStartupIssue({
    where: path,
    found,
    expected,
    ...(nearest === undefined ? {} : { nearest: `"${nearest}"` }),
  });
}

const wordsOf = (how: ValueType): readonly string[] => {
  if (how.type === "any") return how.of.flatMap(wordsOf);
  return how.type === "enum" ? how.values : [];
};

const isObject = (value: unknown): boolean => typeof value === "object" && value !== null;
