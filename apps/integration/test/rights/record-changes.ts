import type { Pool } from "pg";

/** A row before and after a request; `null` if it did not exist. */
export interface Change {
  readonly table: string;
  readonly before: Readonly<Record<string, unknown>> | null;
  readonly after: Readonly<Record<string, unknown>> | null;
}

/** The changes since the last undo. */
export interface Recorder {
  /** The net difference, by content, without changes that were reverted. */
  changes(): Promise<readonly Change[]>;
  /** Restores every row, and every sequence. */
  undo(): Promise<void>;
  /** Makes the current state the one that `undo` restores. */
  store(): Promise<void>;
  /** Restores the initial rows. */
  reset(): Promise<void>;
}

/** Records each change of each table in the database itself, so that comparing an unchanged database costs nothing. */
export async function recordChanges(pool: Pool): Promise<Recorder> {
  await pool.query(schema);
  return {
    async changes() {
      const { rows } = await pool.query<Entry>(`SELECT "table", op, "before", "after" FROM recorder.log ORDER BY seq`);
      return netChanges(rows);
    },
    async undo() {
      await pool.query("SELECT recorder.undo()");
    },
    async store() {
      await pool.query(
        "WITH moved AS (DELETE FROM recorder.log RETURNING *) INSERT INTO recorder.kept SELECT * FROM moved",
      );
    },
    async reset() {
      await pool.query("SELECT recorder.undo()");
      await pool.query(
        "WITH moved AS (DELETE FROM recorder.kept RETURNING *) INSERT INTO recorder.log SELECT * FROM moved",
      );
      await pool.query("SELECT recorder.undo()");
    },
  };
}

interface Entry {
  readonly table: string;
  readonly op: "INSERT" | "UPDATE" | "DELETE";
  readonly before: Change["before"];
  readonly after: Change["after"];
}

/** Follows each row through the entries by its content. */
function netChanges(entries: readonly Entry[]): readonly Change[] {
  const open: { table: string; before: Change["before"]; after: Change["after"] }[] = [];
  for (const { table, before, after } of entries) {
    const known = before === null ? undefined : open.find((one) => one.table === table && isSame(one.after, before));
    if (known === undefined) open.push({ table, before, after });
    else known.after = after;
  }
  return open.filter(({ before, after }) => !isSame(before, after));
}

const isSame = (one: unknown, other: unknown): boolean => JSON.stringify(one) === JSON.stringify(other);

const schema = `
CREATE SCHEMA recorder;
CREATE TABLE recorder.log (seq bigserial PRIMARY KEY, "table" text, op text, "before" jsonb, "after" jsonb);
CREATE TABLE recorder.kept (LIKE recorder.log);
CREATE TABLE recorder.sequences (name text PRIMARY KEY, value bigint);

CREATE FUNCTION recorder.note() RETURNS trigger AS $$
BEGIN
  INSERT INTO recorder.log ("table", op, "before", "after") VALUES (
    TG_TABLE_NAME, TG_OP,
    CASE WHEN TG_OP = 'INSERT' THEN NULL ELSE to_jsonb(OLD) END,
    CASE WHEN TG_OP = 'DELETE' THEN NULL ELSE to_jsonb(NEW) END
  );
  RETURN NULL;
END $$ LANGUAGE plpgsql;

CREATE FUNCTION recorder.undo() RETURNS void AS $$
DECLARE entry record;
BEGIN
  IF NOT EXISTS (SELECT 1 FROM recorder.log) THEN RETURN; END IF;
  SET LOCAL session_replication_role = replica;
  FOR entry IN SELECT * FROM recorder.log ORDER BY seq DESC LOOP
    IF entry.op <> 'DELETE' THEN
      EXECUTE format('DELETE FROM public.%I t WHERE to_jsonb(t) = $1', entry."table") USING entry."after";
    END IF;
    IF entry.op <> 'INSERT' THEN
      EXECUTE format('INSERT INTO public.%I SELECT * FROM jsonb_populate_record(NULL::public.%I, $1)',
        entry."table", entry."table") USING entry."before";
    END IF;
  END LOOP;
  DELETE FROM recorder.log;
  PERFORM setval(name::regclass, value) FROM recorder.sequences;
END $$ LANGUAGE plpgsql;

DO $$
DECLARE name text;
BEGIN
  FOR name IN SELECT tablename FROM pg_tables WHERE schemaname = 'public' LOOP
    EXECUTE format('CREATE TRIGGER note AFTER INSERT OR UPDATE OR DELETE ON public.%I
      FOR EACH ROW EXECUTE FUNCTION recorder.note()', name);
  END LOOP;
  FOR name IN SELECT format('public.%I', sequencename) FROM pg_sequences WHERE schemaname = 'public' LOOP
    PERFORM setval(name::regclass, 1000);
    EXECUTE format('INSERT INTO recorder.sequences SELECT %L, last_value FROM %s', name, name);
  END LOOP;
END $$;
`;
