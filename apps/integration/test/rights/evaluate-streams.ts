import type { Model } from "@servicekit/prisma";
import { isHidden } from "@servicekit/prisma/internal";
import { vi } from "vitest";
import { patience, type ReceivedEvent } from "../../../../packages/service/test/event-reader.js";
import type { Draw } from "../../../../scripts/test/random-draw.js";
import { openStreams, readList, replay, type Stream } from "./drawn-streams.js";
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
  await writeAndInterrupt(workshop, streams, draw);
  const changes = await readChanges(workshop);
  const replays = new Map(
    await Promise.all(streams.map(async (stream) => [stream, await replay(workshop, stream)] as const)),
  );
  const end = changes.at(-1)?.id ?? "0";
  await vi.waitUntil(
    () =>
      streams.every((stream) =>
        [stream.live, stream.interrupted, replays.get(stream)].every(
          (one) => BigInt(one?.lastId() || 0) >= BigInt(end),
        ),
      ),
    { timeout: patience, interval: 100 },
  );

  const recorded = recordedNames(changes);
  const rulesOf = new Map(
    streams.map((stream) => [stream, classify(stream, ruleOf(stream.caller, stream.model.name), recorded)]),
  );
  for (const stream of streams) {
    const place = placeOf(stream);
    const kind = rulesOf.get(stream);
    if (kind === "related") continue;
    const sequence = textOf(stream.live.events);
    if (textOf(stream.interrupted.events()) !== sequence)
      violations.push(`${place}: the resumed stream has ${textOf(stream.interrupted.events())}, not ${sequence}`);
    if (textOf(replays.get(stream)?.events ?? []) !== sequence)
      violations.push(
        `${place}: the replayed stream has ${textOf(replays.get(stream)?.events ?? [])}, not ${sequence}`,
      );
    if (kind === "exact") violations.push(...(await compareLists(workshop, stream)));
  }

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
    const replayed = replays.get(stream)?.events ?? [];
    counts.events += replayed.length;
    violations.push(...unsound(replayed, known, shown, stream));
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
  for (const { live, interrupted } of streams) for (const one of [live, interrupted]) one.close();
  for (const one of replays.values()) one.close();
  const exact = [...rulesOf.values()].filter((kind) => kind === "exact").length;
  return { ...counts, streams: streams.length, exact, violations };
}

/** Streams are compared with the rights of the end, so these do not change. */
const changesRights = ({ body }: WriteCase): boolean => /"(role|isSuperUser)"/.test(JSON.stringify(body) ?? "");

const phases = 5;

/** Each stream that is interrupted continues in a later phase, or at the end. */
async function writeAndInterrupt(workshop: Workshop, streams: readonly Stream[], draw: Draw): Promise<void> {
  const plans = streams.map(({ interrupted }) => {
    const from = 1 + draw.below(phases - 1);
    return { interrupted, from, until: from + 1 + draw.below(phases - from) };
  });
  for (let phase = 1; phase <= phases; phase++) {
    await sendWrites(workshop, draw, 12, changesRights);
    await Promise.all(plans.filter(({ from }) => from === phase).map(({ interrupted }) => interrupted.interrupt()));
    await Promise.all(plans.filter(({ until }) => until === phase).map(({ interrupted }) => interrupted.resume()));
  }
}

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

/** Events with more than the list contains in the state of the event. */
function* unsound(
  events: readonly ReceivedEvent[],
  changes: readonly Recorded[],
  shown: Shown,
  stream: Stream,
): Generator<string> {
  for (const [index, { event, id: own, data }] of events.entries()) {
    // A changed key is removed and created at one position, which the second event has.
    const id = own ?? events[index + 1]?.id;
    const change = changes.find((one) => one.id === id);
    const place = `${placeOf(stream)} receives ${event} ${JSON.stringify(data)} of change ${id}`;
    if (change === undefined || !["created", "updated", "removed"].includes(event)) {
      yield `${place}: unexpected`;
      continue;
    }
    const { before } = change.states;
    const old = shown(change, "before");
    const now = shown(change, "after");
    if (event !== "created" && old === undefined) yield `${place}: the list did not contain the row`;
    if (event === "removed") {
      if (JSON.stringify(data) !== JSON.stringify(keyIn(stream.model, before ?? {})))
        yield `${place}: not only the key`;
      continue;
    }
    if (now === undefined) yield `${place}: the list does not contain the row`;
    for (const [name, value] of Object.entries(data))
      if (now !== undefined && JSON.stringify(now[name]) !== JSON.stringify(value))
        yield `${place}: ${name} is ${JSON.stringify(now[name])} in the list`;
  }
}

/** Events with hidden fields, fields that the caller's lists never contain, or values that the row did not have. */
function* exposed(
  stream: Stream,
  changes: readonly Recorded[],
  states: readonly (Row | undefined)[],
): Generator<string> {
  const visible = new Set([...stream.rows, ...states].flatMap((row) => Object.keys(row ?? {})));
  for (const { event, id, data } of stream.live.events) {
    const change = changes.find((one) => one.id === id);
    const state = (event === "removed" ? change?.states.before : change?.states.after) ?? {};
    const place = `${placeOf(stream)} receives ${event} ${JSON.stringify(data)} of change ${id}`;
    if (event === "removed" && JSON.stringify(data) !== JSON.stringify(keyIn(stream.model, state)))
      yield `${place}: not only the key`;
    for (const [name, value] of Object.entries(data)) {
      const field = stream.model.fieldsByName.get(name);
      if (field === undefined || isHidden(field)) yield `${place}: ${name} is hidden`;
      if (event !== "removed" && visible.size > 0 && !visible.has(name)) yield `${place}: ${name} is not visible`;
      if (JSON.stringify(state[name]) !== JSON.stringify(value)) yield `${place}: ${name} had another value`;
    }
  }
}

/** The events of a change whose states the list contains as given. */
function eventsOf(
  { id, model, states }: Recorded,
  old: Row | undefined,
  now: Row | undefined,
): readonly ReceivedEvent[] {
  const removed: ReceivedEvent = { event: "removed", id, data: keyIn(model, states.before ?? {}) };
  const made = (event: string): ReceivedEvent => ({ event, id, data: storedIn(model, now ?? {}) });
  if (old === undefined) return now === undefined ? [] : [made("created")];
  if (now === undefined) return [removed];
  if (keyOf(model, states.before ?? {}) !== keyOf(model, states.after ?? {}))
    return [{ ...removed, id: undefined }, made("created")];
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
  events.map(({ event, id, data }) => `${event} ${id} ${contentOf(data)}`).join("\n");

const placeOf = ({ caller, model, query }: Stream): string => `${caller} ${model.name}?${query}`;
