import { type FieldFault, httpErrors } from "@servicekit/core";
import { toJsonPointer } from "@servicekit/core/internal";
import { type RelationItem, readRelation } from "../resource/body/read-relation.js";
import { type WriteMode, withoutFlags } from "../resource/body/relation-act.js";
import { tooManyRows } from "../resource/body/relation-schema.js";
import { deepestWrite } from "../resource/body/row-schema.js";
import type { WritableModel, WritableModels, WritableRelation } from "../resource/body/writable-model.js";
import type { Row } from "../resource/values/to-json.js";

/** Where in the body something stands. */
export type BodyPath = readonly (string | number)[];

/**
 * Changes the data of every row on its way to the database, such as a clear password into its hash. It may see the other
 * rows of the request.
 */
export type TransformWrite = (modelName: string, data: Row, batch?: readonly Row[]) => Row | Promise<Row>;

/** One row to be written, with what happens to the rows around it. */
export interface PlannedRow {
  readonly writable: WritableModel;
  readonly data: Row;
  readonly links: readonly PlannedLink[];
  readonly at: BodyPath;
}

/** What happens through one relation of a row; `null` leaves it without a related row. */
export interface PlannedLink {
  readonly relation: WritableRelation;
  readonly acts: readonly PlannedAct[] | null;
  readonly at: BodyPath;
}

/** What happens to one related row. `where` holds values of its unique fields. */
export type PlannedAct =
  | { readonly act: "connect" | "delete" | "disconnect"; readonly where: Row; readonly at: BodyPath }
  | { readonly act: "create"; readonly row: PlannedRow; readonly at: BodyPath }
  | { readonly act: "update"; readonly where: Row; readonly row: PlannedRow; readonly at: BodyPath };

/** What a plan is made with. */
export interface PlanSource {
  readonly writables: WritableModels;
  readonly transformWrite: TransformWrite | undefined;
}

/** The related rows that a request may still write. */
export interface RowBudget {
  readonly most: number;
  used: number;
}

/** Whether a body names a relation: then its row cannot be written by one plain statement. */
export function namesRelation(data: Row, { resource: { model } }: WritableModel): boolean {
  return Object.keys(data).some((name) => model.fieldsByName.get(name)?.kind === "relation");
}

/**
 * Plans the writes that a body asks for. Nothing is read or written yet, and the plan can be carried out again.
 *
 * @throws {HttpError} 400 for a relation that is closed, misused or too deep, 413 for too many related rows: also where
 *   the body was validated by a schema of the module, or changed by a hook
 */
export async function planRow(
  body: Row,
  writable: WritableModel,
  mode: WriteMode,
  source: PlanSource,
  budget: RowBudget,
  at: BodyPath = [],
  depth = 0,
): Promise<PlannedRow> {
  const { model } = writable.resource;
  const stored: Record<string, unknown> = {};
  const links: PlannedLink[] = [];
  for (const [name, value] of Object.entries(body)) {
    if (model.fieldsByName.get(name)?.kind !== "relation") {
      stored[name] = value;
    } else if (value !== undefined) {
      const place = [...at, name];
      const relation = writable.relations.get(name);
      if (relation === undefined) throw invalid(place, `${name} cannot be set here.`);
      if (depth >= deepestWrite) throw invalid(place, `A body writes at most ${deepestWrite} relations deep.`);
      links.push(await planLink(relation, value, mode, source, budget, place, depth + 1));
    }
  }
  const data = source.transformWrite === undefined ? stored : await source.transformWrite(model.name, stored);
  return { writable, data, links, at };
}

async function planLink(
  relation: WritableRelation,
  value: unknown,
  mode: WriteMode,
  source: PlanSource,
  budget: RowBudget,
  at: BodyPath,
  depth: number,
): Promise<PlannedLink> {
  const entries = readRelation(relation, value, mode);
  if (entries === null) return { relation, acts: null, at };
  budget.used += entries.length;
  if (budget.used > budget.most) throw tooManyRows(budget.most);
  const items = entries.map((entry) => {
    if ("act" in entry) return entry;
    throw invalid([...at, ...entry.at], entry.message);
  });
  const acts = await Promise.all(
    items.map((item) => planAct(relation, item, source, budget, [...at, ...item.at], depth)),
  );
  return { relation, acts, at };
}

async function planAct(
  relation: WritableRelation,
  { act, object }: RelationItem,
  source: PlanSource,
  budget: RowBudget,
  at: BodyPath,
  depth: number,
): Promise<PlannedAct> {
  const related = source.writables.get(relation.related.model.name);
  if (related === undefined) throw new TypeError(`There is no model ${relation.related.model.name}.`);
  switch (act) {
    case "create":
      return { act, at, row: await planRow(object, related, "create", source, budget, at, depth) };
    case "update": {
      const key = new Set((related.resource.model.key?.fields ?? []).map(({ name }) => name));
      const entries = Object.entries(object);
      const where = Object.fromEntries(entries.filter(([name]) => key.has(name)));
      const changes = Object.fromEntries(entries.filter(([name]) => !key.has(name)));
      return { act, at, where, row: await planRow(changes, related, "update", source, budget, at, depth) };
    }
    default:
      return { act, at, where: withoutFlags(object) };
  }
}

function invalid(at: BodyPath, message: string) {
  const fault: FieldFault = { in: "body", path: toJsonPointer(at), code: "InvalidValue", message };
  return httpErrors.ValidationError(undefined, { errors: [fault] });
}
