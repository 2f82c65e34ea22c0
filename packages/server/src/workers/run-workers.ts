import cluster, { type Worker } from "node:cluster";
import { closeLostConnections } from "./close-lost-connections.js";
import { isOwnMessage, type PrimaryMessage, slotVariable, type WorkerMessage, type WorkerText } from "./messages.js";
import { pauseBefore } from "./pause-before.js";
import { makeSharedState } from "./shared-state.js";

/** The log of the primary; a pino logger fits. */
export interface WorkersLog {
  info(details: object, message: string): void;
  warn(details: object, message: string): void;
}

/** The options of the workers. */
export interface RunWorkersOptions {
  /** The number of workers. */
  readonly workers: number;
  /** How long they may take to stop, in milliseconds; then they are killed. */
  readonly stopMs: number;
  readonly log: WorkersLog;
}

/** The slot of one worker and its replacements. */
interface Place {
  readonly worker: number;
  process?: Worker | undefined;
  /** When it started to listen, in milliseconds of `performance.now()`. */
  readySince?: number | undefined;
  /** The number of consecutive early exits in this slot. */
  earlyExits: number;
  timer?: NodeJS.Timeout | undefined;
}

interface Gathering {
  readonly texts: WorkerText[];
  readonly missing: Set<number>;
  readonly end: () => void;
}

/** How long the others may take to report their text, in milliseconds. */
const reportMs = 1_000;

/**
 * Runs this program in several worker processes, which listen on the same addresses; the calling process serves nothing
 * itself. The first worker must listen before the others are started: if it cannot, none can, and only its own message
 * is printed. A worker that exits is replaced, immediately or, after several early exits in its slot, after a pause
 * that grows to 30 s. SIGTERM and SIGINT stop all workers; a second one kills them.
 *
 * @returns the exit code of this process: 0 if all have stopped on request, that of the first if it could not listen,
 * otherwise 1
 */
export function runWorkers({ workers, stopMs, log }: RunWorkersOptions): Promise<number> {
  const shared = makeSharedState();
  const gatherings = new Map<number, Gathering>();
  const places: Place[] = Array.from({ length: workers }, (_, at) => ({ worker: at + 1, earlyExits: 0 }));
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
        if (isOwnMessage<WorkerMessage>(message)) handleMessage(place, child, message);
      });
      child.once("exit", end);
      // A process that could not be created has no exit event.
      child.once("error", (error) => {
        log.warn({ worker: place.worker, err: error }, "a worker could not be started");
        if (child.process.pid === undefined) end(1, null);
      });
    };
    const handleMessage = (place: Place, child: Worker, message: WorkerMessage): void => {
      switch (message.servicekit) {
        case "ready": {
          place.readySince = performance.now();
          const others = isServed || isStopping ? [] : places.filter((other) => other !== place);
          isServed = true;
          for (const other of others) start(other);
          break;
        }
        case "call":
          void shared
            .execute(message.calls)
            .then((results) => send(child, { servicekit: "results", id: message.id, results }));
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
    const gather = (child: Worker, requestId: number): void => {
      const id = ++lastId;
      const listening = running().filter(({ readySince }) => readySince !== undefined);
      const texts: WorkerText[] = [];
      const end = (): void => {
        clearTimeout(timer);
        gatherings.delete(id);
        texts.sort(([one], [other]) => one - other);
        send(child, { servicekit: "texts", id: requestId, texts });
      };
      const timer = setTimeout(end, reportMs);
      gatherings.set(id, { texts, missing: new Set(listening.map(({ worker }) => worker)), end });
      for (const { process } of listening) if (process !== undefined) send(process, { servicekit: "report", id });
    };
    const ended = (place: Place, code: number | null, signal: string | null): void => {
      const { worker, readySince } = place;
      if (isStopping) {
        // A worker that is still loading has no other handler of SIGTERM.
        if (code !== 0 && !(code === null && signal === "SIGTERM")) isUnclean = true;
        if (running().length === 0) finish(isUnclean ? 1 : 0);
      } else if (!isServed) finish(code ?? 1);
      else {
        const ranMs = readySince === undefined ? 0 : performance.now() - readySince;
        const { pauseMs, earlyExits } = pauseBefore({ ranMs, earlyExits: place.earlyExits });
        place.earlyExits = earlyExits;
        log.warn({ worker, code, signal, retryMs: pauseMs }, "a worker has exited and is replaced");
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
      log.info({ workers: running().length }, "stopping the workers");
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

/** A worker that cannot be reached has exited, or is about to. */
function send(child: Worker, message: PrimaryMessage): void {
  if (child.isConnected()) child.send(message, () => undefined);
}
