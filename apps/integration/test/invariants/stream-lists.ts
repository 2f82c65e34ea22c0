import type { Model } from "@servicekit/prisma";
import type { ReceivedEvent } from "../../../../packages/service/test/event-reader.js";
import type { CallerName } from "./callers.js";
import type { Setup, Values } from "./cases.js";
import { featureValue } from "./features.js";
import { pathOf } from "./material.js";
import { keyOf, storedFields } from "./rows.js";
import type { RunningCase } from "./start-case.js";

type List = ReadonlyMap<string, string>;

const idOf = (model: Model, row: Values): string => JSON.stringify(keyOf(model, row));

/** Stored fields in a fixed order: events contain neither relations nor computed fields. */
const contentOf = (model: Model, row: Values): string =>
  JSON.stringify(storedFields(model).flatMap(({ name }) => (name in row ? [[name, row[name]]] : [])));

/** The rows of a caller's list with the filters of a stream; `undefined` if the caller has no such list. */
export async function readList(
  running: RunningCase,
  caller: CallerName,
  model: Model,
  query: string,
): Promise<List | undefined> {
  const target = `${pathOf(model)}${query}${query === "" ? "?" : "&"}limit=100`;
  const { status, body } = await running.send({ caller, method: "GET", target });
  if (status !== 200) return undefined;
  return new Map((body.data as readonly Values[]).map((row) => [idOf(model, row), contentOf(model, row)]));
}

/** The list after events. */
export function applyEvents(list: List, model: Model, events: readonly ReceivedEvent[]): List {
  const rows = new Map(list);
  for (const { event, data } of events) {
    if (event === "removed") rows.delete(idOf(model, data));
    else if (event === "created" || event === "updated") rows.set(idOf(model, data), contentOf(model, data));
  }
  return rows;
}

/**
 * The events that a summary of the same changes contains: one for each row, by whether the list contained the row before and
 * contains it after them. A reset replaces all of them.
 */
export function summarize(events: readonly ReceivedEvent[], model: Model): readonly ReceivedEvent[] {
  const reset = events.find(({ event }) => event === "reset");
  if (reset !== undefined) return [reset];
  const rows = new Map<string, { readonly first: ReceivedEvent; readonly last: ReceivedEvent }>();
  for (const last of events) {
    const id = idOf(model, last.data);
    rows.set(id, { first: rows.get(id)?.first ?? last, last });
  }
  return [...rows.entries()]
    .sort(([one], [other]) => (one < other ? -1 : 1))
    .flatMap(([, { first, last }]): ReceivedEvent[] => {
      if (first.event !== "created") return last.event === "removed" ? [last] : [{ ...last, event: "updated" }];
      return last.event === "removed" ? [] : [{ ...last, event: "created" }];
    });
}

export const listText = (list: List): string =>
  [...list]
    .map((entry) => entry.join(" "))
    .sort()
    .join("\n");

/**
 * Whether events lead from a list to a later one: recorded states contain all that the filter and the row rule compare.
 * Related rows are compared as they are at the time of the event, and hidden fields are not recorded.
 */
export function isExact({ features }: Setup, model: Model, query: string): boolean {
  const hidden = featureValue(features, "hidden", model.name) ?? [];
  const names = model.fields
    .filter(
      (field) => field.kind === "relation" || field.annotations.hidden || (hidden as string[]).includes(field.name),
    )
    .map(({ name }) => name);
  const rule = JSON.stringify(featureValue(features, "rowRule", model.name) ?? "");
  return names.every((name) => !rule.includes(`"${name}"`) && !query.startsWith(`?${name}`));
}
