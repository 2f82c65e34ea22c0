import { inspect } from "node:util";
import { exactJsonText, type Filter, toWhere } from "@servicekit/prisma/internal";
import type { Resource } from "../resource/resource.js";
import type { Row } from "../resource/values/to-json.js";
import { certainlyDiffers } from "./certainly-differs.js";
import type { ChangeFeed, FeedBatch, FeedChange } from "./change-feed.js";
import { makeMatchOne } from "./match-together.js";

/** What one caller may see of the changes of a model, and has requested. */
export interface CallersView {
  readonly own: Resource;
  /** The row rules of the caller and the filters of the request; `undefined` for all rows. */
  readonly filter: Filter | undefined;
  /** The names of the selected fields. */
  readonly fields: readonly string[];
  /** Equal for equal filters. */
  readonly filterKey: string;
}

/** A text that differs for different filters of a model. */
export function filterKey(filter: Filter | undefined, { model }: Resource): string {
  if (filter === undefined) return "";
  const where = toWhere(filter, model);
  const json = JSON.stringify(where, (_, value: unknown) => (typeof value === "bigint" ? `${value}n` : value));
  // JSON does not distinguish types, such as the NULL of a column from that of a Json field.
  return `${json} ${inspect(where, { depth: null, maxArrayLength: null, maxStringLength: null, breakLength: Number.POSITIVE_INFINITY })}`;
}

/** Writes the events of a batch as one caller sees them, in the format of server-sent events; empty without any. */
export type WriteEvents = (batch: FeedBatch, view: CallersView) => Promise<string>;

/**
 * Creates {@link WriteEvents}. Callers with the same view and filters share the result.
 *
 * @param inTurn limits the concurrent queries
 */
export function makeWriteEvents(
  { matchStates }: Pick<ChangeFeed, "matchStates">,
  inTurn: <T>(work: () => Promise<T>) => Promise<T>,
): WriteEvents {
  const matchOne = makeMatchOne(matchStates, inTurn);
  const written = new WeakMap<FeedBatch, WeakMap<Resource, OfBatch>>();

  const write = async (
    { changes }: FeedBatch,
    { own, filter, fields }: CallersView,
    { texts }: OfBatch,
  ): Promise<string> => {
    const { model } = own;
    const found = changes.filter((change) => change.model === model.name);
    const states = found.flatMap(({ before, after }) => [before, after].filter((state) => state !== null));
    const matching = new Set(filter === undefined ? states : undefined);
    const possible = filter === undefined ? [] : states.filter((state) => !certainlyDiffers(filter, state));
    if (filter !== undefined && possible.length > 0) {
      const matches = await matchOne(model, { states: possible, where: toWhere(filter, model) });
      for (const [index, state] of possible.entries()) if (matches[index] === true) matching.add(state);
    }
    const name = fields.join();
    const ofFields = texts.get(name) ?? new Map<FeedChange, EventTexts>();
    texts.set(name, ofFields);
    const key = model.key?.fields.map((field) => field.name) ?? [];
    return found.map((change) => eventsOf(change, matching, { fields, key }, ofFields)).join("");
  };

  return (batch, view) => {
    const { own, fields } = view;
    const ofBatch = written.get(batch) ?? new WeakMap<Resource, OfBatch>();
    written.set(batch, ofBatch);
    const ofResource = ofBatch.get(own) ?? { events: new Map(), texts: new Map() };
    ofBatch.set(own, ofResource);
    const { events } = ofResource;
    const name = `${fields.join()} ${view.filterKey}`;
    const known = events.get(name);
    if (known !== undefined) return known;
    const made = write(batch, view, ofResource);
    events.set(name, made);
    made.catch(() => events.delete(name));
    return made;
  };
}

/** What callers with the same view of a model share. */
interface OfBatch {
  /** The events by fields and filter. */
  readonly events: Map<string, Promise<string>>;
  /** The texts of changes by fields: a filter only decides which of them are sent. */
  readonly texts: Map<string, Map<FeedChange, EventTexts>>;
}

/** The events of a change, by the states that match. */
type EventTexts = { [matching in "before" | "after" | "both"]?: string };

interface ShownFields {
  readonly fields: readonly string[];
  readonly key: readonly string[];
}

function eventsOf(
  change: FeedChange,
  matching: ReadonlySet<Row>,
  shown: ShownFields,
  known: Map<FeedChange, EventTexts>,
): string {
  const { before, after } = change;
  const old = before !== null && matching.has(before) ? before : null;
  const now = after !== null && matching.has(after) ? after : null;
  if (old === null && now === null) return "";
  const texts = known.get(change) ?? {};
  known.set(change, texts);
  const name = now === null ? "before" : old === null ? "after" : "both";
  texts[name] ??= eventsText(change.id, old, now, shown);
  return texts[name];
}

function eventsText(id: bigint, old: Row | null, now: Row | null, { fields, key }: ShownFields): string {
  const removed = old === null ? "" : eventText("removed", select(old, key), id);
  const created = now === null ? "" : eventText("created", select(now, fields), id);
  if (old === null || now === null) return removed + created;
  // Only the last event has the position, so that a client that misses it receives both again.
  if (differs(old, now, key)) return eventText("removed", select(old, key), undefined) + created;
  return differs(old, now, fields) ? eventText("updated", select(now, fields), id) : "";
}

const select = (state: Row, names: readonly string[]): Row =>
  Object.fromEntries(names.flatMap((name) => (Object.hasOwn(state, name) ? [[name, state[name]]] : [])));

const differs = (one: Row, other: Row, names: readonly string[]): boolean =>
  names.some((name) => exactJsonText(one[name] ?? null) !== exactJsonText(other[name] ?? null));

/** One event in the format of server-sent events. JSON has no line breaks. */
export const eventText = (name: string, data: unknown, id: bigint | undefined): string =>
  `event: ${name}\n${id === undefined ? "" : `id: ${id}\n`}data: ${exactJsonText(data)}\n\n`;
