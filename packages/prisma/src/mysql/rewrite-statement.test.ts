import { expect, it } from "vitest";
import { markPattern } from "../providers/text-pattern.js";
import { mariadbJsonEqual, mysqlJsonEqual, rewriteStatement } from "./rewrite-statement.js";

const column = "`shop`.`Note`.`a ? LIKE (?) ASC`";

function rewrite(sql: string, args: unknown[], jsonEqual = mariadbJsonEqual) {
  const argTypes = args.map((_, index) => index);
  return rewriteStatement({ sql, args, argTypes }, "`shop`.", jsonEqual);
}

it("C119 compares the lower-case letters of a marked pattern, and a whole text without wildcards", () => {
  const sql = `SELECT 1 FROM \`shop\`.\`Note\` WHERE ${column} = ? AND ${column} LIKE CONCAT('%', ?, '%') AND ${column} NOT LIKE CONCAT(?, '%') AND ${column} LIKE CONCAT('%', ?) AND ${column} > ?`;
  const marked = [markPattern("insensitive", "a\\%"), markPattern("equal", "b"), markPattern("exact", "c")];
  expect(rewrite(sql, [1, ...marked, 2])).toEqual({
    sql: `SELECT 1 FROM \`shop\`.\`Note\` WHERE ${column} = ? AND LOWER(${column}) LIKE LOWER(CONCAT('%', ?, '%')) AND LOWER(${column}) NOT LIKE LOWER(?) AND ${column} LIKE CONCAT('%', ?) AND ${column} > ?`,
    args: [1, "a\\%", "b", "c", 2],
    argTypes: [0, 1, 2, 3, 4],
  });
});

it("C119 compares a JSON value as a whole, once", () => {
  const sql = `SELECT 1 FROM \`shop\`.\`Note\` WHERE (JSON_CONTAINS(${column}, ?) AND JSON_CONTAINS(?, ${column})) OR (NOT JSON_CONTAINS(${column}, ?) OR NOT JSON_CONTAINS(?, ${column})) LIMIT ?`;
  expect(rewrite(sql, ["1", "1", "2", "2", 3])).toEqual({
    sql: `SELECT 1 FROM \`shop\`.\`Note\` WHERE (JSON_NORMALIZE(${column}) = JSON_NORMALIZE(?)) OR (NOT (JSON_NORMALIZE(${column}) = JSON_NORMALIZE(?))) LIMIT ?`,
    args: ["1", "2", 3],
    argTypes: [0, 2, 4],
  });
  expect(rewrite(sql, ["1", "1", "2", "2", 3], mysqlJsonEqual).sql).toBe(
    `SELECT 1 FROM \`shop\`.\`Note\` WHERE (${column} = CAST(? AS JSON)) OR (NOT (${column} = CAST(? AS JSON))) LIMIT ?`,
  );
});

it("C119 puts the NULL of an aggregate and of a missing row last in ascending order", () => {
  const sql =
    "SELECT 1 FROM `shop`.`Note` ORDER BY SUM(`x`) ASC, `orderby_1`.`full name` DESC, `shop`.`Note`.`id` ASC LIMIT ?";
  expect(rewrite(sql, [1]).sql).toBe(
    "SELECT 1 FROM `shop`.`Note` ORDER BY ISNULL(SUM(`x`)) ASC, SUM(`x`) ASC, ISNULL(`orderby_1`.`full name`) DESC, `orderby_1`.`full name` DESC, `shop`.`Note`.`id` ASC LIMIT ?",
  );
});

it("C119 leaves statements of other origin unchanged", () => {
  const query = {
    sql: "SELECT a FROM b WHERE `c` LIKE CONCAT('%', ?) ORDER BY SUM(`a`) ASC",
    args: [1],
    argTypes: [0],
  };
  expect(rewriteStatement(query, "`shop`.", mariadbJsonEqual)).toBe(query);
});
