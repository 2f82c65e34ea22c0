import { nearestWord } from "./nearest-word.js";
import { StartError, type StartFault } from "./start-error.js";

/** The faults of a start that a check has found so far. */
export interface FaultList {
  /** A key or a name that nobody knows, with the nearest one that is known. */
  unknown(where: string, what: string, word: string, known: Iterable<string>): void;
  /** A value of a wrong type. */
  wrong(where: string, expected: string, found: unknown): void;
  /** Any other fault, as a whole sentence. */
  add(where: string, message: string): void;
  /** @throws {StartError} with all of them, when there are any */
  throwIfAny(): void;
}

/** An empty list. */
export function makeFaultList(): FaultList {
  const faults: StartFault[] = [];
  const add = (where: string, message: string): void => {
    faults.push({ where, message });
  };
  return {
    add,
    unknown(where, what, word, known) {
      const names = [...known];
      const near = nearestWord(word, names);
      const list = names.length > 0 && names.length <= 20 ? `; known are ${names.join(", ")}.` : ".";
      const hint = near === undefined ? list : `; did you mean ${near}?`;
      add(where, `There is no ${what} ${word}${hint}`);
    },
    wrong(where, expected, found) {
      add(where, `Expected ${expected}, found ${describe(found)}.`);
    },
    throwIfAny() {
      if (faults.length > 0) throw new StartError(faults);
    },
  };
}

function describe(value: unknown): string {
  if (value === null) return "null";
  if (Array.isArray(value)) return `a list of ${value.length}`;
  if (typeof value === "string") return JSON.stringify(value.length > 40 ? `${value.slice(0, 40)}…` : value);
  if (typeof value === "number" || typeof value === "boolean" || typeof value === "bigint") return String(value);
  return value === undefined ? "nothing" : typeof value === "function" ? "a function" : "an object";
}
