import type { SqlLink, TextRow } from "../database/sql-link.js";
import type { Row } from "../queries/query-args.js";
import { columnToValue, rowsOf } from "./column-text.js";
import { isListed, type Shape } from "./shape.js";

/** The same row as Prisma would return it. */
export function rowToValues(shape: Shape, row: TextRow, decimal: SqlLink["decimal"]): Row {
  const values: Record<string, unknown> = {};
  for (const member of shape) {
    const text = row[member.at];
    if (text === null || text === undefined) values[member.name] = isListed(member) ? [] : null;
    else if (member.kind === "column") values[member.name] = columnToValue(member.field, member.form, text, decimal);
    else if (member.kind === "one") values[member.name] = rowToValues(member.shape, row, decimal);
    else values[member.name] = rowsOf(text).map((inner) => rowToValues(member.shape, inner, decimal));
  }
  return values;
}
