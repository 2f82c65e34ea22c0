import { inspect } from "node:util";
import { exactJsonText, type Filter, toWhere } from "@servicekit/prisma/internal";
import type { Resource } from "../resource/resource.js";
import type { Row } from "../resource/values/to-json.js";
import { certainlyDiffers } from "./certainly-differs.js";
import type { FeedBatch, FeedChange } from "./change-feed.js";
import type { MatchOne } from "./match-together.js";
import { readsField } from "./reads-field.js";
import { makeSharedTexts, type ShareText } from "./shared-texts.js";

/** What one caller may see of the changes of a model, and has requested. */
export interface CallersView {
  readonly own: Resource;
  /** The row rules of the caller and the filters of the request; `undefined` for all rows. */
  readonly filter: Filter | undefined;
  /** The names of the selected fields. */
  readonly fields: readonly string[];
  /** Equal for equal filters. */
  readonly filterKey: string;
  /** Equal for equal filters of the request. */
  readonly requestKey: string;
  /** The client whose queries alternate with those of others. */
  readonly client: string;
  /** The identity of the caller; equal for all anonymous ones. */
  readonly caller: string;
}

/** A text that differs for different filters of a model. */
export function filterKey(filter: Filter | undefined, { model }: Resource): string {
  if (filter === undefined) return "";
  const where = toWhere(filter, model);
  const json = JSON.stringify(where, (_, value: unknown) => (typeof value === "bigint" ? `${value}n` : value));
  // JSON does not distinguish types, such as the NULL of a column from that of a Json field.
  return `${json} ${inspect(where, { depth: null, maxArrayLength: null, maxStringLength: null, breakLength: Number.POSITIVE_INFINITY })}`;
}

/** The events of one change. */
export interface ChangeEvents {
  readonly change: FeedChange;
  /** In the format of server-sent events, without ids: streams share it. It is written when it is sent. */
  readonly text: () => string;
  /** Whether it contains the key of a row that is no longer in the list. */
  readonly isRemoval: boolean;
  /** Whether the change is too large for an event: the caller has to read the list again. */
  readonly isTooLarge: boolean;
}

/** Writes the events of a batch as one caller sees them, for each change that has some. */
export type WriteEvents = (batch: FeedBatch, view: CallersView) => Promise<readonly ChangeEvents[]>;

/** Creates {@link WriteEvents}. Callers with the same view and filters share the result. */
export function makeWriteEvents(matchOne: MatchOne): WriteEvents {
  const shared = new WeakMap<FeedBatch, WeakMap<Resource, OfBatch>>();
  const share = makeSharedTexts();

  const write = async (
    { changes }: FeedBatch,
    view: CallersView,
    { texts }: OfBatch,
  ): Promise<readonly ChangeEvents[]> => {
    const { own, filter, fields, client } = view;
    const { model } = own;
    const changesOfModel = changes.filter((change) => change.model === model.name);
    const states = changesOfModel.flatMap(({ before, after }) => [before, after].filter((state) => state !== null));
    const matching = new Set(filter === undefined ? states : undefined);
    const possible = filter === undefined ? [] : states.filter((state) => !certainlyDiffers(filter, state));
    if (filter !== undefined && possible.length > 0) {
      const matches = await matchOne(
        model,
        { states: possible, filter, where: toWhere(filter, model), key: view.filterKey },
        client,
      );
      for (const [index, state] of possible.entries()) if (matches[index] === true) matching.add(state);
    }
    const name = fields.join();
    const ofFields = texts.get(name) ?? new Map<FeedChange, EventTexts>();
    texts.set(name, ofFields);
    const key = model.key?.fields.map((field) => field.name) ?? [];
    const shown = { fields, key, share };
    const unknown = new Set(possible);
    return changesOfModel.flatMap(
      (change) => undecided(change, filter, unknown) ?? eventsOf(change, matching, shown, ofFields) ?? [],
    );
  };

  return (batch, view) => {
    const { own, fields } = view;
    const ofBatch = shared.get(batch) ?? new WeakMap<Resource, OfBatch>();
    shared.set(batch, ofBatch);
    const ofResource = ofBatch.get(own) ?? { events: new Map(), texts: new Map() };
    ofBatch.set(own, ofResource);
    const { events } = ofResource;
    const name = `${fields.join()} ${view.filterKey}`;
    const previous = events.get(name);
    if (previous !== undefined) return previous;
    const created = write(batch, view, ofResource);
    events.set(name, created);
    created.catch(() => events.delete(name));
    return created;
  };
}

/** What callers with the same view of a model share. */
interface OfBatch {
  /** The events by fields and filter. */
  readonly events: Map<string, Promise<readonly ChangeEvents[]>>;
  /** The texts of changes by fields: a filter only decides which of them are sent. */
  readonly texts: Map<string, Map<FeedChange, EventTexts>>;
}

/** The events of a change, by the states that match; `null` if there are none. */
type EventTexts = { [matching in "before" | "after" | "both"]?: ChangeEvents | null };

interface ShownFields {
  readonly fields: readonly string[];
  readonly key: readonly string[];
  readonly share: ShareText;
}

const tooLarge = (change: FeedChange): ChangeEvents => ({
  ...{ change, text: () => "", isRemoval: false, isTooLarge: true },
});

/** A change whose states lack a field that the filter reads, unless another condition decides. */
function undecided(
  change: FeedChange,
  filter: Filter | undefined,
  possible: ReadonlySet<Row>,
): ChangeEvents | undefined {
  const { omitted = [], before, after } = change;
  if (omitted.length === 0 || filter === undefined || !readsField(filter, omitted)) return undefined;
  return [before, after].some((state) => state !== null && possible.has(state)) ? tooLarge(change) : undefined;
}

function eventsOf(
  change: FeedChange,
  matching: ReadonlySet<Row>,
  shown: ShownFields,
  texts: Map<FeedChange, EventTexts>,
): ChangeEvents | null {
  const { before, after } = change;
  const old = before !== null && matching.has(before) ? before : null;
  const now = after !== null && matching.has(after) ? after : null;
  if (old === null && now === null) return null;
  const ofChange = texts.get(change) ?? {};
  texts.set(change, ofChange);
  const name = now === null ? "before" : old === null ? "after" : "both";
  const events = ofChange[name] === undefined ? writeEvents(change, old, now, shown) : ofChange[name];
  ofChange[name] = events;
  return events;
}

function writeEvents(
  change: FeedChange,
  old: Row | null,
  now: Row | null,
  { fields, key, share }: ShownFields,
): ChangeEvents | null {
  const { omitted } = change;
  if (now !== null && omitted?.some((name) => fields.includes(name)) === true) return tooLarge(change);
  const isMoved = old !== null && now !== null && differs(old, now, key);
  const isRemoval = old !== null && (now === null || isMoved);
  const isCreation = now !== null && (old === null || isMoved);
  if (!isRemoval && !isCreation && !(old !== null && now !== null && differs(old, now, fields))) return null;
  const text = share(() => {
    const removed = isRemoval ? eventText("removed", select(old, key)) : "";
    if (now === null) return removed;
    return removed + eventText(isCreation ? "created" : "updated", select(now, fields));
  });
  return { change, text, isRemoval, isTooLarge: false };
}

const select = (state: Row, names: readonly string[]): Row =>
  Object.fromEntries(names.flatMap((name) => (Object.hasOwn(state, name) ? [[name, state[name]]] : [])));

const differs = (one: Row, other: Row, names: readonly string[]): boolean =>
  names.some((name) => exactJsonText(one[name] ?? null) !== exactJsonText(other[name] ?? null));

/** One event in the format of server-sent events. JSON has no line breaks. */
export const eventText = (name: string, data: unknown, id?: string): string =>
  `event: ${name}\n${id === undefined ? "" : `id: ${id}\n`}data: ${exactJsonText(data)}\n\n`;
