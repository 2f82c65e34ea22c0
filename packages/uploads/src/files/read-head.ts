import type { Readable } from "node:stream";

/** The first bytes of a stream. */
export interface Head {
  readonly bytes: Buffer;
  /** Whether the stream has ended. */
  readonly isAll: boolean;
}

/** Reads at least `size` bytes of a stream, or all of it; the rest stays in the stream. */
export function readHead(stream: Readable, size: number): Promise<Head> {
  return new Promise((resolve, reject) => {
    const chunks: Buffer[] = [];
    let length = 0;
    const settle = (then: () => void): void => {
      stream.off("readable", onReadable).off("end", onEnd).off("error", onError).off("close", onClose);
      then();
    };
    const onReadable = (): void => {
      for (let chunk = stream.read(); chunk !== null; chunk = stream.read()) {
        chunks.push(chunk as Buffer);
        length += (chunk as Buffer).length;
        if (length >= size) {
          settle(() => resolve({ bytes: Buffer.concat(chunks), isAll: false }));
          return;
        }
      }
    };
    const onEnd = (): void => settle(() => resolve({ bytes: Buffer.concat(chunks), isAll: true }));
    const onError = (error: Error): void => settle(() => reject(error));
    const onClose = (): void => settle(() => reject(new Error("The stream was closed before its end.")));
    stream.on("readable", onReadable).once("end", onEnd).once("error", onError).once("close", onClose);
    if (stream.destroyed) onClose();
  });
}
