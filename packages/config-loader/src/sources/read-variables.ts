import { type StartFault } from "@servicekit/core";
import { makeStartFault, nearestWord } from "@servicekit/core/internal";
import { describeFound, isSecretName } from "@servicekit/core/schema";
import { type Layer, toLayerObject, valueUnder } from "../layer.js";
import type { ConfigObject } from "../merge-layers.js";
import { readValue, type ValueType } from "./read-value.js";

/** The variables of an environment; an absent one is `undefined`. */
export type Environment = Readonly<Record<string, string | undefined>>;

/** What a variable means: the key it sets and how its text is read. */
export type Variable = ValueType & {
  /** A dotted key, such as `authentication.jwt.cookie.secure`. */
  readonly key: string;
  /** A key that the layers above must hold an object under; without it the variable is not read. */
  readonly within?: string;
  /** The keys of `within` of which one must be set: the variable alone has no effect, which is warned of. */
  readonly needed?: readonly string[];
};

/** The variables that are read, by their names; where two set one key, the later one counts. */
export type VariableTable = Readonly<Record<string, Variable>>;

/** What an environment says, and which variable said it. */
export interface VariableLayer extends Layer {
  /** The names of the variables, by the keys that they set. */
  readonly told: ReadonlyMap<string, string>;
  /** Variables that have no effect, each in a sentence. */
  readonly warnings: readonly string[];
}

/**
 * Reads a configuration from environment variables. An empty variable is like an absent one.
 *
 * @param above what the higher layers say, for `within`
 * @returns the values under their keys, and a fault for each variable that cannot be read
 */
export function readVariables(environment: Environment, table: VariableTable, above?: ConfigObject): VariableLayer {
  const given = Object.entries(table).flatMap(([name, variable]) => {
    const text = Object.hasOwn(environment, name) ? environment[name] : undefined;
    return text === undefined || text.trim() === "" ? [] : [{ name, text, variable }];
  });
  // A block may be there because a variable of it is.
  const isOpen = (within: string | undefined): boolean =>
    within === undefined ||
    isObject(valueUnder(above, within)) ||
    given.some(({ variable: other }) => other.within === undefined && other.key.startsWith(`${within}.`));
  // A text that does not fit is an error also where the variable has no effect.
  const counted = given.filter(({ variable: { within, needed } }) => needed !== undefined || isOpen(within));
  const entries = new Map<string, { readonly name: string; readonly value: unknown }>();
  const faults: StartFault[] = [];
  for (const { name, text, variable } of counted) {
    const read = readValue(text, variable);
    if ("value" in read) {
      if (isOpen(variable.within)) entries.set(variable.key, { name, value: read.value });
    } else faults.push(makeTextFault(name, text, read.expected, variable));
  }
  for (const [key, { name }] of entries) {
    const whole = [...entries].find(([other]) => key.startsWith(`${other}.`));
    if (whole === undefined) continue;
    faults.push(
      makeStartFault({ where: name, message: `${whole[1].name} sets ${whole[0]} as a whole; keep one of them.` }),
    );
    entries.delete(key);
  }
  return {
    value: toLayerObject([...entries].map(([key, { value }]) => [key, value])),
    faults,
    told: new Map([...entries].map(([key, { name }]) => [key, name])),
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

/** The fault of a text that cannot be read as what it should be. */
export function makeTextFault(path: string, text: string, expected: string, how: ValueType): StartFault {
  const nearest = nearestWord(text, wordsOf(how));
  const found = describeFound(text, isSecretName(path));
  return makeStartFault({
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
