import type { Database, Model } from "@servicekit/prisma";
import { rowsWhere, toJsonField, toWhere } from "@servicekit/prisma/internal";
import type { Request } from "express";
import type { ShownOfRow } from "../request/request-state.js";
import { type Operation } from "../resource/config/operation.js";
import { type Where } from "../resource/filter/where.js";
import { type Resource } from "../resource/resource.js";
import type { Row } from "../resource/values/to-json.js";
import { accessOf } from "./request-access.js";

const nothing: ReadonlySet<string> = new Set();
const reads = ["findOne", "findMany"] as const;

/**
 * Determines what the response of a write may contain of its rows: what the caller may read directly (contract C57).
 * The database is queried only if a rule of reads is not a rule of the write.
 *
 * @param operation the operation on the rows, before or after it
 * @returns `undefined` if everything may be returned
 */
export async function shownOfWrite(
  request: Request,
  resource: Resource,
  operation: Operation,
  rows: readonly Row[],
  database: Database,
): Promise<ShownOfRow | undefined> {
  const { may, rules } = accessOf(request);
  const { model, shown, identity } = resource;
  const found = new Map<string, ReadonlySet<string>>();
  const textOf = (row: Row): string => JSON.stringify(identity.map((field) => toJsonField(field, row[field.name])));
  for (const read of reads) {
    const allowed = may(model, read);
    if ((allowed instanceof Promise ? await allowed : allowed) !== true) continue;
    const { names } = shown[read];
    const isCovered = rules === undefined || rules.covers(model.name, operation, read);
    if (isCovered && names.size === resource.fields.size + resource.computed.size && found.size === 0) return undefined;
    if (isCovered) return (row) => found.get(textOf(row)) ?? names;
    const rest = rows.filter((row) => !found.has(textOf(row)));
    const rule = await rules.rows(model.name, read);
    if (rest.length === 0) continue;
    for (const row of await readRows(rest, rule && toWhere(rule, model), model, identity, database))
      found.set(textOf(row), names);
  }
  return (row) => found.get(textOf(row)) ?? nothing;
}

async function readRows(
  rows: readonly Row[],
  rule: Where | undefined,
  model: Model,
  identity: Resource["identity"],
  database: Database,
): Promise<readonly Row[]> {
  const names = identity.map(({ name }) => name);
  const keys = rowsWhere(names, rows);
  const select = Object.fromEntries(names.map((name) => [name, true as const]));
  return database.of(model).findMany({ where: rule === undefined ? keys : { AND: [rule, keys] }, select });
}

/** A row without the parts that its response may not contain; additions of a hook remain. */
export function withoutUnshown(data: unknown, model: Model, shown: ShownOfRow): Row | undefined {
  if (typeof data !== "object" || data === null) return undefined;
  const names = shown(data as Row);
  const visible = Object.entries(data).filter(([name]) => {
    const field = model.fieldsByName.get(name);
    return field === undefined || names.has(name) || (field.kind === "relation" && names.size > 0);
  });
  return visible.length === 0 ? undefined : Object.fromEntries(visible);
}
