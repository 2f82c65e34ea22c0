import { expect, it } from "vitest";
import { markPattern } from "../providers/text-pattern.js";
import { rewriteStatement } from "./rewrite-statement.js";

const column = "`main`.`Note`.`a ? LIKE (?) ASC`";

it("C113 compares an exact pattern with GLOB, and treats its special characters as text", () => {
  const sql = `SELECT 1 FROM \`main\`.\`Note\` WHERE ${column} = ? AND ${column} NOT LIKE ('%' || ? || '%') AND ${column} > ?`;
  expect(rewriteStatement({ sql, args: [1, markPattern("exact", "a\\%b*[c]\\\\_"), 2] })).toEqual({
    sql: `SELECT 1 FROM \`main\`.\`Note\` WHERE ${column} = ? AND ${column} NOT GLOB ? AND ${column} > ?`,
    args: [1, "*a%b[*][[]c]\\?*", 2],
  });
});

it("C113 compares an insensitive pattern with LIKE and an escape character, and a whole text without wildcards", () => {
  const sql = `SELECT 1 FROM \`main\`.\`Note\` WHERE ${column} LIKE (? || '%') OR ${column} LIKE ('%' || ?) OR ${column} LIKE ('%' || ? || '%')`;
  const args = [markPattern("insensitive", "a\\_"), markPattern("insensitive", "b"), markPattern("equal", "c")];
  expect(rewriteStatement({ sql, args })).toEqual({
    sql: `SELECT 1 FROM \`main\`.\`Note\` WHERE ${column} LIKE ? ESCAPE '\\' OR ${column} LIKE ? ESCAPE '\\' OR ${column} LIKE ? ESCAPE '\\'`,
    args: ["a\\_%", "%b", "c"],
  });
});

it("C113 leaves unmarked patterns, other statements and the text of names unchanged", () => {
  const own = { sql: "SELECT a FROM b WHERE c LIKE ('%' || ?) ORDER BY `a` ASC", args: [markPattern("exact", "x")] };
  expect(rewriteStatement(own)).toEqual(own);
  const prisma = { sql: `SELECT 1 FROM \`main\`.\`Note\` WHERE ${column} LIKE (? || '%')`, args: ["x\\"] };
  expect(rewriteStatement(prisma)).toEqual(prisma);
});

it("C113 puts NULL last in ascending and first in descending order", () => {
  const sql = "SELECT 1 FROM `main`.`Note` ORDER BY `main`.`Note`.`x DESC` ASC, COUNT(`y`) DESC LIMIT ? OFFSET ?";
  expect(rewriteStatement({ sql, args: [1, 2] })).toEqual({
    sql: "SELECT 1 FROM `main`.`Note` ORDER BY `main`.`Note`.`x DESC` ASC NULLS LAST, COUNT(`y`) DESC NULLS FIRST LIMIT ? OFFSET ?",
    args: [1, 2],
  });
});
