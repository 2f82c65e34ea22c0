import { connect, type Socket } from "node:net";
import { setTimeout as wait } from "node:timers/promises";
import { responseLength } from "../measure/response-length.js";

/** Requests that are sent at a fixed rate, independently of their responses. */
export interface Flood {
  readonly port: number;
  /** Requests per second. */
  readonly rate: number;
  readonly seconds: number;
  /** Seconds at the start whose responses are not counted. */
  readonly warmUp: number;
  /** Sent in turn. */
  readonly requests: readonly FloodRequest[];
  /** Sent every two seconds, independently of the rate. */
  readonly login: FloodRequest;
  /** Concurrent connections; if all are busy, a due request is dropped. */
  readonly connections: number;
  /** Milliseconds after which a client disconnects. */
  readonly patience: number;
}

/** Requests that load shedding never rejects, counted separately. */
export type Kind = "probe" | "login" | "other";

export interface FloodRequest {
  readonly kind: Kind;
  /** The complete request. */
  readonly text: string;
}

/** The results of the counted requests. Times in milliseconds, from the moment a request was due. */
export interface FloodOutcome {
  readonly seconds: number;
  readonly sent: number;
  readonly good: number;
  readonly rejected: number;
  /** Any other response. */
  readonly wrong: number;
  /** Clients that disconnected. */
  readonly lost: number;
  readonly goodTimes: Percentiles;
  readonly rejectionTimes: Percentiles;
  readonly vital: Readonly<Record<"probe" | "login", Vital>>;
  /** CPU microseconds of the clients. */
  readonly cpu: number;
}

/** Of requests that are never rejected: their number, the number of successful responses, and the slowest of these. */
export interface Vital {
  readonly sent: number;
  readonly good: number;
  readonly slowest: number;
}

export interface Percentiles {
  /** `null` without a successful response. */
  readonly p50: number | null;
  readonly p99: number | null;
}

/** One connection, with its request. */
interface Line {
  readonly socket: Socket;
  due: number;
  kind: Kind;
  isBusy: boolean;
  received: string;
  /** Received characters of the response; 0 until its header section is complete. */
  complete: number;
}

/** The interval in which clients that have waited too long disconnect, in milliseconds. */
const lookMs = 50;
const loginIntervalMs = 2_000;

/** Sends requests at a rate, on as many connections as necessary, and returns the results. */
export async function flood({
  port,
  rate,
  seconds,
  warmUp,
  requests,
  login,
  connections,
  patience,
}: Flood): Promise<FloodOutcome> {
  const idle: Line[] = [];
  const open = new Set<Line>();
  const good: number[] = [];
  const rejected: number[] = [];
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
    else if (status === 503) rejected.push(took);
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
    const line: Line = { socket, due: 0, kind: "other", isBusy: false, received: "", complete: 0 };
    open.add(line);
    socket.on("data", (chunk: string) => {
      line.received = line.received === "" ? chunk : line.received + chunk;
      if (line.complete === 0) line.complete = responseLength(line.received);
      if (line.complete === 0 || line.received.length < line.complete) return;
      const status = Number(line.received.slice(9, 12));
      line.received = "";
      line.complete = 0;
      settle(line, status);
      idle.push(line);
    });
    socket.on("error", () => leave(line));
    socket.on("close", () => leave(line));
    return line;
  };
  let at = 0;
  const send = (due: number, { kind, text }: FloodRequest, max = connections): void => {
    if (isCounted(due)) counts.sent++;
    const line = idle.pop() ?? (open.size < max ? openLine() : undefined);
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
  let loginDue = began;
  const last = began + seconds * 1_000;
  while (due < last) {
    const now = performance.now();
    while (due <= now && due < last) {
      send(due, requests[at++ % requests.length] as FloodRequest);
      // Like independent clients: in bursts with gaps (a Poisson process).
      due += (-Math.log(1 - Math.random()) * 1_000) / rate;
    }
    if (loginDue <= now) {
      // Independent of the rate: its cost is part of each load.
      send(loginDue, login, Number.POSITIVE_INFINITY);
      loginDue += loginIntervalMs;
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
    rejected: rejected.length,
    goodTimes: percentiles(good),
    rejectionTimes: percentiles(rejected),
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
