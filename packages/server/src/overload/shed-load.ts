import type { IncomingMessage, Server, ServerResponse } from "node:http";
import { performance } from "node:perf_hooks";
import type { Gate } from "@servicekit/router";
import { makeUnreadAnswers, type StandInLine, type UnreadAnswers, type Waiting } from "./answer-unread.js";
import { judgeLoad, type LoadAllowed, type LoadSeen } from "./judge-load.js";
import type { RequestTarget } from "./read-whole-request.js";

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
  /**
   * The same as the bytes of a message, for requests that nobody has read yet, which costs half as much; `undefined` where
   * {@link refuse} must answer. @default it answers all of them
   */
  readonly refuseUnread?: (request: RequestTarget) => string | undefined;
  /** Is told how many were refused since it was told last, every ten seconds at the most. */
  readonly onRefusals?: (count: number) => void;
}

/** Keeps more requests out of a service than it can answer in time. */
export interface LoadShedding {
  readonly gate: Gate;
  /** How many have been refused so far. */
  readonly refused: () => number;
  /** Begins with the server, and ends with it. */
  readonly watch: (server: Server) => void;
  /** Gives Node all that stands in line unread, whose connections it takes for idle, and all that comes: call it before these are closed. */
  readonly readAll: () => void;
}

/** How often the load is looked at, and how often it is told at the most that requests are refused, in milliseconds. */
const lookMs = 100;
const tellEveryMs = 10_000;
/** How long requests are begun in one turn of the event loop, in milliseconds. */
const turnMs = 2;

/**
 * Sheds load (contract C70): a request that would wait longer than `maxWait` is refused before anything else is done for it,
 * so that those that are let in are answered in time. Where more come than can be at work they stand in line, unread.
 *
 * @param judge how much is let in, asked anew every tenth of a second
 */
export function shedLoad(
  { maxWait, pool, isAlwaysServed, refuse, refuseUnread, onRefusals }: LoadSheddingOptions,
  judge: (seen: LoadSeen) => LoadAllowed = judgeLoad(maxWait),
): LoadShedding {
  let allowed: LoadAllowed = { most: Number.POSITIVE_INFINITY, lanes: Number.POSITIVE_INFINITY, isFull: false };
  // No set: see decision 0017.
  const line: Waiting[] = [];
  /** Whether Node is reading a request whose turn has come. */
  let isItsTurn = false;
  let mayStandUnread = true;
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
    while (line.length > 0) {
      if (atWork >= allowed.lanes) return;
      line.shift()?.begin();
      noteLine();
      if (performance.now() >= until) break;
    }
    callTurn();
  };
  const callTurn = (): void => {
    if (isTurnDue || line.length === 0 || atWork >= allowed.lanes) return;
    isTurnDue = true;
    setImmediate(takeTurn);
  };
  const noteLine = (): void => {
    if (line.length < leastInLine) leastInLine = line.length;
  };
  const standInLine: StandInLine = (waiting) => {
    line.push(waiting);
    callTurn();
    return () => {
      line.splice(line.indexOf(waiting), 1);
      noteLine();
    };
  };
  const standRead = (response: ServerResponse, goOn: () => void): void => {
    const begin = (): void => {
      response.off("close", leave);
      work(response, goOn);
    };
    const leave = standInLine({ begin });
    // A client that has gone is served no more.
    response.once("close", leave);
  };
  const standUnread: StandInLine = (waiting) =>
    standInLine({
      ...waiting,
      begin: () => {
        isItsTurn = true;
        waiting.begin();
        isItsTurn = false;
      },
    });
  const readLine = (): void => {
    for (const { readNow } of [...line]) readNow?.();
  };
  const readAll = (): void => {
    mayStandUnread = false;
    readLine();
  };

  const placeOf = (request: RequestTarget): "work" | "line" | "refused" => {
    const inHouse = atWork + line.length;
    if (inHouse < allowed.lanes && !allowed.isFull && line.length === 0) return "work";
    if (isAlwaysServed(request)) return "work";
    return inHouse < allowed.most ? "line" : "refused";
  };
  /** Known with the server. */
  let unread: UnreadAnswers | undefined;
  const placeUnread = (request: RequestTarget): string | StandInLine | undefined => {
    const place = placeOf(request);
    if (place === "line") return mayStandUnread ? standUnread : undefined;
    const text = place === "refused" ? refuseUnread?.(request) : undefined;
    if (text !== undefined) refused++;
    return text;
  };

  const utilization = loopUtilization();
  const turns = loopTurns();
  let lookedAt = performance.now();
  const look = (): void => {
    const now = performance.now();
    const ms = now - lookedAt;
    const turn = ms / turns();
    allowed = judge({ ms, utilization: utilization(), turn, finished, leastAtWork, leastInLine, pool: pool() });
    [lookedAt, finished, leastAtWork, leastInLine] = [now, 0, atWork, line.length];
    callTurn();
  };
  let told = { refused: 0, at: Number.NEGATIVE_INFINITY };
  const tell = (): void => {
    if (refused === told.refused || lookedAt - told.at < tellEveryMs) return;
    onRefusals?.(refused - told.refused);
    told = { refused, at: lookedAt };
  };

  return {
    refused: () => refused,
    readAll,
    gate: (request, response, goOn) => {
      const place = isItsTurn ? "work" : placeOf(request);
      isItsTurn = false;
      if (place === "work") {
        work(response, goOn);
        return;
      }
      unread?.watchAt(response);
      if (place === "line") standRead(response, goOn);
      else {
        refused++;
        refuse(request, response);
      }
    },
    watch: (server) => {
      if (refuseUnread !== undefined) {
        const answers = makeUnreadAnswers(server, placeUnread);
        unread = answers;
        server.on("connection", (socket) => allowed.isFull && answers.watchNew(socket));
        // Node's own close calls it too.
        const closeIdle = server.closeIdleConnections;
        server.closeIdleConnections = () => {
          readLine();
          closeIdle.call(server);
        };
      }
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
