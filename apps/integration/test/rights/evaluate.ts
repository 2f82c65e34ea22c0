import { firstOf } from "../../../../scripts/test/slow-share.js";
import { evaluateReads } from "./evaluate-reads.js";
import { classesOf, evaluateWrites } from "./evaluate-writes.js";
import { type Mode, startWorkshop, type WorkshopRights } from "./workshop.js";
import { writeCases } from "./write-cases.js";

/** The share of the cases. */
export interface Share {
  readonly writes: number;
  readonly reads: number;
  /** Of the writes, in two databases. */
  readonly writesInBoth: number;
}

/** The result for a mode of access. */
export interface Judgement {
  readonly writes: number;
  readonly accepted: number;
  readonly reads: number;
  /** Violations by class, the most frequent first; none if access rules hold on every path. */
  readonly classes: readonly string[];
}

/** Compares a share of all writes and reads of all callers with what each may do and read directly. */
export async function evaluate(
  serverUrl: string,
  mode: Mode,
  share: Share,
  given?: WorkshopRights,
): Promise<Judgement> {
  const one = await startWorkshop(serverUrl, mode, given);
  const other = await startWorkshop(serverUrl, mode, given);
  try {
    const all = [...writeCases(one.models)];
    const each = (step: number) => {
      const first = firstOf(step);
      return all.filter((_, index) => index % step === first);
    };
    const written = await evaluateWrites(one, each(share.writes));
    const read = await evaluateReads(one, other, { reads: share.reads, writes: each(share.writesInBoth) });
    return {
      writes: written.cases,
      accepted: written.accepted,
      reads: read.reads + read.writes,
      classes: classesOf([...written.violations, ...read.violations]),
    };
  } finally {
    await one.close();
    await other.close();
  }
}
