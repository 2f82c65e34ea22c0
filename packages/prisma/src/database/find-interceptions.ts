import type { Model, Models } from "../models/model.js";
import type { Connections } from "./connections.js";
import type { WriteKind } from "./executor.js";

/** What prevents a write from changing a row of a table as requested. */
export interface Interception {
  /** A trigger that may skip the row, or a rule that replaces the write. */
  readonly by: "trigger" | "rule";
}

/** By the name of a model and the kind of write, such as `Note delete`. */
export type Interceptions = ReadonlyMap<string, Interception>;

export const interceptionOf = (found: Interceptions, { name }: Model, kind: WriteKind): Interception | undefined =>
  found.get(`${name} ${kind}`);

/** Row triggers before or instead of a write, and rules other than those of views. */
const sql = `SELECT n.nspname AS schema, c.relname AS table, 'trigger' AS by,
  array_remove(ARRAY[CASE WHEN t.tgtype & 4 > 0 THEN 'create' END, CASE WHEN t.tgtype & 8 > 0 THEN 'delete' END,
    CASE WHEN t.tgtype & 16 > 0 THEN 'update' END], NULL) AS kinds
FROM pg_trigger t JOIN pg_class c ON c.oid = t.tgrelid JOIN pg_namespace n ON n.oid = c.relnamespace
WHERE NOT t.tgisinternal AND t.tgenabled <> 'D' AND t.tgtype & 1 > 0 AND t.tgtype & 66 > 0
UNION ALL
SELECT n.nspname, c.relname, 'rule', ARRAY[CASE r.ev_type WHEN '2' THEN 'update' WHEN '3' THEN 'create' ELSE 'delete' END]
FROM pg_rewrite r JOIN pg_class c ON c.oid = r.ev_class JOIN pg_namespace n ON n.oid = c.relnamespace
WHERE r.ev_type IN ('2', '3', '4') AND r.ev_enabled <> 'D'`;

interface Found {
  readonly schema: string;
  readonly table: string;
  readonly by: "trigger" | "rule";
  readonly kinds: readonly WriteKind[];
}

/** Finds the tables with triggers or rules that may skip or replace writes. */
export async function findInterceptions(
  query: Connections["query"],
  models: Models,
  schema = "public",
): Promise<Interceptions> {
  const interceptions = new Map<string, Interception>();
  const rows = (await query(sql)) as readonly Found[];
  for (const { schema: at, table, by, kinds } of rows) {
    for (const model of models.values()) {
      if (model.table !== table || (model.schema ?? schema) !== at) continue;
      // A rule takes precedence over a trigger.
      for (const kind of kinds)
        if (by === "rule" || !interceptions.has(`${model.name} ${kind}`))
          interceptions.set(`${model.name} ${kind}`, { by });
    }
  }
  return interceptions;
}
