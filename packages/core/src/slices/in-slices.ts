import { makePause } from "./make-pause.js";

/**
 * Processes pieces in slices of ten milliseconds, so that other requests are handled between them.
 *
 * @param work called for each piece in turn
 */
export async function inSlices<Piece>(pieces: Iterable<Piece>, work: (piece: Piece) => void): Promise<void> {
  const pause = makePause();
  for (const piece of pieces) {
    work(piece);
    const next = pause();
    if (next !== undefined) await next;
  }
}
