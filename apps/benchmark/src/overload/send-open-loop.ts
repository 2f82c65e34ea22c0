import { connect, type Socket } from "node:net";
import { setTimeout as wait } from "node:timers/promises";
import { responseLength } from "../measure/response-length.js";

/** Requests that come when they come, however slowly they are answered. */
export interface Flood {
  readonly port: number;
  /** Requests a second. */
  readonly rate: number;
  readonly seconds: number;
  /** Answers of the first so many seconds are not counted. */
  readonly warmUp: number;
  /** Sent by turns. */
  readonly requests: readonly FloodRequest[];
  /** Sent every two seconds, however many others come. */
  readonly beside: FloodRequest;
  /** Connections at a time; where all are busy, what is due is lost. */
  readonly connections: number;
  /** A client goes away after so many milliseconds. */
  readonly patience: number;
}

/** What is looked at for itself: what is always let in. */
export type Kind = "probe" | "login" | "other";

export interface FloodRequest {
  readonly kind: Kind;
  /** The whole request. */
  readonly text: string;
}

/** What became of the requests that were counted. Times in milliseconds, from the moment a request was due. */
export interface FloodOutcome {
  readonly seconds: number;
  readonly sent: number;
  readonly good: number;
  readonly refused: number;
  /** Any other answer. */
  readonly wrong: number;
  /** Clients that went away. */
  readonly lost: number;
  readonly goodTimes: Percentiles;
  readonly refusedTimes: Percentiles;
  readonly vital: Readonly<Record<"probe" | "login", Vital>>;
  /** CPU microseconds of the clients. */
  readonly cpu: number;
}

/** Of requests that are always let in: how many there were, how many had a good answer, and the slowest of these. */
export interface Vital {
  readonly sent: number;
  readonly good: number;
  readonly slowest: number;
}

export interface Percentiles {
  /** `null` where there was no answer. */
  readonly p50: number | null;
  readonly p99: number | null;
}

/** One connection, with the request on it. */
interface Line {
  readonly socket: Socket;
  due: number;
  kind: Kind;
  isBusy: boolean;
  received: string;
  /** Characters of the answer that has begun; 0 until its head is there. */
  whole: number;
}

/** How often it is looked who goes away, in milliseconds. */
const lookMs = 50;
const besideMs = 2_000;

/** Sends requests at a rate, on as many connections as it takes, and tells how they were answered. */
export async function flood({
  port,
  rate,
  seconds,
  warmUp,
  requests,
  beside,
  connections,
  patience,
}: Flood): Promise<FloodOutcome> {
  const idle: Line[] = [];
  const open = new Set<Line>();
  const good: number[] = [];
  const refused: number[] = [];
  const vital = { probe: { sent: 0, good: 0, slowest: 0 }, login: { sent: 0, good: 0, slowest: 0 } };
  const began = performance.now();
  const cpu = process.cpuUsage();
  const counts = { sent: 0, wrong: 0, lost: 0 };
  const isCounted = (due: number): boolean => due - began >= warmUp * 1_000;

  const settle = (line: Line, status: number): void => {
    line.isBusy = false;
    const isGood = status >= 200 && status < 300;
    if (!isCounted(line.due)) return;
    const took = performance.now() - line.due;
    if (line.kind !== "other") {
      const seen = vital[line.kind];
      seen.sent++;
      if (isGood) seen.good++;
      if (isGood) seen.slowest = Math.max(seen.slowest, took);
    }
    if (isGood) good.push(took);
    else if (status === 503) refused.push(took);
    else if (status === 0) counts.lost++;
    else counts.wrong++;
  };
  const leave = (line: Line): void => {
    if (!open.delete(line)) return;
    if (line.isBusy) settle(line, 0);
    else idle.splice(idle.indexOf(line), 1);
    line.socket.destroy();
  };
  const look = setInterval(() => {
    const now = performance.now();
    for (const line of open) if (line.isBusy && now - line.due > patience) leave(line);
  }, lookMs);
  const openLine = (): Line => {
    const socket = connect(port, "127.0.0.1").setNoDelay(true).setEncoding("latin1");
    const line: Line = { socket, due: 0, kind: "other", isBusy: false, received: "", whole: 0 };
    open.add(line);
    socket.on("data", (chunk: string) => {
      line.received = line.received === "" ? chunk : line.received + chunk;
      if (line.whole === 0) line.whole = responseLength(line.received);
      if (line.whole === 0 || line.received.length < line.whole) return;
      const status = Number(line.received.slice(9, 12));
      line.received = "";
      line.whole = 0;
      settle(line, status);
      idle.push(line);
    });
    socket.on("error", () => leave(line));
    socket.on("close", () => leave(line));
    return line;
  };
  let at = 0;
  const send = (due: number, { kind, text }: FloodRequest, most = connections): void => {
    if (isCounted(due)) counts.sent++;
    const line = idle.pop() ?? (open.size < most ? openLine() : undefined);
    if (line === undefined) {
      if (isCounted(due)) counts.lost++;
      return;
    }
    line.due = due;
    line.kind = kind;
    line.isBusy = true;
    line.socket.write(text, "latin1");
  };

  let due = began;
  let besideDue = began;
  const last = began + seconds * 1_000;
  while (due < last) {
    const now = performance.now();
    while (due <= now && due < last) {
      send(due, requests[at++ % requests.length] as FloodRequest);
      // As independent clients do: they come in swarms and leave gaps (a Poisson process).
      due += (-Math.log(1 - Math.random()) * 1_000) / rate;
    }
    if (besideDue <= now) {
      // However many others there are: what it costs is a part of each load.
      send(besideDue, beside, Number.POSITIVE_INFINITY);
      besideDue += besideMs;
    }
    await wait(1);
  }
  while ([...open].some(({ isBusy }) => isBusy)) await wait(lookMs);
  clearInterval(look);
  for (const line of [...open]) leave(line);
  const { user, system } = process.cpuUsage(cpu);
  return {
    seconds: seconds - warmUp,
    ...counts,
    good: good.length,
    refused: refused.length,
    goodTimes: percentiles(good),
    refusedTimes: percentiles(refused),
    vital,
    cpu: user + system,
  };
}

function percentiles(times: number[]): Percentiles {
  times.sort((one, other) => one - other);
  const at = (part: number): number | null =>
    times[Math.min(times.length - 1, Math.floor(times.length * part))] ?? null;
  return { p50: at(0.5), p99: at(0.99) };
}
