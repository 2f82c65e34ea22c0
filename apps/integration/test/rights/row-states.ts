import { resourcePath } from "@servicekit/model-router/internal";
import type { Model } from "@servicekit/prisma";
import type { Workshop } from "./workshop.js";
import type { CallerName } from "./workshop-rows.js";

type Row = Readonly<Record<string, unknown>>;

/** A row as it is or was in its table. */
export interface RowState {
  readonly model: Model;
  /** The key as in a path. */
  readonly key: string;
  /** All columns, also hidden ones. */
  readonly row: Row;
}

/**
 * Reads what callers see of states of rows: the reference for every other way to see them. A row is replaced by its
 * state in the table, then each caller reads it directly, with today's rules and today's related rows; then it is put
 * back.
 */
export interface StateReader {
  /** @returns the fields that each caller sees; a caller is missing if the row does not exist for it */
  read(state: RowState, callers: readonly CallerName[]): Promise<ReadonlyMap<CallerName, Row>>;
  /** Reads anything else while the row has this state. */
  during<Result>(state: RowState, look: () => Promise<Result>): Promise<Result>;
}

/** Creates a {@link StateReader}; from then on the database has no foreign keys and unique values. */
export async function makeStateReader({ pool, as }: Workshop): Promise<StateReader> {
  await pool.query(dropConstraints);
  const put = async ({ model: { name, key }, row }: RowState, content: Row | undefined): Promise<void> => {
    const where = (key?.fields ?? []).map((field) => `"${field.name}" = ${Number(row[field.name])}`).join(" AND ");
    // Triggers do not run.
    await pool.query(`BEGIN; SET LOCAL session_replication_role = replica; DELETE FROM "${name}" WHERE ${where};
${content === undefined ? "" : `INSERT INTO "${name}" SELECT * FROM jsonb_populate_record(NULL::"${name}", ${literal(content)}::jsonb);`}
COMMIT`);
  };
  const current = async ({ model: { name, key }, row }: RowState): Promise<Row | undefined> => {
    const where = (key?.fields ?? []).map((field) => `"${field.name}" = ${Number(row[field.name])}`).join(" AND ");
    return (await pool.query<{ row: Row }>(`SELECT to_jsonb(t) AS row FROM "${name}" t WHERE ${where}`)).rows[0]?.row;
  };
  const during: StateReader["during"] = async (state, look) => {
    const now = await current(state);
    await put(state, state.row);
    try {
      return await look();
    } finally {
      await put(state, now);
    }
  };
  return {
    during,
    read: (state, callers) =>
      during(state, async () => {
        const target = `/${resourcePath(state.model)}/${state.key}`;
        const replies = await Promise.all(
          callers.map(async (caller) => [caller, await as(caller, "GET", target)] as const),
        );
        return new Map(replies.flatMap(([caller, { status, body }]) => (status === 200 ? [[caller, body.data]] : [])));
      }),
  };
}

const literal = (value: unknown): string => `'${JSON.stringify(value).replaceAll("'", "''")}'`;

const dropConstraints = `
DO $$
DECLARE found record;
BEGIN
  FOR found IN SELECT conrelid::regclass AS name, conname FROM pg_constraint
    WHERE contype = 'f' AND connamespace = 'public'::regnamespace LOOP
    EXECUTE format('ALTER TABLE %s DROP CONSTRAINT %I', found.name, found.conname);
  END LOOP;
  FOR found IN SELECT indexrelid::regclass AS name FROM pg_index JOIN pg_class ON pg_class.oid = indexrelid
    WHERE indisunique AND NOT indisprimary AND relnamespace = 'public'::regnamespace LOOP
    EXECUTE format('DROP INDEX %s', found.name);
  END LOOP;
END $$;
`;
