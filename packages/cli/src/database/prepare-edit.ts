import type { Provider } from "@servicekit/prisma/internal";

/** Stops every tool that would apply a migration before it is edited. */
export const editGuard = `DO $$ BEGIN RAISE EXCEPTION 'Edit this migration, then remove this line.'; END $$;`;
/** The same in SQLite, which reports the name of the missing function. */
const sqliteGuard = "SELECT edit_this_migration_then_remove_this_line();";

const mysqlGuard = "SIGNAL SQLSTATE '45000' SET MESSAGE_TEXT = 'Edit this migration, then remove this line.';";
const guards: Readonly<Record<Provider, string>> = { postgresql: editGuard, sqlite: sqliteGuard, mysql: mysqlGuard };

/** Whether a migration still has to be edited. */
export const needsEdit = (sql: string): boolean => Object.values(guards).some((guard) => sql.includes(guard));

/** A migration without statements. */
export const emptyMigration = (provider: Provider): string => `${guards[provider]}\n\n-- Write the statements here.\n`;

/**
 * A migration to be edited: with the guard, and with a default for each required column that is added to a table with rows;
 * not in SQLite, which makes tables again.
 *
 * @param sql the script with the statements of renames
 * @param url that of the database
 */
export function prepareEdit(sql: string, url = ""): string {
  if (url.startsWith("file:")) return `${sqliteGuard}\n\n${sql.trimEnd()}\n`;
  const dropped: string[] = [];
  const script = sql.replaceAll(
    /^ALTER TABLE ((?:"(?:[^"]|"")+"\.)?"(?:[^"]|"")+")[^;]*;/gm,
    (statement, table: string) => {
      return statement.replaceAll(
        /(ADD COLUMN\s+("[^"]+")\s+[^,;]*?(?:\([^)]*\)[^,;]*?)?NOT NULL)(?! DEFAULT)/g,
        (_all, column: string, name: string) => {
          dropped.push(`ALTER TABLE ${table} ALTER COLUMN ${name} DROP DEFAULT;`);
          return `${column} DEFAULT '<value of existing rows>'`;
        },
      );
    },
  );
  const end = dropped.length === 0 ? "" : `\n-- The default is only for existing rows.\n${dropped.join("\n")}\n`;
  return `${editGuard}\n\n${script.trimEnd()}\n${end}`;
}
