import path from "node:path";
import { describe, expect, it } from "vitest";
import { createEmptyMysqlDatabase } from "../../../scripts/test/mysql-database.js";
import { providers } from "../../../scripts/test/provider-database.js";
import { type Target, writeMigration } from "../src/commands/migrate.js";
import { acquireDatabase } from "../src/database/acquire-database.js";
import { applyExisting, migrationsIn } from "../src/database/bring-to-schema.js";
import type { Project, ProjectFolder } from "../src/project/project.js";
import { makeFolder } from "./temporary-folder.js";

const schema = 'datasource db {\n  provider = "mysql"\n}\n\nmodel Note {\n  id Int @id\n}\n';

function makeProject(): ProjectFolder {
  const root = makeFolder({ "package.json": "{}", "prisma/schema.prisma": schema });
  return { root, data: path.join(root, ".data/postgres"), file: path.join(root, ".data/dev.db") } as ProjectFolder;
}

it("C120 a project of MySQL needs the URL of a server", async () => {
  await expect(acquireDatabase(makeProject(), {}, () => undefined)).rejects.toThrow(
    "Set the URL of a MySQL or MariaDB server: the schema has the provider mysql.",
  );
});

it("C120 describes the server without its password", async () => {
  const variables = { DATABASE_URL: "mysql://root:secret@db:3307/shop" };
  const { place, isEmbedded } = await acquireDatabase(makeProject(), variables, () => undefined);
  expect([place, isEmbedded]).toEqual(["MySQL at db:3307/shop", false]);
});

describe.skipIf(!providers.includes("mysql"))("C120 a development database of MySQL", () => {
  const files = {
    "schema.prisma": schema,
    "migrations/1_init/migration.sql": "CREATE TABLE Note (id INTEGER PRIMARY KEY);",
    "migrations/migration_lock.toml": 'provider = "mysql"\n',
  };
  const projectIn = (root: string) =>
    ({ schema: path.join(root, "schema.prisma"), migrations: path.join(root, "migrations") }) as Project;

  it("C120 receives the existing migrations, and no new one", async () => {
    const { url, run, drop } = await createEmptyMysqlDatabase();
    try {
      const project = projectIn(makeFolder(files));
      expect(await applyExisting(url, project)).toEqual({ applied: ["1_init"], isNew: true, isDeclined: false });
      expect(await applyExisting(url, project)).toEqual({ applied: [], isNew: false, isDeclined: false });
      expect(await run("SELECT * FROM Note")).toEqual([]);
      await expect(writeMigration({ project, url } as Target, "next")).rejects.toThrow(
        /does not support MySQL\. Run npx prisma migrate dev --create-only --name next instead\.$/,
      );
      expect(migrationsIn(project.migrations)).toEqual(["1_init"]);
    } finally {
      await drop();
    }
  });

  it("C120 is created if it does not exist, compares text exactly, and receives the migrations", async () => {
    const { url, run, drop } = await createEmptyMysqlDatabase();
    await drop();
    try {
      const none = projectIn(makeFolder({ "schema.prisma": schema }));
      const nothing = { applied: [], isNew: false, isDeclined: false };
      expect(await applyExisting(url, none)).toEqual({ ...nothing, isCreated: true });
      expect(await applyExisting(url, none)).toEqual(nothing);
      expect(await run("SELECT @@collation_database AS collation")).toMatchObject([
        { collation: expect.stringMatching(/_bin$/) },
      ]);
      await drop();
      const project = projectIn(makeFolder(files));
      const created = { applied: ["1_init"], isNew: true, isDeclined: false, isCreated: true };
      expect(await applyExisting(url, project)).toEqual(created);
    } finally {
      await drop();
    }
  });

  it("C120 that does not exist and that the user may not create is reported with what to do", async () => {
    const { url, run, drop } = await createEmptyMysqlDatabase();
    const { pathname } = new URL(url);
    const user = `u_${pathname.slice(-8)}`;
    try {
      await run(`CREATE USER ${user}@'%' IDENTIFIED BY 'hush'`);
      await run(`GRANT SELECT ON missing_${user}.* TO ${user}@'%'`);
      const missing = Object.assign(new URL(url), {
        ...{ username: user, password: "hush", pathname: `/missing_${user}` },
        search: "?allowPublicKeyRetrieval=true",
      });
      await expect(applyExisting(missing.href, projectIn(makeFolder(files)))).rejects.toThrow(
        /The database missing_u_\w+ does not exist and cannot be created: Access denied .* Create it with CREATE DATABASE/,
      );
    } finally {
      await run(`DROP USER IF EXISTS ${user}@'%'`);
      await drop();
    }
  });

  it("C120 is used as it is if it has no table of migrations, or the project no migrations", async () => {
    const { url, run, drop } = await createEmptyMysqlDatabase();
    try {
      await run("CREATE TABLE Note (id INTEGER PRIMARY KEY)");
      expect(await applyExisting(url, projectIn(makeFolder(files)))).toMatchObject({ applied: [], isUnmanaged: true });
      const none = projectIn(makeFolder({ "schema.prisma": schema }));
      expect(await applyExisting(url, none)).toEqual({ applied: [], isNew: false, isDeclined: false });
    } finally {
      await drop();
    }
  });

  it("C120 that cannot be migrated is reported with the server's message", async () => {
    const { url, drop } = await createEmptyMysqlDatabase();
    try {
      const broken = projectIn(makeFolder({ ...files, "migrations/1_init/migration.sql": "CREATE TABLE;" }));
      await expect(applyExisting(url, broken)).rejects.toThrow(
        /^the database: The migration 1_init failed: You have an error/,
      );
    } finally {
      await drop();
    }
  });
});
