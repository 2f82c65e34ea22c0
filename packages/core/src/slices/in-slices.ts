import { setImmediate } from "node:timers/promises";

/** Maximum duration of a slice, in milliseconds. */
const sliceMs = 10;

/**
 * Processes pieces in slices, so that other requests are handled between them.
 *
 * @param work called for each piece in turn
 */
export async function inSlices<Piece>(pieces: Iterable<Piece>, work: (piece: Piece) => void): Promise<void> {
  let began = performance.now();
  for (const piece of pieces) {
    work(piece);
    if (performance.now() - began < sliceMs) continue;
    await setImmediate();
    began = performance.now();
  }
}
