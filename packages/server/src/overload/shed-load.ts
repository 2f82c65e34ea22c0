import type { IncomingMessage, Server, ServerResponse } from "node:http";
import { performance } from "node:perf_hooks";
import type { Gate } from "@servicekit/router";
import { assessLoad, type LoadAllowed, type ObservedLoad } from "./assess-load.js";
import type { RequestTarget } from "./reject-overload.js";

/** The options of {@link shedLoad}. */
export interface LoadSheddingOptions {
  /** Maximum wait of a request, in milliseconds. */
  readonly maxWait: number;
  /** The connection pool that requests use, such as that of a database. */
  readonly pool: () => ObservedLoad["pool"];
  /** Whether a request is always accepted. */
  readonly isAlwaysServed: (request: RequestTarget) => boolean;
  /** Responds to rejected requests; should be cheap. */
  readonly reject: (request: IncomingMessage, response: ServerResponse) => void;
  /** Called for each rejected request. */
  readonly countRejection?: (() => void) | undefined;
  /** Called with the number of rejections since the last call, at most every ten seconds. */
  readonly onRejections?: (count: number) => void;
}

/** Limits the requests of a service to those that it can handle in time. */
export interface LoadShedding {
  readonly gate: Gate;
  /** Starts with the server, and stops with it. */
  readonly watch: (server: Server) => void;
}

/** The interval of the checks, and the minimum interval of the reports about rejections, in milliseconds. */
const checkMs = 100;
const reportIntervalMs = 10_000;
/** How long requests are started in one tick of the event loop, in milliseconds. */
const turnMs = 2;

/**
 * Sheds load (contract C70): a request that would wait longer than `maxWait` is rejected before anything else is done
 * for it, so that accepted ones are handled in time. Requests beyond the number that may run concurrently wait in a
 * queue.
 *
 * @param evaluate determines the limits every tenth of a second
 */
export function shedLoad(
  { maxWait, pool, isAlwaysServed, reject, countRejection, onRejections }: LoadSheddingOptions,
  evaluate: (seen: ObservedLoad) => LoadAllowed = assessLoad(maxWait),
): LoadShedding {
  let allowed: LoadAllowed = { max: Number.POSITIVE_INFINITY, maxRunning: Number.POSITIVE_INFINITY, isFull: false };
  // No set: see decision 0017.
  const queue: (() => void)[] = [];
  let isScheduled = false;
  let running = 0;
  let rejected = 0;
  /** Since the last check. */
  let [finished, minRunning, minQueued] = [0, 0, 0];

  const work = (response: ServerResponse, goOn: () => void): void => {
    running++;
    response.once("close", () => {
      running--;
      finished++;
      if (running < minRunning) minRunning = running;
      scheduleStart();
    });
    goOn();
  };
  const startQueued = (): void => {
    isScheduled = false;
    const until = performance.now() + turnMs;
    while (queue.length > 0) {
      if (running >= allowed.maxRunning) return;
      queue.shift()?.();
      noteQueue();
      if (performance.now() >= until) break;
    }
    scheduleStart();
  };
  const scheduleStart = (): void => {
    if (isScheduled || queue.length === 0 || running >= allowed.maxRunning) return;
    isScheduled = true;
    setImmediate(startQueued);
  };
  const noteQueue = (): void => {
    if (queue.length < minQueued) minQueued = queue.length;
  };
  const enqueue = (response: ServerResponse, goOn: () => void): void => {
    const begin = (): void => {
      response.off("close", leave);
      work(response, goOn);
    };
    const leave = (): void => {
      queue.splice(queue.indexOf(begin), 1);
      noteQueue();
    };
    queue.push(begin);
    // A request whose client has disconnected is not processed.
    response.once("close", leave);
    scheduleStart();
  };

  const placeOf = (request: RequestTarget): "work" | "queue" | "rejected" => {
    const total = running + queue.length;
    if (total < allowed.maxRunning && !allowed.isFull && queue.length === 0) return "work";
    if (isAlwaysServed(request)) return "work";
    return total < allowed.max ? "queue" : "rejected";
  };

  const utilization = loopUtilization();
  const turns = loopTicks();
  let checkedAt = performance.now();
  const check = (): void => {
    const now = performance.now();
    const ms = now - checkedAt;
    const turn = ms / turns();
    allowed = evaluate({ ms, utilization: utilization(), turn, finished, minRunning, minQueued, pool: pool() });
    [checkedAt, finished, minRunning, minQueued] = [now, 0, running, queue.length];
    scheduleStart();
  };
  let lastReport = { rejected: 0, at: Number.NEGATIVE_INFINITY };
  const report = (): void => {
    if (rejected === lastReport.rejected || checkedAt - lastReport.at < reportIntervalMs) return;
    onRejections?.(rejected - lastReport.rejected);
    lastReport = { rejected, at: checkedAt };
  };

  return {
    gate: (request, response, goOn) => {
      const place = placeOf(request);
      if (place === "work") work(response, goOn);
      else if (place === "queue") enqueue(response, goOn);
      else {
        rejected++;
        countRejection?.();
        reject(request, response);
      }
    },
    watch: (server) => {
      let timer: NodeJS.Timeout | undefined;
      server.on("listening", () => {
        timer = setInterval(() => {
          check();
          report();
        }, checkMs).unref();
      });
      server.on("close", () => clearInterval(timer));
    },
  };
}

/** The fraction of the time since the last call in which the event loop was busy. */
function loopUtilization(): () => number {
  let last = performance.eventLoopUtilization();
  return () => {
    const now = performance.eventLoopUtilization();
    const { utilization } = performance.eventLoopUtilization(now, last);
    last = now;
    return utilization;
  };
}

/** The event loop ticks since the last call, at least one. */
function loopTicks(): () => number {
  let last = performance.nodeTiming.uvMetricsInfo.loopCount;
  return () => {
    const now = performance.nodeTiming.uvMetricsInfo.loopCount;
    const turns = now - last;
    last = now;
    return Math.max(1, turns);
  };
}
