import type { Model } from "@servicekit/prisma";
import { isHidden } from "@servicekit/prisma/internal";
import { vi } from "vitest";
import { patience, type ReceivedEvent } from "../../../../packages/service/test/event-reader.js";
import type { Draw } from "../../../../scripts/test/random-draw.js";
import { changeOf, openStreams, readList, type Stream } from "./drawn-streams.js";
import { sendWrites } from "./drawn-writes.js";
import { isRecordOf, keyOf, type Recorded, readChanges, readRows, sides } from "./recorded-states.js";
import { makeStateReader } from "./row-states.js";
import type { StreamedRights } from "./streamed-rights.js";
import type { Workshop } from "./workshop.js";
import type { WriteCase } from "./write-cases.js";

type Row = Readonly<Record<string, unknown>>;

/** The result of comparing streams with direct reads. */
export interface StreamJudgement {
  /** The recorded states, for each stream of their model. */
  readonly cases: number;
  /** The cases in which a list would contain the state, and the received events. */
  readonly readable: number;
  readonly events: number;
  /** All streams, and those whose filter is exactly evaluable on recorded states. */
  readonly streams: number;
  readonly exact: number;
  readonly violations: readonly string[];
}

/** Opens streams, sends writes, and compares each event with what the list with the same query would contain. */
export async function evaluateStreams(
  workshop: Workshop,
  { streamed, ruleOf }: StreamedRights,
  draw: Draw,
): Promise<StreamJudgement> {
  const violations: string[] = [];
  const models = [...workshop.models.values()].filter(({ name, key }) => key !== undefined && streamed.has(name));
  // The log must contain the position at which streams start.
  while ((await readChanges(workshop)).length === 0) await sendWrites(workshop, draw, 1, changesRights);
  const streams = await openStreams(workshop, models, draw, violations);
  await sendWrites(workshop, draw, 60, changesRights);
  const changes = await readChanges(workshop);
  const end = BigInt(changes.at(-1)?.id ?? 0);
  await vi.waitUntil(() => streams.every(({ live }) => changeOf(live.lastId()) >= end), {
    timeout: patience,
    interval: 100,
  });

  const recorded = recordedNames(changes);
  const rulesOf = new Map(
    streams.map((stream) => [stream, classify(stream, ruleOf(stream.caller, stream.model.name), recorded)]),
  );
  for (const stream of streams)
    if (rulesOf.get(stream) === "exact") violations.push(...(await compareLists(workshop, stream)));

  const counts = { cases: 0, readable: 0, events: 0 };
  const seen = await readStates(workshop, changes, streams, violations);
  for (const stream of streams) {
    const kind = rulesOf.get(stream);
    const known = changes.filter(({ id, model }) => model === stream.model && BigInt(id) > stream.start);
    const shown = (change: Recorded, side: "before" | "after") => seen.get(stateName(change, side))?.get(stream);
    const states = known.flatMap((change) =>
      sides.filter((side) => change.states[side] !== null).map((side) => shown(change, side)),
    );
    counts.cases += states.length;
    counts.readable += states.filter((state) => state !== undefined).length;
    counts.events += stream.live.events.length;
    // Rules of related rows have been applied to those of an earlier time.
    violations.push(
      ...(kind === "related" ? exposed(stream, known, states) : unsound(stream.live.events, known, shown, stream)),
    );
    if (kind !== "exact") continue;
    const expected = textOf(
      known.flatMap((change) => eventsOf(change, shown(change, "before"), shown(change, "after"))),
    );
    if (textOf(stream.live.events) !== expected)
      violations.push(`${placeOf(stream)}: has ${textOf(stream.live.events)}, not ${expected}`);
  }
  for (const { live } of streams) live.close();
  const exact = [...rulesOf.values()].filter((kind) => kind === "exact").length;
  return { ...counts, streams: streams.length, exact, violations };
}

/** Streams are compared with the rights of the end, so these do not change. */
const changesRights = ({ body }: WriteCase): boolean => /"(role|isSuperUser)"/.test(JSON.stringify(body) ?? "");

/** How far the filter of a stream can be evaluated on recorded states alone. */
type Evaluable = "exact" | "incomplete" | "related";

function classify(
  { caller, model, isThroughRelation }: Stream,
  rule: Row | boolean | undefined,
  recorded: ReadonlyMap<string, ReadonlySet<string>>,
): Evaluable {
  const names = typeof rule === "object" && caller !== "root" ? [...fieldNames(rule)] : [];
  if (isThroughRelation || names.some((name) => model.fieldsByName.get(name)?.kind === "relation")) return "related";
  const known = recorded.get(model.name);
  // Without recorded states there is nothing to evaluate.
  return known === undefined || names.every((name) => known.has(name)) ? "exact" : "incomplete";
}

function* fieldNames(where: Row): Generator<string> {
  for (const [name, value] of Object.entries(where)) {
    if (["AND", "OR", "NOT"].includes(name)) for (const inner of [value].flat()) yield* fieldNames(inner as Row);
    else yield name;
  }
}

function recordedNames(changes: readonly Recorded[]): ReadonlyMap<string, ReadonlySet<string>> {
  const found = new Map<string, ReadonlySet<string>>();
  for (const { model, states } of changes)
    found.set(model.name, new Set(Object.keys(states.after ?? states.before ?? {})));
  return found;
}

/** The rows of each recorded state in the list of each stream; a stream is missing if its list does not contain it. */
async function readStates(
  workshop: Workshop,
  changes: readonly Recorded[],
  streams: readonly Stream[],
  violations: string[],
): Promise<ReadonlyMap<string, ReadonlyMap<Stream, Row>>> {
  const rows = await readRows(workshop);
  const reader = await makeStateReader(workshop);
  const seen = new Map<string, ReadonlyMap<Stream, Row>>();
  for (const change of changes) {
    for (const side of sides) {
      const { model } = change;
      const recorded = change.states[side];
      const name = stateName(change, side);
      if (recorded === null || seen.has(name)) continue;
      const key = keyOf(model, recorded);
      const state = rows.find((row) => row.model === model && row.key === key && isRecordOf(recorded, row.row));
      if (state === undefined) {
        violations.push(`${name} was never in the table`);
        continue;
      }
      const filter = (model.key?.fields ?? []).map((field) => `${field.name}=${recorded[field.name]}`).join("&");
      const found = await reader.during(state, () =>
        Promise.all(
          streams
            .filter((stream) => stream.model === model)
            .map(async (stream) => [stream, (await readList(workshop, stream, filter))?.[0]] as const),
        ),
      );
      seen.set(name, new Map(found.flatMap(([stream, row]) => (row === undefined ? [] : [[stream, row]]))));
    }
  }
  return seen;
}

const stateName = ({ model, states }: Recorded, side: "before" | "after"): string =>
  JSON.stringify([model.name, states[side]]);

type Shown = (change: Recorded, side: "before" | "after") => Row | undefined;

/** Events with more than the list contains in the state of some change, in the order of the changes. */
function* unsound(
  events: readonly ReceivedEvent[],
  changes: readonly Recorded[],
  shown: Shown,
  stream: Stream,
): Generator<string> {
  const isShown = ({ event, data }: ReceivedEvent, change: Recorded): boolean => {
    const old = shown(change, "before");
    const now = shown(change, "after");
    if (event === "removed")
      return old !== undefined && sameText(data, keyIn(stream.model, change.states.before ?? {}));
    return (
      (event === "created" || old !== undefined) &&
      now !== undefined &&
      Object.entries(data).every(([name, value]) => sameText(now[name], value))
    );
  };
  yield* unmatched(events, changes, isShown, stream);
}

/** Events with hidden fields, fields that the caller's lists never contain, or values that the row did not have. */
function* exposed(
  stream: Stream,
  changes: readonly Recorded[],
  states: readonly (Row | undefined)[],
): Generator<string> {
  const visible = new Set([...stream.rows, ...states].flatMap((row) => Object.keys(row ?? {})));
  for (const { event, data } of stream.live.events) {
    for (const name of Object.keys(data)) {
      const field = stream.model.fieldsByName.get(name);
      const place = `${placeOf(stream)} receives ${event} ${JSON.stringify(data)}`;
      if (field === undefined || isHidden(field)) yield `${place}: ${name} is hidden`;
      if (event !== "removed" && visible.size > 0 && !visible.has(name)) yield `${place}: ${name} is not visible`;
    }
  }
  const isState = ({ event, data }: ReceivedEvent, { states: { before, after } }: Recorded): boolean => {
    if (event === "removed") return before !== null && sameText(data, keyIn(stream.model, before));
    return after !== null && Object.entries(data).every(([name, value]) => sameText(after[name], value));
  };
  yield* unmatched(stream.live.events, changes, isState, stream);
}

/** Events that belong to no change after that of the event before. A changed key is removed and created by one change. */
function* unmatched(
  events: readonly ReceivedEvent[],
  changes: readonly Recorded[],
  belongs: (event: ReceivedEvent, change: Recorded) => boolean,
  stream: Stream,
): Generator<string> {
  let next = 0;
  let isMoved = false;
  for (const one of events) {
    const from = isMoved && one.event === "created" ? next - 1 : next;
    const index = changes.findIndex((change, at) => at >= from && belongs(one, change));
    if (index === -1) yield `${placeOf(stream)} receives ${one.event} ${JSON.stringify(one.data)}, not of a list`;
    else next = index + 1;
    isMoved = one.event === "removed";
  }
}

const sameText = (one: unknown, other: unknown): boolean => JSON.stringify(one) === JSON.stringify(other);

/** The events of a change whose states the list contains as given. */
function eventsOf({ model, states }: Recorded, old: Row | undefined, now: Row | undefined): readonly ReceivedEvent[] {
  const removed: ReceivedEvent = { event: "removed", id: undefined, data: keyIn(model, states.before ?? {}) };
  const made = (event: string): ReceivedEvent => ({ event, id: undefined, data: storedIn(model, now ?? {}) });
  if (old === undefined) return now === undefined ? [] : [made("created")];
  if (now === undefined) return [removed];
  if (keyOf(model, states.before ?? {}) !== keyOf(model, states.after ?? {})) return [removed, made("created")];
  return contentOf(storedIn(model, old)) === contentOf(storedIn(model, now)) ? [] : [made("updated")];
}

/** Compares the list at the end with that of the start after the events. */
async function compareLists(workshop: Workshop, stream: Stream): Promise<readonly string[]> {
  const { model, rows, live } = stream;
  const idOf = (row: Row): string => JSON.stringify(keyIn(model, row));
  const known = new Map(rows.map((row) => [idOf(row), storedIn(model, row)]));
  for (const { event, data } of live.events) {
    if (event === "removed") known.delete(idOf(data));
    else known.set(idOf(data), data);
  }
  const now = (await readList(workshop, stream)) ?? [];
  const expected = now.map((row) => contentOf(storedIn(model, row))).sort();
  const replayed = [...known.values()].map(contentOf).sort();
  return JSON.stringify(replayed) === JSON.stringify(expected)
    ? []
    : [`${placeOf(stream)}: the events lead to ${replayed}, the list is ${expected}`];
}

const keyIn = ({ key }: Model, row: Row): Row =>
  Object.fromEntries((key?.fields ?? []).flatMap(({ name }) => (Object.hasOwn(row, name) ? [[name, row[name]]] : [])));

/** Without computed fields. */
const storedIn = ({ fieldsByName }: Model, row: Row): Row =>
  Object.fromEntries(Object.entries(row).filter(([name]) => fieldsByName.get(name)?.kind === "scalar"));

/** Equal for the same values in any order. */
const contentOf = (row: Row): string =>
  JSON.stringify(Object.entries(row).sort(([one], [other]) => (one < other ? -1 : 1)));

const textOf = (events: readonly ReceivedEvent[]): string =>
  events.map(({ event, data }) => `${event} ${contentOf(data)}`).join("\n");

const placeOf = ({ caller, model, query }: Stream): string => `${caller} ${model.name}?${query}`;
