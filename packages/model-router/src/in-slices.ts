import { setImmediate } from "node:timers/promises";

/** How long one slice may take, in milliseconds. */
const sliceMs = 10;

/**
 * Does something for each piece in slices, so that other requests are answered between them.
 *
 * @param work is called for each piece in turn
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
