const cell = new Int32Array(new SharedArrayBuffer(4));

/** Blocks the event loop of this thread, as a long computation does, without using the processor. */
export function blockEventLoop(milliseconds: number): void {
  Atomics.wait(cell, 0, 0, milliseconds);
}
