import type { Model } from "@servicekit/prisma";
import type { RowState } from "./row-states.js";
import type { Workshop } from "./workshop.js";

type Row = Readonly<Record<string, unknown>>;

/** A recorded change with the rows as they were. */
export interface Recorded {
  readonly id: string;
  readonly model: Model;
  readonly key: string;
  readonly states: Readonly<Record<Side, Row | null>>;
}

export type Side = "before" | "after";
export const sides = ["before", "after"] as const satisfies Side[];

/** All recorded changes, as they are stored. */
export async function readChanges({ pool, models }: Workshop): Promise<readonly Recorded[]> {
  const { rows } = await pool.query<{ id: string; model: string; key: string } & Record<Side, Row | null>>(
    `SELECT id::text, model, key, before, after FROM "Change" ORDER BY id`,
  );
  return rows.map(({ id, model, key, before, after }) => ({
    ...{ id, key, model: models.get(model) as Model },
    states: { before, after },
  }));
}

/** Every state that a row of a table has had, by the triggers of the recorder, and the current rows. */
export async function readRows({ pool, models }: Workshop): Promise<readonly RowState[]> {
  const tables = [...models.values()].filter(({ name, key }) => name !== "Change" && key !== undefined);
  const current = tables.map(({ name }) => `SELECT '${name}', to_jsonb(t) FROM "${name}" t`);
  const { rows } = await pool.query<{ table: string; row: Row }>(
    `SELECT DISTINCT "table", row FROM (SELECT "table", "before" AS row FROM recorder.log
UNION ALL SELECT "table", "after" FROM recorder.log
UNION ALL ${current.join("\nUNION ALL ")}) AS states WHERE row IS NOT NULL AND "table" <> 'Change'`,
  );
  return rows.flatMap(({ table, row }) => {
    const model = models.get(table);
    return model?.key === undefined ? [] : [{ model, row, key: keyOf(model, row) }];
  });
}

export const keyOf = ({ key }: Model, row: Row): string => (key?.fields ?? []).map(({ name }) => row[name]).join();

/** Whether a recorded state contains the values of a row. */
export const isRecordOf = (recorded: Row, row: Row): boolean =>
  Object.entries(recorded).every(([name, value]) => JSON.stringify(row[name] ?? null) === JSON.stringify(value));
