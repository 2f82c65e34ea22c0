import { connect, type Socket } from "node:net";
import { setTimeout as wait } from "node:timers/promises";

/** Requests that come when they come, however slowly they are answered. */
export interface Flood {
  readonly port: number;
  /** Requests a second. */
  readonly rate: number;
  readonly seconds: number;
  /** Answers of the first so many seconds are not counted. */
  readonly warmUp: number;
  /** Whole requests as texts, sent by turns. */
  readonly requests: readonly string[];
  /** Connections at a time; where all are busy, what is due is lost. */
  readonly connections: number;
  /** A client goes away after so many milliseconds. */
  readonly patience: number;
}

/** What became of the requests that were counted. Times in milliseconds, from the moment a request was due. */
export interface FloodOutcome {
  readonly seconds: number;
  readonly sent: number;
  readonly good: number;
  /** Good answers to all requests, to those that were not counted too. */
  readonly allGood: number;
  readonly refused: number;
  /** Any other answer. */
  readonly wrong: number;
  /** Clients that went away. */
  readonly lost: number;
  readonly goodTimes: Percentiles;
  readonly refusedTimes: Percentiles;
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
  timer: NodeJS.Timeout | undefined;
  received: string;
}

/** Sends requests at a rate, on as many connections as it takes, and tells how they were answered. */
export async function flood({
  port,
  rate,
  seconds,
  warmUp,
  requests,
  connections,
  patience,
}: Flood): Promise<FloodOutcome> {
  const idle: Line[] = [];
  const open = new Set<Line>();
  const good: number[] = [];
  const refused: number[] = [];
  const began = performance.now();
  const counts = { sent: 0, wrong: 0, lost: 0, allGood: 0 };
  const isCounted = (due: number): boolean => due - began >= warmUp * 1_000;

  const settle = (line: Line, status: number): void => {
    clearTimeout(line.timer);
    if (status === 200) counts.allGood++;
    if (!isCounted(line.due)) return;
    const took = performance.now() - line.due;
    if (status === 200) good.push(took);
    else if (status === 503) refused.push(took);
    else if (status === 0) counts.lost++;
    else counts.wrong++;
  };
  const leave = (line: Line): void => {
    if (!open.delete(line)) return;
    const at = idle.indexOf(line);
    if (at >= 0) idle.splice(at, 1);
    else settle(line, 0);
    line.socket.destroy();
  };
  const openLine = (): Line => {
    const socket = connect(port, "127.0.0.1").setNoDelay(true).setEncoding("latin1");
    const line: Line = { socket, due: 0, timer: undefined, received: "" };
    open.add(line);
    socket.on("data", (chunk) => {
      line.received += chunk;
      const status = answeredStatus(line.received);
      if (status === undefined) return;
      line.received = "";
      settle(line, status);
      idle.push(line);
    });
    socket.on("error", () => leave(line));
    socket.on("close", () => leave(line));
    return line;
  };
  let at = 0;
  const send = (due: number): void => {
    if (isCounted(due)) counts.sent++;
    const line = idle.pop() ?? (open.size < connections ? openLine() : undefined);
    if (line === undefined) {
      if (isCounted(due)) counts.lost++;
      return;
    }
    line.due = due;
    line.timer = setTimeout(leave, patience, line);
    line.socket.write(requests[at++ % requests.length] as string);
  };

  let due = began;
  const last = began + seconds * 1_000;
  while (due < last) {
    const now = performance.now();
    while (due <= now && due < last) {
      send(due);
      // As independent clients do: they come in swarms and leave gaps (a Poisson process).
      due += (-Math.log(1 - Math.random()) * 1_000) / rate;
    }
    await wait(1);
  }
  await wait(patience);
  for (const line of [...open]) leave(line);
  return {
    seconds: seconds - warmUp,
    ...counts,
    good: good.length,
    refused: refused.length,
    goodTimes: percentiles(good),
    refusedTimes: percentiles(refused),
  };
}

/** The status of an answer that has come in to its end. */
function answeredStatus(text: string): number | undefined {
  const end = text.indexOf("\r\n\r\n");
  if (end < 0) return undefined;
  const length = Number(/\r\ncontent-length: (\d+)/i.exec(text.slice(0, end))?.[1] ?? Number.NaN);
  if (Number.isNaN(length)) throw new Error(`An answer has no length: ${text.slice(0, end)}`);
  return text.length < end + 4 + length ? undefined : Number(text.slice(9, 12));
}

function percentiles(times: number[]): Percentiles {
  times.sort((one, other) => one - other);
  const at = (part: number): number | null =>
    times[Math.min(times.length - 1, Math.floor(times.length * part))] ?? null;
  return { p50: at(0.5), p99: at(0.99) };
}
