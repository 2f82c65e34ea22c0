/** Writes a line of the log, such as a method of pino. */
export type WriteLog = (fields: object, message: string) => void;

/** A logger such as pino's. */
export interface JobLog {
  /** Logs what happened. */
  readonly info: WriteLog;
  /** Logs what may need attention. */
  readonly warn: WriteLog;
  /** Logs what failed. */
  readonly error: WriteLog;
}
