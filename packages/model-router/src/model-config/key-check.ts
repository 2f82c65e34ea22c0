import type { FaultList } from "@servicekit/errors";
import { isObject } from "@servicekit/field-path";
import type { Model } from "@servicekit/orm";

/** Checks the value of one key. */
export type KeyCheck = (where: string, value: unknown, model: Model | undefined, faults: FaultList) => void;

/** @param known `undefined` where nothing is known of the names */
export function checkNames(
  where: string,
  value: unknown,
  what: string,
  known: readonly string[] | undefined,
  faults: FaultList,
): void {
  if (!Array.isArray(value) || !value.every((name) => typeof name === "string")) {
    faults.wrong(where, `a list of names of ${what}s`, value);
    return;
  }
  for (const name of value) if (known?.includes(name) === false) faults.unknown(where, what, name, known);
}

/** Checks an object by its keys; a key without a value says nothing. */
export function eachKey(
  where: string,
  value: unknown,
  what: string,
  known: readonly string[],
  faults: FaultList,
  check: (where: string, value: unknown, key: string) => void,
): void {
  if (!isObject(value)) {
    faults.wrong(where, `an object by ${what}`, value);
    return;
  }
  for (const [key, inner] of Object.entries(value)) {
    if (!known.includes(key)) faults.unknown(where, what, key, known);
    else if (inner !== undefined) check(`${where}.${key}`, inner, key);
  }
}
