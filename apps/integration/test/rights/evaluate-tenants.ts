import type { Model } from "@servicekit/prisma";
import type { Change } from "./record-changes.js";
import type { Seen } from "./second-database.js";
import type { Workshop } from "./workshop.js";
import { type CallerName, tenantOf } from "./workshop-rows.js";

type Row = Readonly<Record<string, unknown>>;

/** The changes of rows, and the new references to rows, of another tenant than that of the caller. */
export function* foreignChanges(
  { tenants, models }: Workshop,
  caller: CallerName,
  changes: readonly Change[],
): Generator<string> {
  if (tenants === undefined || caller === "root") return;
  const tenant = tenantOf[caller];
  const isForeign = (target: string): boolean => tenants.has(target) && tenants.get(target) !== tenant;
  for (const { table, before, after } of changes) {
    const model = models.get(table);
    for (const row of [before, after]) {
      if (row?.tenantId !== undefined && row.tenantId !== tenant) yield `${table} ${JSON.stringify(row)}`;
    }
    for (const target of model === undefined ? newLinks(table, before, after) : newReferences(model, before, after)) {
      if (isForeign(target)) yield `${table} references ${target}`;
    }
  }
}

function newReferences({ fields }: Model, before: Row | null, after: Row | null): readonly string[] {
  return fields.flatMap((field) => {
    const [name = ""] = field.kind === "relation" ? field.relation.fields : [];
    const value = after?.[name];
    return value === undefined || value === null || value === before?.[name] ? [] : [`${field.type} ${String(value)}`];
  });
}

function newLinks(table: string, before: Row | null, after: Row | null): readonly string[] {
  const [one = "", other = ""] = table.slice(1).split("To");
  return before === null && after !== null ? [`${one} ${String(after.A)}`, `${other} ${String(after.B)}`] : [];
}

/** The direct reads of rows of another tenant. */
export function* foreignReads({ tenants }: Workshop, caller: CallerName, seen: Seen): Generator<string> {
  if (tenants === undefined || caller === "root") return;
  for (const [table, rows] of seen) {
    for (const row of rows.values()) {
      if (row.tenantId !== undefined && row.tenantId !== tenantOf[caller]) yield `${table} ${JSON.stringify(row)}`;
    }
  }
}
