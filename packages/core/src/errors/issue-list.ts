import { nearestWord } from "./nearest-word.js";
import { oldSchema } from "./old-schema.js";
import { StartupError, type StartupIssue } from "./start-error.js";

/** Collects the issues of a startup, so that they are reported together (contract C38). */
export interface IssueList {
  readonly all: readonly StartupIssue[];
  /** Adds an unknown key or name, with the nearest known one. */
  unknown(where: string, what: string, word: string, known: Iterable<string>): void;
  /** Adds a value of the wrong type. */
  wrong(where: string, expected: string, found: unknown): void;
  /** Adds any other issue, as a full sentence. */
  add(where: string, message: string): void;
  /** Adds the issues that another check has found. */
  addAll(issues: readonly StartupIssue[]): void;
  /** Runs a part of the startup. Returns `undefined` if it threw a `StartupError`, whose issues are added. */
  during<Made>(part: () => Made | Promise<Made>): Promise<Made | undefined>;
  /** @throws {StartupError} with all of them, when there are any */
  throwIfAny(): void;
}

/** Creates a list that starts with the given issues. */
export function makeIssueList(known: readonly StartupIssue[] = []): IssueList {
  const issues = [...known];
  const add = (where: string, message: string): void => {
    issues.push({ where, message });
  };
  return {
    all: issues,
    add,
    addAll: (found) => void issues.push(...found),
    unknown(where, what, word, known) {
      const names = [...known];
      const near = nearestWord(word, names);
      const list = names.length > 0 && names.length <= 20 ? `; expected one of ${names.join(", ")}.` : ".";
      const hint = near === undefined ? list : `. Did you mean ${near}?`;
      add(where, `Unknown ${what} ${word}${hint}`);
    },
    wrong(where, expected, found) {
      add(where, `Expected ${expected}, found ${describe(found)}.`);
    },
    async during(part) {
      try {
        return await part();
      } catch (error) {
        if (!(error instanceof StartupError)) throw error;
        issues.push(...error.issues);
        return undefined;
      }
    },
    throwIfAny() {
      if (issues.length > 0) throw new StartupError(issues);
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
