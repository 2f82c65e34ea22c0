import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { parseSchedule } from "./parse-schedule.js";
import { runSchedules } from "./run-schedules.js";

const start = Date.parse("2026-05-05T02:58:20Z");
const at = (time: string): number => Date.parse(`2026-05-05T${time}Z`);

/** The schedules of a process whose clock differs from that of the database. */
function open(crons: Readonly<Record<string, string>>, clockDifference = 0) {
  const sent: string[] = [];
  const errors: unknown[] = [];
  const database = { isAvailable: true };
  const query = async <Result>(result: Result): Promise<Result> => {
    if (!database.isAvailable) throw new Error("unavailable");
    return result;
  };
  const stop = runSchedules({
    schedules: Object.entries(crons).map(([name, cron]) => ({ name, occurrences: parseSchedule(cron, "UTC") })),
    now: () => query(Date.now() - clockDifference),
    send: async (name, occurrence) =>
      void sent.push(await query(`${name} ${new Date(occurrence).toISOString().slice(11, 16)}`)),
    onError: (error) => void errors.push(error),
  });
  return { sent, errors, database, stop };
}

beforeEach(() => void vi.useFakeTimers({ now: start }));
afterEach(() => void vi.useRealTimers());
const waitUntil = (time: number): Promise<unknown> => vi.advanceTimersByTimeAsync(time - Date.now());

describe("running schedules", () => {
  it("C141 sends the job of each occurrence at its time", async () => {
    const { sent, stop } = open({ nightly: "0 3 * * *", quarterly: "*/15 * * * *" });
    await waitUntil(at("02:59:59.900"));
    expect(sent).toEqual([]);
    await waitUntil(at("03:00:00.100"));
    expect(sent).toEqual(["nightly 03:00", "quarterly 03:00"]);
    await waitUntil(at("03:31:00"));
    expect(sent.slice(2)).toEqual(["quarterly 03:15", "quarterly 03:30"]);
    stop();
    await waitUntil(at("04:00:00"));
    expect(sent).toHaveLength(4);
  });

  it("C141 uses the clock of the database", async () => {
    const { sent, stop } = open({ nightly: "0 3 * * *" }, 3_600_000);
    await waitUntil(at("03:59:59"));
    expect(sent).toEqual([]);
    await waitUntil(at("04:00:01"));
    expect(sent).toEqual(["nightly 03:00"]);
    stop();
  });

  it("C141 sends an occurrence of the minute before the start, and no earlier one", async () => {
    const { sent, stop } = open({ just: "58 2 * * *", earlier: "57 2 * * *", minutely: "* * * * *" });
    await vi.advanceTimersByTimeAsync(1);
    expect(sent).toEqual(["just 02:58", "minutely 02:58"]);
    stop();
  });

  it("C141 sends the latest occurrence after the database was unavailable", async () => {
    const { sent, errors, database, stop } = open({ nightly: "0 3 * * *", minutely: "* * * * *" });
    await waitUntil(at("02:59:30"));
    database.isAvailable = false;
    await waitUntil(at("06:10:30"));
    database.isAvailable = true;
    sent.length = 0;
    await waitUntil(at("06:10:40"));
    expect(sent).toEqual(["nightly 03:00", "minutely 06:10"]);
    expect(errors.length).toBeGreaterThan(0);
    await waitUntil(at("06:12:10"));
    expect(sent.slice(2)).toEqual(["minutely 06:11", "minutely 06:12"]);
    stop();
  });

  it("C141 leaves out an occurrence that is more than twelve hours late", async () => {
    const { sent, database, stop } = open({ nightly: "0 3 * * *" });
    await waitUntil(at("02:59:30"));
    database.isAvailable = false;
    await waitUntil(at("15:00:30"));
    database.isAvailable = true;
    await waitUntil(at("15:01:00"));
    expect(sent).toEqual([]);
    await waitUntil(at("03:00:01") + 86_400_000);
    expect(sent).toEqual(["nightly 03:00"]);
    stop();
  });

  it("C141 reads no clock without schedules", async () => {
    const { errors, database, stop } = open({});
    database.isAvailable = false;
    await waitUntil(at("04:00:00"));
    expect(errors).toEqual([]);
    stop();
  });
});
