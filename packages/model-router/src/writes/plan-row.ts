import { httpErrors, type ValidationIssue } from "@servicekit/core";
import { toJsonPointer } from "@servicekit/core/internal";
import { type RelationItem, readRelation } from "../resource/body/read-relation.js";
import { type WriteMode, withoutFlags } from "../resource/body/relation-act.js";
import { tooManyRows } from "../resource/body/relation-schema.js";
import { deepestWrite } from "../resource/body/row-schema.js";
import type { WritableModel, WritableModels, WritableRelation } from "../resource/body/writable-model.js";
import type { Row } from "../resource/values/to-json.js";

/** A place in the body. */
export type BodyPath = readonly (string | number)[];

/**
 * Transforms the data of every row before it is written, such as a plain-text password into its hash. It gets the other
 * rows of the request.
 */
export type TransformWrite = (modelName: string, data: Row, batch?: readonly Row[]) => Row | Promise<Row>;

/** One row to be written, with the actions on related rows. */
export interface PlannedRow {
  readonly writable: WritableModel;
  readonly data: Row;
  readonly links: readonly PlannedLink[];
  readonly at: BodyPath;
}

/** The actions of one relation of a row; `null` removes the related row. */
export interface PlannedLink {
  readonly relation: WritableRelation;
  readonly acts: readonly PlannedAction[] | null;
  readonly at: BodyPath;
}

/** The action on one related row. `where` contains values of its unique fields. */
export type PlannedAction =
  | { readonly act: "connect" | "delete" | "disconnect"; readonly where: Row; readonly at: BodyPath }
  | { readonly act: "create"; readonly row: PlannedRow; readonly at: BodyPath }
  | { readonly act: "update"; readonly where: Row; readonly row: PlannedRow; readonly at: BodyPath };

/** The context of a plan. */
export interface PlanSource {
  readonly writables: WritableModels;
  readonly transformWrite: TransformWrite | undefined;
}

/** The remaining number of related rows of a request. */
export interface RowBudget {
  readonly max: number;
  used: number;
}

/** Whether a body contains a relation: then its row cannot be written by one plain statement. */
export function namesRelation(data: Row, { resource: { model } }: WritableModel): boolean {
  return Object.keys(data).some((name) => model.fieldsByName.get(name)?.kind === "relation");
}

/**
 * Plans the writes of a body. Nothing is read or written yet, and the plan can be executed repeatedly.
 *
 * @throws {HttpError} 400 for a relation that is not settable, misused or too deep, 413 for too many related rows: also
 * if the body was validated by a schema of the module, or changed by a hook
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
      if (depth >= deepestWrite) throw invalid(place, `A body may nest relations at most ${deepestWrite} levels deep.`);
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
  if (budget.used > budget.max) throw tooManyRows(budget.max);
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
): Promise<PlannedAction> {
  const related = source.writables.get(relation.related.model.name);
  if (related === undefined) throw new TypeError(`Unknown model ${relation.related.model.name}.`);
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
  const issue: ValidationIssue = { in: "body", path: toJsonPointer(at), code: "InvalidValue", message };
  return httpErrors.ValidationError(undefined, { errors: [issue] });
}
