import type { Model } from "@servicekit/prisma";
import { vi } from "vitest";
import type { EventReader } from "../../../../packages/service/test/event-reader.js";
import type { CallerName } from "./callers.js";
import type { Setup, Values } from "./cases.js";
import type { Violation } from "./check-cases.js";
import { pathOf } from "./material.js";
import { differenceOf, normalizeText } from "./normalize.js";
import { keyOf } from "./rows.js";
import type { RunningCase } from "./start-case.js";
import { applyEvents, isExact, listText, readList } from "./stream-lists.js";

/** A stream of the caller. */
export interface DrawnStream {
  readonly model: string;
  readonly query: string;
  /** `ready`: the position of a stream that was open for a moment. Without one it is live. */
  readonly position?: string;
}

/** How long events that a superuser has received take to another caller at most. */
const patience = { timeout: 3_000, interval: 20 };

/** The streams of a caller in both databases. */
export function makeStreamPair(setup: Setup, caller: CallerName, streams: readonly DrawnStream[], since: number) {
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
    early.close();
    return () => running.openStream(caller, target, { "last-event-id": early.lastId() });
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
    const models = [...new Set(streams.map(({ model }) => model))];
    const barriers = await Promise.all([openBarriers(first, models), openBarriers(second, models)]);
    return {
      compare: async (count: (name: string) => void): Promise<readonly Violation[]> => {
        const readers = await Promise.all(pairs.map((pair) => Promise.all(pair.map((resume) => resume()))));
        await Promise.all(barriers.map((barrier) => barrier()));
        const violations: Violation[] = [];
        for (const [index, both] of readers.entries()) {
          const [one, other] = both as [EventReader, EventReader];
          if (one.status === 200) count(`stream ${streams[index]?.position ?? "live"}`);
          const texts = (): readonly string[] => [one, other].map((reader) => eventsOf(reader, since));
          await vi.waitUntil(() => texts()[0] === texts()[1], patience).catch(() => undefined);
          const [left = "", right = ""] = texts();
          const place = `stream ${JSON.stringify(streams[index])}`;
          if (left !== right)
            violations.push({
              kind: `stream ${streams[index]?.position ?? "live"}`,
              detail: `${place}\n${differenceOf(left, right)}`,
            });
          else if (idsOf(one) !== idsOf(other))
            violations.push({ kind: "ids of events", detail: `${place}: ${idsOf(one)} and ${idsOf(other)}` });
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

/** The events in the order of arrival, without their ids. */
const eventsOf = ({ status, events, problem }: EventReader, since: number): string =>
  normalizeText(
    [status, problem.code, ...events.map(({ event, data }) => `${event} ${JSON.stringify(data)}`)].join("\n"),
    since,
  );

/** The ids of events that are numbers; encrypted ones differ. */
const idsOf = ({ events }: EventReader): string => events.map(({ id }) => (/^\d+$/.test(id ?? "") ? id : "")).join();

/** Opens streams of a superuser. @returns what waits until changes that were made before are in all streams */
async function openBarriers(running: RunningCase, models: readonly string[]): Promise<() => Promise<void>> {
  const barriers = await Promise.all(
    models.map(async (name) => {
      const model = running.models.get(name) as Model;
      return { model, reader: await running.openStream("root", `${pathOf(model)}/events`) };
    }),
  );
  const passMark = async ({ model, reader }: (typeof barriers)[number], index: number): Promise<void> => {
    const target = `${pathOf(model)}?limit=1&isOpen=true`;
    const { body } = await running.send({ caller: "root", method: "GET", target });
    const [row] = body.data as readonly Values[];
    if (row !== undefined) {
      const ownerId = 900_000 + index;
      await running.write({ model: model.name, action: "update", key: keyOf(model, row), values: { ownerId } });
      const hasArrived = () => reader.events.some(({ data }) => data?.ownerId === ownerId);
      await vi.waitUntil(hasArrived, { timeout: 60_000, interval: 5 });
    }
    reader.close();
  };
  return async () => void (await Promise.all(barriers.map(passMark)));
}
