/** The offsets of a time zone; instants and local times are milliseconds, a local time is that of UTC with its digits. */
export interface TimeZone {
  /** Returns how far the local time of an instant is ahead of UTC. */
  offsetAt(instant: number): number;
  /**
   * Returns the instant of a local time: the first one of a time that occurs twice, and the end of the gap for a time that does not
   * exist.
   */
  toInstant(localTime: number): number;
  /** Returns the first instant after `start` with another offset than `start`, if `end` has another one. */
  changeBetween(start: number, end: number): number;
}

/** Longer than the distance of a local time from UTC and than a gap: Samoa left out a whole day. */
const day = 86_400_000;

/** Creates the offsets of a zone of the IANA database, from the data of the runtime. */
export function makeTimeZone(timeZone: string): TimeZone {
  const format = new Intl.DateTimeFormat("en-US", {
    ...{ timeZone, calendar: "iso8601", numberingSystem: "latn", hourCycle: "h23" },
    ...{ year: "numeric", month: "numeric", day: "numeric", hour: "numeric", minute: "numeric", second: "numeric" },
  });
  const offsetAt = (instant: number): number => {
    const second = Math.floor(instant / 1_000) * 1_000;
    const parts = Object.fromEntries(format.formatToParts(second).map(({ type, value }) => [type, Number(value)]));
    const { year = 0, month = 1, day = 1, hour = 0, minute = 0, second: ofMinute = 0 } = parts;
    return Date.UTC(year, month - 1, day, hour, minute, ofMinute) - second;
  };
  const changeBetween = (start: number, end: number): number => {
    const offset = offsetAt(start);
    let [before, after] = [Math.floor(start / 1_000), Math.ceil(end / 1_000)];
    while (after - before > 1) {
      const middle = Math.floor((before + after) / 2);
      if (offsetAt(middle * 1_000) === offset) before = middle;
      else after = middle;
    }
    return after * 1_000;
  };
  return {
    offsetAt,
    changeBetween,
    toInstant(localTime) {
      const [early, late] = [localTime - day, localTime + day];
      const instants = [offsetAt(early), offsetAt(late)].map((offset) => localTime - offset);
      const existing = instants.filter((instant) => instant + offsetAt(instant) === localTime);
      return existing.length > 0 ? Math.min(...existing) : changeBetween(early, late);
    },
  };
}
