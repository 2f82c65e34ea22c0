import { type Readable, Transform } from "node:stream";
import { pipeline } from "node:stream/promises";
import { isHttpError } from "@servicekit/core";
import type { Head } from "../files/read-head.js";
import type { NewFile } from "../storage/file-storage.js";
import { toStorageError } from "../storage/storage-error.js";

/** The content and the target. */
export interface Writing {
  readonly head: Head;
  readonly rest: Readable;
  readonly maxSize: number;
  readonly target: Pick<NewFile, "write">;
  readonly tooLarge: () => Error;
}

/**
 * Streams a file into its target and returns its size.
 *
 * @throws the error of a file over its limit, or of the storage
 */
export async function writeFile({ head, rest, maxSize, target, tooLarge }: Writing): Promise<number> {
  let size = 0;
  const meter = new Transform({
    transform(chunk: Buffer, _encoding, callback) {
      size += chunk.length;
      if (size > maxSize) callback(tooLarge());
      else callback(null, chunk);
    },
  });
  const outcomes = await Promise.allSettled([target.write(meter), pipeline(fullFile(head, rest), meter)]);
  const issues = outcomes.flatMap((outcome) => (outcome.status === "rejected" ? [outcome.reason as unknown] : []));
  if (issues.length > 0) throw issues.find(isHttpError) ?? toStorageError(issues[0]);
  return size;
}

async function* fullFile(head: Head, rest: Readable): AsyncGenerator<Buffer> {
  if (head.bytes.length > 0) yield head.bytes;
  if (!head.isAll) yield* rest;
}
