import fs from "node:fs";
import os from "node:os";
import path from "node:path";
import { afterEach, beforeEach, describe, expect, inject, it } from "vitest";
import { createEmptySqliteFile } from "../../../scripts/test/sqlite-database.js";
import { withClient } from "../src/databases/with-client.js";
import { applyMigrations, createDatabase, createMigration } from "../src/index.js";
import { onSqlite } from "../src/migrations/on-sqlite.js";

describe.each(["postgresql", "sqlite"] as const)("C73 renames in a migration of %s", (provider) => {
  let url: string;
  let directory: string;
  let drop: () => unknown;
  beforeEach(async () => {
    const created = provider === "sqlite" ? createEmptySqliteFile() : await createDatabase(inject("postgresUrl"));
    ({ url } = created);
    directory = fs.mkdtempSync(path.join(os.tmpdir(), "servicekit-renames-"));
    drop = async () => {
      await created.drop();
      fs.rmSync(directory, { recursive: true, force: true });
    };
  });
  afterEach(() => drop());

  const schemaOf = (posts: string, authors = "name String?"): string => `datasource db {
  provider = "${provider}"
}
enum Color {
  RED
}
model Post {
  id Int @id
  ${posts}
}
model Author {
  id Int @id
  ${authors}
}
`;
  const query = (sql: string): Promise<readonly unknown[]> =>
    provider === "sqlite"
      ? onSqlite(url, async (adapter) => (await adapter.queryRaw({ sql, args: [], argTypes: [] })).rows.flat())
      : withClient(url, async (client) => (await client.query({ text: sql, rowMode: "array" })).rows.flat());

  /** The script of a change of the schema, without applying it. */
  async function change(before: string, after: string, rows: string) {
    await createMigration({ url, directory, name: "init", schema: before, apply: true });
    await query(rows);
    const made = await createMigration({ url, directory, name: "next", schema: after });
    if (made.status !== "created") throw new Error("There is no difference.");
    return made;
  }
  /** The statements in comments; those that they replace follow each comment. */
  const proposals = (sql: string): string[] =>
    [...sql.matchAll(/^-- To rename .*\n((?:-- .*\n)+)/gm)].map(([, lines = ""]) =>
      lines.replaceAll(/^-- /gm, "").trim(),
    );
  /** Replaces statements by those of the comments. */
  const accept = (sql: string): string =>
    sql.replaceAll(/^-- To rename .*\n((?:-- .*\n)+)[^;]*;/gm, (_all, lines: string) => lines.replaceAll(/^-- /gm, ""));

  it("are proposed for several columns of several tables, and keep the values and the other changes", async () => {
    const { editableSql, file } = await change(
      schemaOf("firstName String?\n  lastName String?\n  size Int?\n  old Boolean?", "name String?\n  born Int?"),
      schemaOf(
        "last_name String?\n  first_name String?\n  length Int?\n  color Color?\n  when DateTime?",
        "fullName String?\n  born Int?",
      ),
      `INSERT INTO "Post" (id, "firstName", "lastName", size, old) VALUES (1, 'Ann', 'Bell', 5, true)`,
    );
    await query(`INSERT INTO "Author" (id, name) VALUES (1, 'Cid')`);
    const statements = proposals(editableSql);
    expect(statements).toHaveLength(2);
    if (provider === "postgresql")
      expect(statements[1]).toBe(
        `ALTER TABLE "Post" RENAME COLUMN "firstName" TO "first_name";
ALTER TABLE "Post" RENAME COLUMN "lastName" TO "last_name";
ALTER TABLE "Post" RENAME COLUMN "size" TO "length";
ALTER TABLE "Post" DROP COLUMN "old",
ADD COLUMN     "color" "Color",
ADD COLUMN     "when" TIMESTAMP(3);`,
      );
    fs.writeFileSync(file, accept(editableSql));
    await applyMigrations(url, directory);
    expect((await query('SELECT first_name, last_name, length, color, "when" FROM "Post"')).map(String)).toEqual([
      "Ann",
      "Bell",
      "5",
      "null",
      "null",
    ]);
    expect(await query('SELECT "fullName" FROM "Author"')).toEqual(["Cid"]);
  });

  it("are not proposed for columns of other types and without a nearest name", async () => {
    const { editableSql, sql } = await change(
      schemaOf("a String?\n  first String?\n  last String?\n  money Int?"),
      schemaOf("b DateTime?\n  given String?\n  family String?\n  price Float?"),
      `INSERT INTO "Post" (id, first) VALUES (1, 'x')`,
    );
    expect(editableSql).toBe(sql);
    expect(proposals(editableSql)).toEqual([]);
  });

  it("compare types with their arguments", async () => {
    const [from, to] =
      provider === "sqlite" ? ["Int?", "BigInt?"] : ["String? @db.VarChar(5)", "String? @db.VarChar(9)"];
    const { editableSql } = await change(
      schemaOf(`title ${from}`),
      schemaOf(`titles ${to}`),
      `INSERT INTO "Post" (id) VALUES (1)`,
    );
    expect(proposals(editableSql)).toEqual([]);
  });

  it("leave the database as it is", async () => {
    await change(schemaOf("a String?"), schemaOf("b String?"), `INSERT INTO "Post" (id, a) VALUES (1, 'x')`);
    expect(await query('SELECT a FROM "Post"')).toEqual(["x"]);
  });
});
