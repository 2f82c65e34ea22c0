import fs from "node:fs";
import path from "node:path";
import { afterEach, beforeEach, describe, expect, inject, it, vi } from "vitest";
import { withClient } from "../../dev-database/src/databases/with-client.js";
import { type CreatedDatabase, createDatabase } from "../../dev-database/src/index.js";
import { CommandError } from "../src/command-error.js";
import { type Target, writeMigration } from "../src/commands/migrate.js";
import { bringToSchema, type Decision, migrationsIn, type ProposedMigration } from "../src/database/bring-to-schema.js";
import type { Project } from "../src/project/project.js";
import { makeFolder } from "./temporary-folder.js";

let database: CreatedDatabase;
beforeEach(async () => {
  database = await createDatabase(inject("postgresUrl"));
});
afterEach(() => database.drop());

const schema = (fields = ""): string => `datasource db {
  provider = "postgresql"
}

model Note {
  id Int @id
${fields}}
`;

function makeProject() {
  const root = makeFolder({ "schema.prisma": schema() });
  const project = { schema: path.join(root, "schema.prisma"), migrations: path.join(root, "migrations") } as Project;
  const proposed: ProposedMigration[] = [];
  return {
    proposed,
    migrations: () => migrationsIn(project.migrations),
    write: (fields: string) => fs.writeFileSync(path.join(root, "schema.prisma"), schema(fields)),
    file: () => path.join(project.migrations, migrationsIn(project.migrations).at(-1) ?? "", "migration.sql"),
    writeNew: async () => {
      const log = vi.spyOn(console, "log").mockImplementation(() => undefined);
      await writeMigration({ project, url: database.url } as Target, "new");
      const printed = log.mock.calls.join("\n");
      log.mockRestore();
      return printed;
    },
    bring: (decision: Decision | Error = "apply") =>
      bringToSchema(database.url, project, (migration) => {
        proposed.push(migration);
        if (decision instanceof Error) throw decision;
        return decision;
      }),
  };
}

describe("C73 a database of development", () => {
  it("C73 receives a migration for what the schema contains beyond the migrations", async () => {
    const { bring, write, proposed, migrations } = makeProject();
    const first = await bring();
    expect(first).toEqual({ applied: [expect.stringMatching(/^\d{14}_init$/)], isNew: true, isDeclined: false });
    expect(proposed[0]).toMatchObject({ name: first.applied[0], isFirst: true, warnings: [] });
    expect(await bring()).toEqual({ applied: [], isNew: false, isDeclined: false });
    write("  text String?\n");
    const second = await bring();
    expect(second.applied).toEqual([expect.stringMatching(/^\d{14}_change_note$/)]);
    expect(proposed[1]).toMatchObject({ isFirst: false, sql: expect.stringContaining("text") });
    expect(migrations()).toEqual([...first.applied, ...second.applied]);
  });

  it("C73 is used as it is when it has tables and no migrations", async () => {
    const { bring, proposed, migrations } = makeProject();
    await withClient(database.url, (client) => client.query("CREATE TABLE old (id int PRIMARY KEY)"));
    expect(await bring()).toEqual({ applied: [], isNew: false, isDeclined: false, isUnmanaged: true });
    expect([proposed, migrations()]).toEqual([[], []]);
  });

  it("C73 receives the migrations of others first", async () => {
    const one = makeProject();
    const { applied } = await one.bring();
    await database.drop();
    database = await createDatabase(inject("postgresUrl"));
    one.write("  text String?\n");
    const both = await one.bring();
    expect([both.isNew, both.applied]).toEqual([true, [...applied, expect.stringMatching(/_change_note$/)]]);
  });

  it("C73 stays as it is when the migration is declined, which is removed", async () => {
    const { bring, write, migrations } = makeProject();
    expect(await bring("decline")).toEqual({ applied: [], isNew: true, isDeclined: true });
    expect(migrations()).toEqual([]);
    await bring();
    write("  text String?\n");
    expect(await bring("decline")).toEqual({ applied: [], isNew: false, isDeclined: true });
    expect(migrations()).toHaveLength(1);
  });

  it("C73 leaves no migration behind when the prompt or the migration fails, and can be repeated", async () => {
    const { bring, write, migrations } = makeProject();
    await expect(bring(new Error("interrupted"))).rejects.toThrow("interrupted");
    expect(migrations()).toEqual([]);
    await bring();
    await withClient(database.url, (client) => client.query('INSERT INTO "Note" VALUES (1)'));
    write("  text String\n");
    await expect(bring()).rejects.toThrow(CommandError);
    expect(migrations()).toHaveLength(1);
    write("  text String?\n");
    expect((await bring()).applied).toHaveLength(1);
  });

  describe("C73 with rows in a changed table", () => {
    const query = async (sql: string): Promise<unknown[]> => {
      return withClient(database.url, async (client) => (await client.query(sql)).rows);
    };
    const start = async (before: string, after: string) => {
      const project = makeProject();
      project.write(before);
      await project.bring();
      await query('INSERT INTO "Note" (id) VALUES (1)');
      project.write(after);
      return project;
    };
    const edit = (file: string, change: (sql: string) => string) =>
      fs.writeFileSync(file, change(fs.readFileSync(file, "utf8").replace(/^DO .*\n/, "")));

    it("C73 gives existing rows a value for a required column after an edit", async () => {
      const { bring, proposed, file } = await start("", "  text String\n");
      expect(await bring("edit")).toMatchObject({ applied: [], edited: file() });
      expect(proposed.at(-1)?.impossible).toHaveLength(1);
      await expect(bring()).rejects.toThrow("Edit the script and remove its first line");
      edit(file(), (sql) => sql.replace("<value of existing rows>", "none"));
      expect((await bring()).applied).toEqual([expect.stringMatching(/_change_note$/)]);
      expect(await query('SELECT text FROM "Note"')).toEqual([{ text: "none" }]);
      // Without a difference to the schema.
      expect(await bring()).toMatchObject({ applied: [], isDeclined: false });
    });

    it("C73 renames a column after an edit", async () => {
      const { bring, file } = await start('  old String @default("a")\n', '  new String @default("a")\n');
      await bring("edit");
      edit(file(), (sql) => /^-- (ALTER TABLE "Note" RENAME COLUMN "old" TO "new";)$/m.exec(sql)?.[1] ?? "");
      await bring();
      expect(await query('SELECT new FROM "Note"')).toEqual([{ new: "a" }]);
      expect(await bring()).toMatchObject({ applied: [], isDeclined: false });
    });

    it("C73 applies an edited migration that failed after it is corrected", async () => {
      const { bring, file } = await start("", "  size Int\n");
      await bring("edit");
      edit(file(), (sql) => sql);
      await expect(bring()).rejects.toThrow(CommandError);
      edit(file(), (sql) => sql.replace("<value of existing rows>", "5"));
      expect((await bring()).applied).toHaveLength(1);
    });

    it("C73 deletes the rows if the database is reset", async () => {
      const { bring } = await start("", "  text String\n");
      expect(await bring("reset")).toMatchObject({ isNew: true, applied: [expect.anything(), expect.anything()] });
      expect(await query('SELECT * FROM "Note"')).toEqual([]);
    });
  });

  it("C73 is created if it does not exist", async () => {
    const { bring } = makeProject();
    await database.drop();
    expect(await bring()).toMatchObject({ isNew: true, applied: [expect.stringMatching(/_init$/)], isCreated: true });
    expect(await bring()).toEqual({ applied: [], isNew: false, isDeclined: false });
    await withClient(database.url, async (client) => {
      expect((await client.query("SELECT 'Z' < 'a' AS exact")).rows).toEqual([{ exact: true }]);
    });
  });

  it("C73 that does not exist and that the user may not create is reported with what to do", async () => {
    const { bring } = makeProject();
    const user = `user_${database.name}`;
    const { url } = database;
    await withClient(inject("postgresUrl"), async (client) => {
      await client.query(`CREATE ROLE "${user}" LOGIN PASSWORD 'hush'`);
      try {
        const missing = Object.assign(new URL(url), { username: user, password: "hush", pathname: "/missing%20one" });
        database = { ...database, url: missing.href };
        await expect(bring()).rejects.toThrow(
          /The database missing one does not exist and cannot be created: permission denied .* Create it with CREATE DATABASE/,
        );
      } finally {
        await client.query(`DROP ROLE "${user}"`);
      }
    });
  });

  it("C73 reports a schema that is invalid", async () => {
    const { bring, write } = makeProject();
    write("  text Nothing\n");
    await expect(bring()).rejects.toThrow(CommandError);
  });
});

describe("C73 service migrate new", () => {
  it("C73 writes a migration that loses values with the statement of a rename, and a line that stops it", async () => {
    const { bring, write, writeNew, file } = makeProject();
    write("  text String?\n");
    await bring();
    await withClient(database.url, (client) => client.query(`INSERT INTO "Note" VALUES (1, 'a')`));
    write("  body String?\n");
    expect(await writeNew()).toMatch(
      /Wrote \S+_new\/migration\.sql\. Edit it and remove its first line, then apply it/,
    );
    const sql = fs.readFileSync(file(), "utf8");
    expect(sql).toContain('-- ALTER TABLE "Note" RENAME COLUMN "text" TO "body";');
    await expect(bring()).rejects.toThrow("Edit the script and remove its first line");
    fs.writeFileSync(file(), 'ALTER TABLE "Note" RENAME COLUMN "text" TO "body";\n');
    expect((await bring()).applied).toEqual([expect.stringMatching(/_new$/)]);
  });

  it("C73 writes a migration that loses nothing as it is applied", async () => {
    const { bring, write, writeNew, file } = makeProject();
    await bring();
    write("  text String?\n");
    expect(await writeNew()).toContain("Apply it with service migrate deploy");
    expect(fs.readFileSync(file(), "utf8")).toBe('-- AlterTable\nALTER TABLE "Note" ADD COLUMN     "text" TEXT;\n');
  });
});
