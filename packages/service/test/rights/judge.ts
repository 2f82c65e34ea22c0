import { judgeReads } from "./judge-reads.js";
import { classesOf, judgeWrites } from "./judge-writes.js";
import { type Mode, startWorkshop, type WorkshopRights } from "./workshop.js";
import { writeCases } from "./write-cases.js";

/** How much is asked: every how many of the cases. */
export interface Share {
  readonly writes: number;
  readonly reads: number;
  /** Of the writes, in two worlds. */
  readonly writesInWorlds: number;
}

/** How it stands with the rights of a mode. */
export interface Judgement {
  readonly writes: number;
  readonly accepted: number;
  readonly reads: number;
  /** Violations in classes, the most frequent first; none where the rights hold on every path. */
  readonly classes: readonly string[];
}

/** Holds a share of all writes and reads of all callers against what each may do and read directly. */
export async function judge(serverUrl: string, mode: Mode, share: Share, given?: WorkshopRights): Promise<Judgement> {
  const one = await startWorkshop(serverUrl, mode, given);
  const other = await startWorkshop(serverUrl, mode, given);
  try {
    const all = [...writeCases(one.models)];
    const each = (step: number) => all.filter((_, index) => index % step === 0);
    const written = await judgeWrites(one, each(share.writes));
    const read = await judgeReads(one, other, { reads: share.reads, writes: each(share.writesInWorlds) });
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
