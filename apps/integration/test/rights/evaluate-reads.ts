import { firstOf } from "../../../../scripts/test/slow-share.js";
import { foreignReads } from "./evaluate-tenants.js";
import type { Violation } from "./evaluate-writes.js";
import { readTargets } from "./read-cases.js";
import { changeUnseen, readEverything, type Seen } from "./second-database.js";
import type { Reply, Workshop } from "./workshop.js";
import { type CallerName, callers } from "./workshop-rows.js";
import type { WriteCase } from "./write-cases.js";

/** The result of sending a request to two databases. */
export interface ReadVerdict {
  readonly reads: number;
  readonly writes: number;
  readonly violations: readonly Violation[];
}

/** The request to both databases. */
export interface Questions {
  /** The share of the reads. */
  readonly reads: number;
  readonly writes: readonly WriteCase[];
}

/**
 * Sends the same requests to two databases, which differ only in what the caller cannot see by direct reads: the
 * responses must be equal, byte for byte.
 */
export async function evaluateReads(one: Workshop, other: Workshop, questions: Questions): Promise<ReadVerdict> {
  const violations: Violation[] = [];
  const count = { reads: 0, writes: 0 };
  for (const caller of callers) {
    const seen = await readEverything(one, caller);
    await changeUnseen(other, seen);
    await other.store();
    if (!isSame(seen, await readEverything(other, caller)))
      throw new Error(`Both databases must look the same to ${caller}.`);
    const call = async (method: string, target: string, body?: unknown): Promise<string | undefined> => {
      const [first, second] = await Promise.all([
        one.as(caller, method, target, body),
        other.as(caller, method, target, body),
      ]);
      // A uniqueness conflict reveals a value to every caller.
      if (plain(first) === plain(second) || first.status === 409 || second.status === 409) return undefined;
      return `${plain(first)} and ${plain(second)}`;
    };
    const note = (caller: CallerName, kind: string, request: string, detail: string): void => {
      violations.push({
        invariant: "two databases give the same responses",
        kind,
        caller,
        request: `${caller} ${request}`,
        detail,
      });
    };
    for (const detail of foreignReads(one, caller, seen)) note(caller, "direct reads", "reads another tenant", detail);
    let index = firstOf(questions.reads);
    for (const model of one.models.values()) {
      for (const target of readTargets(model, one.models)) {
        if (index++ % questions.reads !== 0) continue;
        count.reads++;
        const difference = await call("GET", target);
        if (difference !== undefined) note(caller, kindOf(target), `GET ${target}`, difference);
      }
    }
    for (const write of questions.writes.filter((write) => write.caller === caller)) {
      count.writes++;
      const difference = await call(write.method, write.target, write.body);
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

const plain = ({ status, text, headers }: Reply): string =>
  `${status} ${headers.etag} ${headers.link} ${text.replace(/"(instance|requestId)":"[^"]*"/g, "")}`;
