import { pino } from "pino";
import { afterEach, beforeEach, expect, it, vi } from "vitest";
import { startRetention } from "./start-retention.js";

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

const lines: unknown[] = [];
const logger = pino({}, { write: (line: string) => void lines.push(JSON.parse(line)) });
beforeEach(() => void lines.splice(0));

it("C108 deletes old changes a minute after the start and every hour, logs their number, and continues after errors", async () => {
  const results = [() => 3, () => 0, () => Promise.reject(new Error("down")), () => 1];
  const run = vi.fn(async () => (results.shift() ?? (() => 0))());
  const stop = startRetention({ changes: { run } }, logger);
  await vi.advanceTimersByTimeAsync(59_000);
  expect(run).not.toHaveBeenCalled();
  await vi.advanceTimersByTimeAsync(1_000);
  await vi.advanceTimersByTimeAsync(3 * 3_600_000);
  expect(run).toHaveBeenCalledTimes(4);
  expect(lines).toMatchObject([
    { msg: "old changes deleted", deleted: 3 },
    { msg: "old changes could not be deleted; this is repeated", err: { message: "down" } },
    { msg: "old changes deleted", deleted: 1 },
  ]);
  await stop();
  await vi.advanceTimersByTimeAsync(9 * 3_600_000);
  expect(run).toHaveBeenCalledTimes(4);
});

it("C108 waits at the end for the statement that runs, and aborts the rest", async () => {
  let finish = (): void => undefined;
  const aborted: boolean[] = [];
  const run = (signal?: AbortSignal) =>
    new Promise<number>((_resolve, reject) => {
      finish = () => {
        aborted.push(signal?.aborted === true);
        reject(new Error("closed"));
      };
    });
  const stop = startRetention({ changes: { run } }, logger);
  await vi.advanceTimersByTimeAsync(60_000);
  let isStopped = false;
  const stopping = stop().then(() => {
    isStopped = true;
  });
  await vi.advanceTimersByTimeAsync(0);
  expect(isStopped).toBe(false);
  finish();
  await stopping;
  expect([aborted, lines, vi.getTimerCount()]).toEqual([[true], [], 0]);
});

it("C149 deletes one kind of rows after another, and the others after an error of one", async () => {
  const order: string[] = [];
  const kind = (name: string, fails = false) => ({
    run: async () => {
      order.push(`${name} starts`);
      await Promise.resolve();
      order.push(`${name} ends`);
      if (fails) throw new Error("down");
      return 1;
    },
  });
  const retentions = { changes: kind("changes", true), deliveries: undefined, sessions: kind("sessions") };
  const stop = startRetention(retentions, logger);
  await vi.advanceTimersByTimeAsync(60_000);
  expect(order).toEqual(["changes starts", "changes ends", "sessions starts", "sessions ends"]);
  expect(lines).toMatchObject([{ err: { message: "down" } }, { msg: "old sessions deleted" }]);
  await stop();
});
