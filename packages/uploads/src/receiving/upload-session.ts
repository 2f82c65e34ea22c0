import { uploadErrors } from "../errors.js";
import type { StoredFile } from "../files/uploaded-file.js";
import type { NewFile } from "../storage/file-storage.js";

/** The files of one request: all of them are stored, or none. */
export interface UploadSession {
  /** The files in the order in which they arrived; complete when the form is. */
  readonly files: readonly StoredFile[];
  /** Counts a file of a field or a category and returns the number before. */
  count(what: string): number;
  /** Runs the work on one file, which registers what it stores before it writes. */
  run(work: (begin: (file: NewFile) => void) => Promise<StoredFile>): Promise<void>;
  /** Runs work that must not run concurrently with the same work of the request. */
  inTurn<Result>(work: () => Promise<Result>): Promise<Result>;
  commit(): Promise<void>;
  /** Waits for all work and cleans up. */
  discard(): Promise<void>;
}

/** Receives errors that no response can contain. */
export type ReportIssue = (error: unknown, message: string) => void;

/** Starts the session of one request. */
export function beginSession(report: ReportIssue): UploadSession {
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
      // The parser may emit one more file after the form has failed.
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
        await file.discard().catch((error: unknown) => report(error, "a file of a failed upload could not be deleted"));
      }
    },
  };
}
