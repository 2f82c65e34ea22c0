import { uploadErrors } from "../errors.js";
import type { StoredFile } from "../files/uploaded-file.js";
import type { NewFile } from "../storage/file-storage.js";

/** The files of one request: all of them are kept, or none. */
export interface UploadSession {
  /** The files in the order in which they came; complete when the form is. */
  readonly files: readonly StoredFile[];
  /** Counts a file of a field or a category and tells how many there were before. */
  count(what: string): number;
  /** Runs the work on one file, which tells of what it stores before it writes. */
  run(work: (begin: (file: NewFile) => void) => Promise<StoredFile>): Promise<void>;
  /** Runs work that must not run beside its like of the same request. */
  inTurn<Result>(work: () => Promise<Result>): Promise<Result>;
  commit(): Promise<void>;
  /** Waits for all work and leaves nothing behind. */
  discard(): Promise<void>;
}

/** What is told of faults that no one can answer any more. */
export type TellFault = (error: unknown, message: string) => void;

/** Begins the session of one request. */
export function beginSession(tell: TellFault): UploadSession {
  const files: StoredFile[] = [];
  const begun: NewFile[] = [];
  const running = new Set<Promise<unknown>>();
  const counts = new Map<string, number>();
  let isOver = false;
  let last: Promise<unknown> = Promise.resolve();
  return {
    files,
    count(what) {
      const before = counts.get(what) ?? 0;
      counts.set(what, before + 1);
      return before;
    },
    async run(work) {
      // The parser may tell of one more file after the form has failed.
      if (isOver) throw uploadErrors.UploadAborted();
      const place = running.size;
      const done = work((file) => void begun.push(file));
      running.add(done.catch(() => undefined));
      files[place] = await done;
    },
    inTurn(work) {
      const turn = last.then(work);
      last = turn.catch(() => undefined);
      return turn;
    },
    async commit() {
      await Promise.all(running);
      for (const file of begun) await file.commit();
    },
    async discard() {
      isOver = true;
      await Promise.all(running);
      for (const file of begun) {
        await file.discard().catch((error: unknown) => tell(error, "a file of a failed upload could not be removed"));
      }
    },
  };
}
