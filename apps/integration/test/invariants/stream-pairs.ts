import type { Model } from "@servicekit/prisma";
import { vi } from "vitest";
import type { EventReader } from "../../../../packages/service/test/event-reader.js";
import type { CallerName } from "./callers.js";
import type { Setup } from "./cases.js";
import type { Violation } from "./check-cases.js";
import { pathOf } from "./material.js";
import { differenceOf, normalizeText } from "./normalize.js";
import type { RunningCase } from "./start-case.js";
import { applyEvents, isExact, listText, readList, summarize } from "./stream-lists.js";
import type { StreamMarks } from "./stream-marks.js";

/** A stream of the caller. */
export interface DrawnStream {
  readonly model: string;
  readonly query: string;
  /** `ready`: the position of a stream that was open for a moment. Without one it is live. */
  readonly position?: string;
}

/** How long events that a superuser has received take to another caller at most. */
const patience = { timeout: 10_000, interval: 20 };

/** The streams of a caller in both databases. */
export function makeStreamPair(
  setup: Setup,
  caller: CallerName,
  streams: readonly DrawnStream[],
  marks: StreamMarks,
  since: number,
) {
  const targetOf = ({ models }: RunningCase, { model, query: filter }: DrawnStream): string =>
    `${pathOf(models.get(model) as Model)}/events${filter}`;

  const openOne = async (running: RunningCase, stream: DrawnStream) => {
    const { position } = stream;
    const target = targetOf(running, stream);
    if (position !== "ready") {
      const reader = await running.openStream(
        caller,
        target,
        position === undefined ? {} : { "last-event-id": position },
      );
      return async () => reader;
    }
    const early = await running.openStream(caller, target);
    if (early.status !== 200) return async () => early;
    // `ready` has no id while an older transaction is open on the server, whatever its database is.
    const id = await early.positionId();
    early.close();
    return () => running.openStream(caller, target, { "last-event-id": id });
  };

  const listOf = (running: RunningCase, { model, query: filter }: DrawnStream) =>
    readList(running, caller, running.models.get(model) as Model, filter);

  /** Compares the list at the end with that of the start after the events. */
  const compareList = async (
    running: RunningCase,
    index: number,
    { status, events }: EventReader,
    start: Awaited<ReturnType<typeof listOf>>,
    count: (name: string) => void,
  ): Promise<readonly Violation[]> => {
    const stream = streams[index] as DrawnStream;
    const model = running.models.get(stream.model) as Model;
    const isSinceStart = stream.position === undefined || stream.position === "ready";
    if (status !== 200 || start === undefined || !isSinceStart || !isExact(setup, model, stream.query)) return [];
    const end = await listOf(running, stream);
    if (end === undefined || events.some(({ event }) => event === "reset")) return [];
    count("complete stream");
    const texts = () => [listText(applyEvents(start, model, events)), listText(end)] as const;
    await vi.waitUntil(() => texts()[0] === texts()[1], patience).catch(() => undefined);
    const [result, expected] = texts();
    if (result === expected) return [];
    const detail = `${JSON.stringify(stream)}: the events lead to, and the list contains\n${differenceOf(result, expected)}`;
    return [{ kind: "list of a stream", detail }];
  };

  const open = async (first: RunningCase, second: RunningCase) => {
    const pairs = await Promise.all(
      streams.map((stream) => Promise.all([openOne(first, stream), openOne(second, stream)])),
    );
    const starts = await Promise.all(streams.map((stream) => listOf(first, stream)));
    const isEachExact = streams.every(({ model, query }) => isExact(setup, first.models.get(model) as Model, query));
    return {
      /** Called after each step: related rows are compared as they are at the time of an event. */
      settle: async (): Promise<void> => {
        if (!isEachExact) await marks.passOnce();
      },
      compare: async (count: (name: string) => void): Promise<readonly Violation[]> => {
        await marks.pass();
        const readers = await Promise.all(pairs.map((pair) => Promise.all(pair.map((resume) => resume()))));
        await marks.pass();
        marks.close();
        const violations: Violation[] = [];
        for (const [index, both] of readers.entries()) {
          const [one, other] = both as [EventReader, EventReader];
          const { position, model } = streams[index] as DrawnStream;
          // A summary may end before or after the last mark.
          const shownEvents = ({ events }: EventReader) =>
            position === "ready" ? summarize(events, first.models.get(model) as Model) : events;
          const texts = (): readonly string[] =>
            [one, other].map((reader) => textOf({ ...reader, events: shownEvents(reader) }, since));
          await vi.waitUntil(() => texts()[0] === texts()[1], patience).catch(() => undefined);
          if (one.status === 200) count(`stream ${position ?? "live"}`);
          const [left = "", right = ""] = texts();
          const place = `stream ${JSON.stringify(streams[index])}`;
          if (left !== right)
            violations.push({
              kind: `stream ${position ?? "live"}`,
              detail: `${place}\n${differenceOf(left, right)}`,
            });
          violations.push(...(await compareList(first, index, one, starts[index], count)));
          count(one.events.length > 0 ? "stream with events" : "stream without events");
          for (const reader of both) reader.close();
        }
        return violations;
      },
    };
  };
  return { open };
}

/** The events without their ids, which are encrypted. */
const textOf = ({ status, events, problem }: EventReader, since: number): string =>
  normalizeText(
    [status, problem.code, ...events.map(({ event, data }) => `${event} ${JSON.stringify(data)}`)].join("\n"),
    since,
  );
