import type { Occurrences } from "./parse-schedule.js";

/** A schedule that runs. */
export interface RunningSchedule {
  readonly name: string;
  readonly occurrences: Occurrences;
}

/** What the schedules of a process need. */
export interface SchedulesOptions {
  readonly schedules: readonly RunningSchedule[];
  /** Returns the time of the database, in milliseconds: the clocks of processes may differ. */
  readonly now: () => Promise<number>;
  /** Sends the job of an occurrence, unless a process has sent it. */
  readonly send: (name: string, occurrence: number) => Promise<void>;
  readonly onError: (error: unknown) => void;
}

/** An occurrence shortly before the start of a process is sent by it, in milliseconds: it may replace another process. */
const startDelay = 60_000;
/** The maximum delay of an occurrence in milliseconds: shorter than the time for which its job prevents another one. */
const maxDelay = 12 * 3_600_000;
/** The time in milliseconds whose occurrences are all computed to find the latest one. */
const shortDelay = 3_600_000;
/** The maximum pause in milliseconds: the clocks of the process and of the database may drift. */
const maxPause = 30_000;
/** The pause in milliseconds after an error. */
const errorPause = 2_000;

/**
 * Sends the jobs of schedules until the returned function is called. Of several occurrences that are late, because the database
 * was unavailable, the latest one is sent.
 */
export function runSchedules({ schedules, now, send, onError }: SchedulesOptions): () => void {
  const nextBySchedule = new Map<RunningSchedule, number>();
  let timer: NodeJS.Timeout | undefined;
  let isStopped = false;

  const pass = async (): Promise<number> => {
    const time = await now();
    let pause = maxPause;
    for (const schedule of schedules) {
      const { name, occurrences } = schedule;
      let next = nextBySchedule.get(schedule) ?? occurrences.after(time - startDelay);
      nextBySchedule.set(schedule, next);
      if (next <= time) {
        const latest = latestUntil(occurrences, next, time);
        if (latest !== undefined) await send(name, latest);
        next = occurrences.after(time);
        nextBySchedule.set(schedule, next);
      }
      pause = Math.min(pause, next - time);
    }
    return Math.max(pause, 1);
  };
  const run = async (): Promise<void> => {
    const pause = await pass().catch((error: unknown) => {
      if (!isStopped) onError(error);
      return errorPause;
    });
    if (!isStopped) timer = setTimeout(() => void run(), pause).unref();
  };
  if (schedules.length > 0) void run();
  return () => {
    isStopped = true;
    clearTimeout(timer);
  };
}

/** Returns the latest occurrence from `first` to `time`, unless all are too late. */
function latestUntil(occurrences: Occurrences, first: number, time: number): number | undefined {
  for (const delay of [shortDelay, maxDelay]) {
    let latest = Math.max(first, occurrences.after(time - delay));
    if (latest > time) continue;
    for (let next = occurrences.after(latest); next <= time; next = occurrences.after(latest)) latest = next;
    return latest;
  }
  return undefined;
}
