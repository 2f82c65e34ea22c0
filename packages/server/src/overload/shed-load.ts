import type { IncomingMessage, Server, ServerResponse } from "node:http";
import { performance } from "node:perf_hooks";
import type { Gate } from "@servicekit/router";
import { judgeLoad, type LoadAllowed, type LoadSeen } from "./judge-load.js";
import type { RequestTarget } from "./refuse-overload.js";

/** What {@link shedLoad} needs. */
export interface LoadSheddingOptions {
  /** How long a request may have to wait, in milliseconds. */
  readonly maxWait: number;
  /** The pool of connections that requests work with, such as those to a database. */
  readonly pool: () => LoadSeen["pool"];
  /** Whether a request is let in whatever there is to do. */
  readonly isAlwaysServed: (request: RequestTarget) => boolean;
  /** Answers what is not let in; the cheaper, the better. */
  readonly refuse: (request: IncomingMessage, response: ServerResponse) => void;
  /** Called for each refused request. */
  readonly countRefusal?: (() => void) | undefined;
  /** Is told how many were refused since it was told last, every ten seconds at the most. */
  readonly onRefusals?: (count: number) => void;
}

/** Keeps more requests out of a service than it can answer in time. */
export interface LoadShedding {
  readonly gate: Gate;
  /** Begins with the server, and ends with it. */
  readonly watch: (server: Server) => void;
}

/** How often the load is looked at, and how often it is told at the most that requests are refused, in milliseconds. */
const lookMs = 100;
const tellEveryMs = 10_000;
/** How long requests are begun in one turn of the event loop, in milliseconds. */
const turnMs = 2;

/**
 * Sheds load (contract C70): a request that would wait longer than `maxWait` is refused before anything else is done for it,
 * so that those that are let in are answered in time. Requests beyond those that may run at the same time wait in a queue.
 *
 * @param judge how much is let in, asked anew every tenth of a second
 */
export function shedLoad(
  { maxWait, pool, isAlwaysServed, refuse, countRefusal, onRefusals }: LoadSheddingOptions,
  judge: (seen: LoadSeen) => LoadAllowed = judgeLoad(maxWait),
): LoadShedding {
  let allowed: LoadAllowed = { most: Number.POSITIVE_INFINITY, lanes: Number.POSITIVE_INFINITY, isFull: false };
  // No set: see decision 0017.
  const queue: (() => void)[] = [];
  let isTurnDue = false;
  let atWork = 0;
  let refused = 0;
  /** Since the last look. */
  let [finished, leastAtWork, leastInLine] = [0, 0, 0];

  const work = (response: ServerResponse, goOn: () => void): void => {
    atWork++;
    response.once("close", () => {
      atWork--;
      finished++;
      if (atWork < leastAtWork) leastAtWork = atWork;
      callTurn();
    });
    goOn();
  };
  const takeTurn = (): void => {
    isTurnDue = false;
    const until = performance.now() + turnMs;
    while (queue.length > 0) {
      if (atWork >= allowed.lanes) return;
      queue.shift()?.();
      noteQueue();
      if (performance.now() >= until) break;
    }
    callTurn();
  };
  const callTurn = (): void => {
    if (isTurnDue || queue.length === 0 || atWork >= allowed.lanes) return;
    isTurnDue = true;
    setImmediate(takeTurn);
  };
  const noteQueue = (): void => {
    if (queue.length < leastInLine) leastInLine = queue.length;
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
    callTurn();
  };

  const placeOf = (request: RequestTarget): "work" | "queue" | "refused" => {
    const inHouse = atWork + queue.length;
    if (inHouse < allowed.lanes && !allowed.isFull && queue.length === 0) return "work";
    if (isAlwaysServed(request)) return "work";
    return inHouse < allowed.most ? "queue" : "refused";
  };

  const utilization = loopUtilization();
  const turns = loopTurns();
  let lookedAt = performance.now();
  const look = (): void => {
    const now = performance.now();
    const ms = now - lookedAt;
    const turn = ms / turns();
    allowed = judge({ ms, utilization: utilization(), turn, finished, leastAtWork, leastInLine, pool: pool() });
    [lookedAt, finished, leastAtWork, leastInLine] = [now, 0, atWork, queue.length];
    callTurn();
  };
  let told = { refused: 0, at: Number.NEGATIVE_INFINITY };
  const tell = (): void => {
    if (refused === told.refused || lookedAt - told.at < tellEveryMs) return;
    onRefusals?.(refused - told.refused);
    told = { refused, at: lookedAt };
  };

  return {
    gate: (request, response, goOn) => {
      const place = placeOf(request);
      if (place === "work") work(response, goOn);
      else if (place === "queue") enqueue(response, goOn);
      else {
        refused++;
        countRefusal?.();
        refuse(request, response);
      }
    },
    watch: (server) => {
      let timer: NodeJS.Timeout | undefined;
      server.on("listening", () => {
        timer = setInterval(() => {
          look();
          tell();
        }, lookMs).unref();
      });
      server.on("close", () => clearInterval(timer));
    },
  };
}

/** The part of the time since the last call in which the event loop had something to do. */
function loopUtilization(): () => number {
  let last = performance.eventLoopUtilization();
  return () => {
    const now = performance.eventLoopUtilization();
    const { utilization } = performance.eventLoopUtilization(now, last);
    last = now;
    return utilization;
  };
}

/** The turns of the event loop since the last call, one at the least. */
function loopTurns(): () => number {
  let last = performance.nodeTiming.uvMetricsInfo.loopCount;
  return () => {
    const now = performance.nodeTiming.uvMetricsInfo.loopCount;
    const turns = now - last;
    last = now;
    return Math.max(1, turns);
  };
}
