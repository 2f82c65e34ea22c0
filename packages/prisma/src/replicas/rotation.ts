import type { WalPosition } from "./wal-position.js";

/** A server that may read. */
export interface Member {
  readonly isInRotation: boolean;
  /** The replayed position of the write-ahead log. */
  readonly position: WalPosition;
  /** The number of running reads. */
  readonly outstanding: number;
}

/**
 * Creates the choice of the member with the fewest running reads, among those in the rotation that have replayed a
 * position. Equally busy members alternate.
 */
export function makeRotation<M extends Member>(members: readonly M[]): (needed: WalPosition) => M | undefined {
  let turn = 0;
  return (needed) => {
    let best: M | undefined;
    turn = (turn + 1) % Math.max(members.length, 1);
    for (let step = 0; step < members.length; step++) {
      const member = members[(turn + step) % members.length] as M;
      if (!member.isInRotation || member.position < needed) continue;
      if (best === undefined || member.outstanding < best.outstanding) best = member;
    }
    return best;
  };
}
