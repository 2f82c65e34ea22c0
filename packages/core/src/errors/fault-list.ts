import { nearestWord } from "./nearest-word.js";
import { oldSchema } from "./old-schema.js";
import { StartError, type StartFault } from "./start-error.js";

/** The faults of a start so far: whoever finds more adds them, and they are told all at once (contract C38). */
export interface FaultList {
  readonly all: readonly StartFault[];
  /** A key or a name that nobody knows, with the nearest one that is known. */
  unknown(where: string, what: string, word: string, known: Iterable<string>): void;
  /** A value of a wrong type. */
  wrong(where: string, expected: string, found: unknown): void;
  /** Any other fault, as a whole sentence. */
  add(where: string, message: string): void;
  /** What another check has found. */
  addAll(faults: readonly StartFault[]): void;
  /** Runs a part of the start; `undefined` where it found faults. */
  during<Made>(part: () => Made | Promise<Made>): Promise<Made | undefined>;
  /** @throws {StartError} with all of them, when there are any */
  throwIfAny(): void;
}

/** A list that begins with what is known. */
export function makeFaultList(known: readonly StartFault[] = []): FaultList {
  const faults = [...known];
  const add = (where: string, message: string): void => {
    faults.push({ where, message });
  };
  return {
    all: faults,
    add,
    addAll: (found) => void faults.push(...found),
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
    async during(part) {
      try {
        return await part();
      } catch (error) {
        if (!(error instanceof StartError)) throw error;
        faults.push(...error.faults);
        return undefined;
      }
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
  if (value === undefined) return "nothing";
  return typeof value === "function" ? "a function" : (oldSchema(value) ?? "an object");
}
