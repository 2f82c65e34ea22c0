import fs from "node:fs";
import os from "node:os";
import path from "node:path";
import { afterAll, describe, expect, it } from "vitest";
import { modelsDataOf } from "../../../scripts/test/generate-fixtures.js";
import {
  createEmptyMysqlDatabase,
  createMysqlDatabase,
  type MysqlDatabase,
  mysqlKind,
} from "../../../scripts/test/mysql-database.js";
import { providers } from "../../../scripts/test/provider-database.js";
import { applyMigrations } from "../../dev-database/src/index.js";
import { readModels } from "../../prisma/src/index.js";
import { answersTo } from "../src/answers.js";
import { type Answers, createProject } from "../src/index.js";

const place = fs.mkdtempSync(path.join(os.tmpdir(), "servicekit-mysql-project-"));
afterAll(() => fs.rmSync(place, { recursive: true, force: true }));

const combinations = answersTo("schema").flatMap((schema) =>
  answersTo("authentication").map(
    (authentication) => ({ schema, authentication }) as Pick<Answers, "schema" | "authentication">,
  ),
);

/** The columns, indexes and foreign keys of the tables, except those of Prisma. */
async function tablesIn({ run }: MysqlDatabase): Promise<readonly (readonly unknown[])[]> {
  const own = "TABLE_SCHEMA = DATABASE() AND TABLE_NAME <> '_prisma_migrations'";
  return Promise.all([
    run(`SELECT TABLE_NAME, COLUMN_NAME, COLUMN_TYPE, IS_NULLABLE, COLUMN_DEFAULT, EXTRA, COLLATION_NAME
      FROM information_schema.COLUMNS WHERE ${own} ORDER BY TABLE_NAME, ORDINAL_POSITION`),
    run(`SELECT TABLE_NAME, INDEX_NAME, NON_UNIQUE, SEQ_IN_INDEX, COLUMN_NAME
      FROM information_schema.STATISTICS WHERE ${own} ORDER BY TABLE_NAME, INDEX_NAME, SEQ_IN_INDEX`),
    run(`SELECT TABLE_NAME, CONSTRAINT_NAME, REFERENCED_TABLE_NAME, UPDATE_RULE, DELETE_RULE
      FROM information_schema.REFERENTIAL_CONSTRAINTS WHERE CONSTRAINT_SCHEMA = DATABASE() ORDER BY TABLE_NAME, CONSTRAINT_NAME`),
  ]);
}

describe.skipIf(!providers.includes("mysql"))("C117 the first migration of a new project on MySQL", () => {
  it.each(combinations)(
    "creates the tables of the models of $schema with $authentication accounts",
    async (answers) => {
      const migrated = await createEmptyMysqlDatabase();
      const database = await mysqlKind();
      const directory = path.join(place, Object.values(answers).join("-"));
      createProject({ directory, ...answers, database });
      const schema = fs.readFileSync(path.join(directory, "prisma/schema.prisma"), "utf8");
      const created = await createMysqlDatabase(readModels(modelsDataOf([["schema.prisma", schema]])));
      try {
        const applied = await applyMigrations(migrated.url, path.join(directory, "prisma/migrations"));
        expect(applied).toEqual([expect.stringMatching(/^\d{14}_init$/)]);
        expect(await tablesIn(migrated)).toEqual(await tablesIn(created));
      } finally {
        await migrated.drop();
        await created.drop();
      }
    },
  );
});
