import fs from "node:fs";
import path from "node:path";
import { afterEach, describe, expect, inject, it, vi } from "vitest";
import { createEmptyMysqlDatabase } from "../../../scripts/test/mysql-database.js";
import { providers } from "../../../scripts/test/provider-database.js";
import { createEmptySqliteFile } from "../../../scripts/test/sqlite-database.js";
import { withClient } from "../../dev-database/src/databases/with-client.js";
import { applyMigrations, createDatabase, resetDatabase } from "../../dev-database/src/index.js";
import { onMysql } from "../../dev-database/src/migrations/on-mysql.js";
import { onSqlite } from "../../dev-database/src/migrations/on-sqlite.js";
import { type Target, writeMigration } from "../src/commands/migrate.js";
import { applyExisting, bringToSchema } from "../src/database/bring-to-schema.js";
import { needsSeed, recordSeed } from "../src/database/seeded-databases.js";
import type { Project } from "../src/project/project.js";
import { makeFolder } from "./temporary-folder.js";

const drops: (() => unknown)[] = [];
afterEach(async () => {
  for (const drop of drops.splice(0)) await drop();
});

describe.each(providers)("C73 the seed of a new database of %s", (provider) => {
  const schema = (more = ""): string =>
    `datasource db {\n  provider = "${provider}"\n}\nmodel Note {\n  id Int @id\n${more}}\n`;

  async function start() {
    const created = await {
      postgresql: () => createDatabase(inject("postgresUrl")),
      sqlite: async () => createEmptySqliteFile(),
      mysql: () => createEmptyMysqlDatabase(),
    }[provider]();
    drops.push(created.drop);
    const { url } = created;
    const root = makeFolder({ "schema.prisma": schema() });
    const project = {
      root,
      schema: path.join(root, "schema.prisma"),
      migrations: path.join(root, "migrations"),
    } as Project;
    const run = (sql: string): Promise<unknown> => {
      if (provider === "sqlite") return onSqlite(url, (adapter) => adapter.executeRaw({ sql, args: [], argTypes: [] }));
      if (provider === "mysql") return onMysql(url, ({ query }) => query(sql.replaceAll('"', "`")));
      return withClient(url, (client) => client.query(sql));
    };
    let count = 0;
    return {
      url,
      project,
      run,
      /** Writes a migration, as `service generate sessions` and `service migrate new` do. */
      write: async (more: string) => {
        if (provider === "mysql") {
          const folder = path.join(project.migrations, `2020010100000${count++}_next`);
          fs.mkdirSync(folder, { recursive: true });
          const sql =
            count === 1 ? "CREATE TABLE Note (id INT PRIMARY KEY);" : `ALTER TABLE Note ADD COLUMN c${count} INT;`;
          return fs.writeFileSync(path.join(folder, "migration.sql"), sql);
        }
        fs.writeFileSync(path.join(root, "schema.prisma"), schema(more));
        const log = vi.spyOn(console, "log").mockImplementation(() => undefined);
        await writeMigration({ project, url } as Target, "next").finally(() => log.mockRestore());
      },
      /** Starts `service dev`, and returns whether it seeds. */
      develop: async () => {
        const change = await (provider === "mysql"
          ? applyExisting(url, project)
          : bringToSchema(url, project, () => "apply"));
        return needsSeed(url, project, change.isNew && change.applied.length > 0);
      },
    };
  }

  it.each([0, 1, 3])("C73 is needed once after %i commands that write migrations", async (commands) => {
    const { url, project, write, develop } = await start();
    if (commands === 0 && provider === "mysql") await write("");
    for (let at = 1; at <= commands; at++)
      await write(Array.from({ length: at - 1 }, (_, n) => `  f${n} Int?\n`).join(""));
    expect(await develop()).toBe(true);
    // It has failed.
    expect(await develop()).toBe(true);
    await recordSeed(url, project);
    expect(await develop()).toBe(false);
    await write("  last Int?\n");
    await write("  last Int?\n  more Int?\n");
    expect(await develop()).toBe(false);
  });

  it("C73 is needed after migrations were deployed, and not with rows", async () => {
    const { url, project, write, develop, run } = await start();
    await write("");
    await write("  a Int?\n");
    await applyMigrations(url, project.migrations);
    expect(await develop()).toBe(true);
    await run('INSERT INTO "Note" (id) VALUES (1)');
    expect(await develop()).toBe(false);
  });

  it("C73 is needed if the migrations insert rows themselves", async () => {
    const { project, write, develop } = await start();
    await write("");
    fs.mkdirSync(path.join(project.migrations, "29990101000000_rows"));
    fs.writeFileSync(
      path.join(project.migrations, "29990101000000_rows", "migration.sql"),
      `INSERT INTO ${provider === "mysql" ? "Note" : '"Note"'} (id) VALUES (1);`,
    );
    if (provider === "mysql") expect(await develop()).toBe(true);
    else {
      const other = await start();
      fs.cpSync(project.migrations, other.project.migrations, { recursive: true });
      expect(await other.develop()).toBe(true);
      await recordSeed(other.url, other.project);
      expect(await other.develop()).toBe(false);
    }
  });

  it("C73 is not needed again after all rows were deleted, and needed again after a reset", async () => {
    const { url, project, write, develop, run } = await start();
    await write("");
    expect(await develop()).toBe(true);
    await run('INSERT INTO "Note" (id) VALUES (1)');
    await recordSeed(url, project);
    await run('DELETE FROM "Note"');
    expect(await develop()).toBe(false);
    await resetDatabase(url, project.migrations);
    expect(await develop()).toBe(true);
  });

  it("C73 is not needed in a database without migrations", async () => {
    const { develop, run } = await start();
    await run('CREATE TABLE "old" (id INT PRIMARY KEY)');
    expect(await develop()).toBe(false);
  });
});
