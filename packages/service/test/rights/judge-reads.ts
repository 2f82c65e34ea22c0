import type { Violation } from "./judge-writes.js";
import { readTargets } from "./read-cases.js";
import { changeUnseen, readEverything, type Seen } from "./second-world.js";
import type { Answer, Workshop } from "./workshop.js";
import { type CallerName, callers } from "./workshop-rows.js";
import type { WriteCase } from "./write-cases.js";

/** What came of asking two worlds. */
export interface ReadVerdict {
  readonly reads: number;
  readonly writes: number;
  readonly violations: readonly Violation[];
}

/** What is asked in both worlds. */
export interface Questions {
  /** Every how many of the reads. */
  readonly reads: number;
  readonly writes: readonly WriteCase[];
}

/**
 * Asks two worlds the same, which differ only in what the caller does not see by direct reads: the answers must be equal,
 * byte for byte.
 */
export async function judgeReads(one: Workshop, other: Workshop, questions: Questions): Promise<ReadVerdict> {
  const violations: Violation[] = [];
  const count = { reads: 0, writes: 0 };
  for (const caller of callers) {
    const seen = await readEverything(one, caller);
    await changeUnseen(other, seen);
    await other.keep();
    if (!isSame(seen, await readEverything(other, caller)))
      throw new Error(`Both worlds must look alike to ${caller}.`);
    const ask = async (method: string, target: string, body?: unknown): Promise<string | undefined> => {
      const [first, second] = await Promise.all([
        one.as(caller, method, target, body),
        other.as(caller, method, target, body),
      ]);
      // That a value is taken already tells of it, whoever may read it.
      if (plain(first) === plain(second) || first.status === 409 || second.status === 409) return undefined;
      return `${plain(first)} and ${plain(second)}`;
    };
    const note = (caller: CallerName, kind: string, request: string, detail: string): void => {
      violations.push({ law: "two worlds answer alike", kind, caller, request: `${caller} ${request}`, detail });
    };
    let index = 0;
    for (const model of one.models.values()) {
      for (const target of readTargets(model, one.models)) {
        if (index++ % questions.reads !== 0) continue;
        count.reads++;
        const difference = await ask("GET", target);
        if (difference !== undefined) note(caller, kindOf(target), `GET ${target}`, difference);
      }
    }
    for (const write of questions.writes.filter((write) => write.caller === caller)) {
      count.writes++;
      const difference = await ask(write.method, write.target, write.body);
      await Promise.all([one.undo(), other.undo()]);
      const request = `${write.method} ${write.target} ${JSON.stringify(write.body)}`;
      if (difference !== undefined) note(caller, write.kind, request, difference);
    }
    await other.reset();
  }
  return { ...count, violations };
}

const isSame = (one: Seen, other: Seen): boolean =>
  JSON.stringify([...one].map(([name, rows]) => [name, [...rows]])) ===
  JSON.stringify([...other].map(([name, rows]) => [name, [...rows]]));

/** The model and the names of a query, without its values. */
const kindOf = (target: string): string =>
  decodeURIComponent(target).replace(/=[^&]*$/, (value) => (value.startsWith("={") ? value : "="));

const plain = ({ status, text, headers }: Answer): string =>
  `${status} ${headers.etag} ${headers.link} ${text.replace(/"(instance|requestId)":"[^"]*"/g, "")}`;
