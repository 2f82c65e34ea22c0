import cluster, { type Worker } from "node:cluster";
import { closeLostConnections } from "./close-lost-connections.js";
import { isOurs, type PrimaryMessage, slotVariable, type WorkerMessage, type WorkerText } from "./messages.js";
import { pauseBefore } from "./pause-before.js";
import { makeSharedState } from "./shared-state.js";

/** What the primary tells of its workers; a logger of pino fits. */
export interface WorkersLog {
  info(facts: object, message: string): void;
  warn(facts: object, message: string): void;
}

/** How workers are run. */
export interface RunWorkersOptions {
  /** How many serve at a time. */
  readonly workers: number;
  /** How long they may take to end when they are told to, in milliseconds; what is left then is killed. */
  readonly stopMs: number;
  readonly log: WorkersLog;
}

/** The place of one worker, which others take when it has died. */
interface Place {
  readonly worker: number;
  process?: Worker | undefined;
  /** When it began to serve, in milliseconds of `performance.now()`. */
  readySince?: number | undefined;
  /** How often those in this place have died one soon after the other. */
  deaths: number;
  timer?: NodeJS.Timeout | undefined;
}

interface Gathering {
  readonly texts: WorkerText[];
  readonly missing: Set<number>;
  readonly end: () => void;
}

/** How long the others may take to tell their text, in milliseconds. */
const tellMs = 1_000;

/**
 * Runs this program again in so many processes, which listen at the same addresses; for a process that serves nothing itself.
 * The first must serve before the others are started: where it cannot, nobody can, and its own message is the only one.
 * One that dies is replaced, at once or, where those in its place die one soon after the other, after a pause that grows to 30 s.
 * SIGTERM and SIGINT tell all of them to end; a second one ends everything at once.
 *
 * @returns the code for the end of this process: 0 when all have ended as they were told to, that of the first where it could not
 *   serve, else 1
 */
export function runWorkers({ workers, stopMs, log }: RunWorkersOptions): Promise<number> {
  const shared = makeSharedState();
  const gatherings = new Map<number, Gathering>();
  const places: Place[] = Array.from({ length: workers }, (_, at) => ({ worker: at + 1, deaths: 0 }));
  let isServed = false;
  let isStopping = false;
  let isUnclean = false;
  let lastId = 0;
  const running = (): Place[] => places.filter(({ process }) => process !== undefined);

  return new Promise((resolve) => {
    const finish = (code: number): void => {
      for (const signal of signals) process.off(signal, stop);
      resolve(code);
    };
    const start = (place: Place): void => {
      const child = cluster.fork({ [slotVariable]: String(place.worker) });
      closeLostConnections(child);
      place.process = child;
      place.readySince = undefined;
      let isOver = false;
      const end = (code: number | null, signal: string | null): void => {
        if (isOver) return;
        isOver = true;
        place.process = undefined;
        ended(place, code, signal);
      };
      child.on("message", (message: unknown) => {
        if (isOurs<WorkerMessage>(message)) heard(place, child, message);
      });
      child.once("exit", end);
      // A process that could not be made has no exit.
      child.once("error", (error) => {
        log.warn({ worker: place.worker, err: error }, "a worker could not be started");
        if (child.process.pid === undefined) end(1, null);
      });
    };
    const heard = (place: Place, child: Worker, message: WorkerMessage): void => {
      switch (message.servicekit) {
        case "ready": {
          place.readySince = performance.now();
          const others = isServed || isStopping ? [] : places.filter((other) => other !== place);
          isServed = true;
          for (const other of others) start(other);
          break;
        }
        case "ask":
          void shared
            .answer(message.asks)
            .then((answers) => send(child, { servicekit: "answers", id: message.id, answers }));
          break;
        case "gather":
          gather(child, message.id);
          break;
        case "text": {
          const gathering = gatherings.get(message.id);
          if (gathering?.missing.delete(place.worker) !== true) break;
          gathering.texts.push([place.worker, message.text]);
          if (gathering.missing.size === 0) gathering.end();
        }
      }
    };
    const gather = (child: Worker, asked: number): void => {
      const id = ++lastId;
      const asking = running().filter(({ readySince }) => readySince !== undefined);
      const texts: WorkerText[] = [];
      const end = (): void => {
        clearTimeout(timer);
        gatherings.delete(id);
        texts.sort(([one], [other]) => one - other);
        send(child, { servicekit: "texts", id: asked, texts });
      };
      const timer = setTimeout(end, tellMs);
      gatherings.set(id, { texts, missing: new Set(asking.map(({ worker }) => worker)), end });
      for (const { process } of asking) if (process !== undefined) send(process, { servicekit: "tell", id });
    };
    const ended = (place: Place, code: number | null, signal: string | null): void => {
      const { worker, readySince } = place;
      if (isStopping) {
        // One that was still loading has no other end for SIGTERM than this.
        if (code !== 0 && !(code === null && signal === "SIGTERM")) isUnclean = true;
        if (running().length === 0) finish(isUnclean ? 1 : 0);
      } else if (!isServed) finish(code ?? 1);
      else {
        const livedMs = readySince === undefined ? 0 : performance.now() - readySince;
        const { pauseMs, deaths } = pauseBefore({ livedMs, deaths: place.deaths });
        place.deaths = deaths;
        log.warn({ worker, code, signal, retryMs: pauseMs }, "a worker has ended: another takes its place");
        place.timer = setTimeout(() => start(place), pauseMs);
      }
    };
    const killAll = (): void => {
      for (const { process } of running()) process?.process.kill("SIGKILL");
    };
    const stop = (): void => {
      if (isStopping) {
        killAll();
        finish(1);
        return;
      }
      isStopping = true;
      log.info({ workers: running().length }, "the workers are told to end");
      for (const { timer } of places) clearTimeout(timer);
      for (const { process } of running()) process?.process.kill("SIGTERM");
      if (running().length === 0) finish(0);
      else setTimeout(killAll, stopMs).unref();
    };
    for (const signal of signals) process.on(signal, stop);
    const [first] = places;
    if (first === undefined) finish(0);
    else start(first);
  });
}

const signals = ["SIGTERM", "SIGINT"] as const;

/** Who cannot be reached has ended, or is about to. */
function send(child: Worker, message: PrimaryMessage): void {
  if (child.isConnected()) child.send(message, () => undefined);
}
