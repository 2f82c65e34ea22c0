import type { Model } from "@servicekit/prisma";
import { exactJsonText, type MatchStates, toJsonValue } from "@servicekit/prisma/internal";
import type { Where } from "../resource/filter/where.js";
import type { Row } from "../resource/values/to-json.js";

/** A recorded change of a row. Its states are in the form of a response. */
export interface RecordedChange {
  readonly id: bigint;
  readonly time: Date;
  readonly operation: "create" | "update" | "delete";
  readonly actor: string;
  readonly requestId: string | null;
  readonly before: Row | null;
  readonly after: Row | null;
}

/** Recorded changes of one row, newest first. */
export interface RecordedChanges {
  readonly changes: readonly RecordedChange[];
  /** Whether older changes may follow. */
  readonly hasMore: boolean;
}

/** The recorded changes of rows. */
export interface HistorySource {
  /**
   * Reads changes of one row, newest first: fewer than the limit if they are large, at least one of any size.
   *
   * @param key the key of the row, as in its path
   * @param options.before only changes with a smaller id
   */
  read(
    model: Model,
    key: string,
    options: { readonly before: bigint | undefined; readonly limit: number },
  ): Promise<RecordedChanges>;
  readonly matchStates: MatchStates;
}

/** What a caller may see of the states of a row. */
export interface VisibleStates {
  /** The filter that a state must match; `undefined` for every state. */
  readonly where: Where | undefined;
  /** The names of the visible fields. */
  readonly fields: ReadonlyMap<string, unknown>;
}

/** The changes of a batch as one caller sees them. */
export interface VisibleBatch {
  readonly changes: readonly Row[];
  /** Whether the caller may see a state of the row. */
  readonly isReadable: boolean;
}

/** The maximum number of changes that are read together. */
const maxBatch = 200;

/**
 * Reads the changes of a row as one caller sees them, newest first, batch by batch: states that the caller may not read
 * are null, and a change without a visible state or without a visible difference is left out.
 *
 * @param limit the number of changes of a page: the size of the first batch
 */
export async function* visibleChanges(
  source: HistorySource,
  { model, key, limit }: { readonly model: Model; readonly key: string; readonly limit: number },
  visible: VisibleStates,
): AsyncGenerator<VisibleBatch, undefined, undefined> {
  let before: bigint | undefined;
  for (let size = Math.min(limit + 1, maxBatch); ; size = Math.min(2 * size, maxBatch)) {
    const { changes, hasMore } = await source.read(model, key, { before, limit: size });
    yield showBatch(changes, await readableStates(changes, model, source, visible), visible);
    if (!hasMore) return;
    before = changes.at(-1)?.id;
  }
}

/** The state of a row after a change, as one caller sees it. */
export interface VisibleState {
  /** The values of the visible fields that were recorded. */
  readonly state: Row;
  /** All recorded names. */
  readonly names: readonly string[];
}

/**
 * Finds the state of a row after a change: of a delete, the last one before it.
 *
 * @returns `undefined` if the history of this row, as the caller sees it, has no such change or not this state
 */
export async function visibleState(
  source: HistorySource,
  { model, key, id }: { readonly model: Model; readonly key: string; readonly id: bigint },
  visible: VisibleStates,
): Promise<VisibleState | undefined> {
  const { changes } = await source.read(model, key, { before: id + 1n, limit: 1 });
  const [change] = changes;
  if (change?.id !== id) return undefined;
  const side = change.operation === "delete" ? "before" : "after";
  const [shown] = showBatch(changes, await readableStates(changes, model, source, visible), visible).changes;
  const state = (shown?.[side] ?? null) as Row | null;
  return state === null ? undefined : { state, names: Object.keys(change[side] ?? {}) };
}

/** The states that the caller may read. */
async function readableStates(
  batch: readonly RecordedChange[],
  model: Model,
  { matchStates }: HistorySource,
  { where }: VisibleStates,
): Promise<ReadonlySet<Row>> {
  const states = batch.flatMap(({ before, after }) => [before, after].filter((state) => state !== null));
  if (where === undefined) return new Set(states);
  const matches = await matchStates(model, states, where);
  return new Set(states.filter((_, index) => matches[index] === true));
}

function showBatch(
  batch: readonly RecordedChange[],
  readable: ReadonlySet<Row>,
  { fields }: VisibleStates,
): VisibleBatch {
  const show = (state: Row | null): Row | null =>
    state === null || !readable.has(state)
      ? null
      : Object.fromEntries([...fields.keys()].flatMap((name) => (name in state ? [[name, state[name]]] : [])));
  return {
    isReadable: readable.size > 0,
    changes: batch.flatMap(({ id, time, operation, actor, requestId, ...states }) => {
      const before = show(states.before);
      const after = show(states.after);
      const changed = before === null || after === null ? [] : changedFields(before, after);
      if (before === null && after === null) return [];
      if (before !== null && after !== null && changed.length === 0) return [];
      return [{ id: id.toString(), time: toJsonValue(time), operation, actor, requestId, changed, before, after }];
    }),
  };
}

/** Objects of a state have their keys in the order of the database, so equal ones have equal texts. */
const changedFields = (before: Row, after: Row): readonly string[] =>
  [...new Set([...Object.keys(before), ...Object.keys(after)])].filter(
    (name) => exactJsonText(before[name] ?? null) !== exactJsonText(after[name] ?? null),
  );
