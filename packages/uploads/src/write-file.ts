import { type Duplex, type Readable, Transform } from "node:stream";
import { pipeline } from "node:stream/promises";
import { isHttpError } from "@servicekit/errors";
import type { Head } from "./read-head.js";
import type { NewFile } from "./storage/file-storage.js";
import { toStorageFault } from "./storage/storage-fault.js";

/** What is written, through what, and where to. */
export interface Writing {
  readonly head: Head;
  readonly rest: Readable;
  readonly maxSize: number;
  /** Changes the bytes on their way. */
  readonly changing: Duplex | undefined;
  readonly target: NewFile;
  readonly tooLarge: () => Error;
  readonly unreadable: () => Error;
}

/**
 * Streams a file into its target and tells how many bytes were stored.
 *
 * @throws the refusal of a file over its limit or of an image that cannot be changed, or the fault of the storage
 */
export async function writeFile({ head, rest, maxSize, changing, target, ...refusals }: Writing): Promise<number> {
  const meter = makeMeter(maxSize, refusals.tooLarge);
  const output = changing === undefined ? meter : makeMeter();
  let ofImage: Error | undefined;
  // An error with a code comes from a stream beside it; those of the library have none.
  changing?.once("error", (error: Error & { code?: unknown }) => {
    if (error.code === undefined && !isHttpError(error)) ofImage = refusals.unreadable();
  });
  const stages = changing === undefined ? [meter.stream] : [meter.stream, changing, output.stream];
  const outcomes = await Promise.allSettled([target.write(output.stream), feed(wholeFile(head, rest), stages)]);
  const faults = outcomes.flatMap((outcome) => (outcome.status === "rejected" ? [outcome.reason as unknown] : []));
  if (faults.length > 0) throw faults.find(isHttpError) ?? ofImage ?? toStorageFault(faults[0]);
  return output.size();
}

async function* wholeFile(head: Head, rest: Readable): AsyncGenerator<Buffer> {
  if (head.bytes.length > 0) yield head.bytes;
  if (!head.isAll) yield* rest;
}

/** A stream that counts what passes, up to a limit. */
interface Meter {
  readonly stream: Transform;
  size(): number;
}

function makeMeter(limit = Number.POSITIVE_INFINITY, refuse?: () => Error): Meter {
  let size = 0;
  const stream = new Transform({
    transform(chunk: Buffer, _encoding, callback) {
      size += chunk.length;
      if (size > limit) callback(refuse?.());
      else callback(null, chunk);
    },
  });
  return { stream, size: () => size };
}

/** The types of `pipeline` know no list of streams behind an iterable. */
function feed(source: AsyncIterable<Buffer>, stages: readonly Duplex[]): Promise<void> {
  return pipeline([source, ...stages] as unknown as NodeJS.ReadWriteStream[]);
}
