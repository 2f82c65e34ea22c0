import { expect, it } from "vitest";
import { editGuard, emptyMigration, needsEdit, prepareEdit } from "../src/database/prepare-edit.js";

it("C73 a migration to be edited fails until its first line is removed", () => {
  const sql = prepareEdit('CREATE TABLE "A" ();\n');
  expect(sql).toBe(`${editGuard}\n\nCREATE TABLE "A" ();\n`);
  expect([needsEdit(sql), needsEdit('CREATE TABLE "A" ();')]).toEqual([true, false]);
});

it.each(["postgresql", "sqlite", "mysql"] as const)("C73 an empty migration of %s has to be edited", (provider) => {
  expect(needsEdit(emptyMigration(provider))).toBe(true);
});

it("C73 a migration to be edited has a default for existing rows in each required column", () => {
  const sql = `ALTER TABLE "Post" ADD COLUMN     "price" DECIMAL(10,2) NOT NULL,
ADD COLUMN     "text" TEXT,
ADD COLUMN     "size" INTEGER NOT NULL DEFAULT 1;
`;
  expect(prepareEdit(sql)).toBe(`${editGuard}

ALTER TABLE "Post" ADD COLUMN     "price" DECIMAL(10,2) NOT NULL DEFAULT '<value of existing rows>',
ADD COLUMN     "text" TEXT,
ADD COLUMN     "size" INTEGER NOT NULL DEFAULT 1;

-- The default is only for existing rows.
ALTER TABLE "Post" ALTER COLUMN "price" DROP DEFAULT;
`);
});

it("C73 a default of existing rows is dropped in the schema of its table", () => {
  expect(prepareEdit('ALTER TABLE "blog"."Post" ADD COLUMN     "size" INTEGER NOT NULL;\n')).toContain(
    'ALTER TABLE "blog"."Post" ALTER COLUMN "size" DROP DEFAULT;',
  );
});
