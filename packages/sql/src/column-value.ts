import type { EnumField, Row, SqlLink, TextRow } from "@servicekit/orm";
import { dayOf, enumName, instantOf, listItems, rowsOf } from "./column-text.js";
import { isListed, type Member, type Shape } from "./shape.js";

/** The same row as Prisma would give it. */
export function rowToValues(shape: Shape, row: TextRow, decimal: SqlLink["decimal"]): Row {
  const values: Record<string, unknown> = {};
  for (const member of shape) {
    const text = row[member.at];
    if (text === null || text === undefined) values[member.name] = isListed(member) ? [] : null;
    else if (member.kind === "column") values[member.name] = columnToValue(member, text, decimal);
    else if (member.kind === "one") values[member.name] = rowToValues(member.shape, row, decimal);
    else values[member.name] = rowsOf(text).map((inner) => rowToValues(member.shape, inner, decimal));
  }
  return values;
}

function columnToValue(
  { field, form }: Extract<Member, { kind: "column" }>,
  text: string,
  decimal: SqlLink["decimal"],
): unknown {
  switch (form) {
    case "text":
    case "padded":
      return text;
    case "enum":
      return enumName(field as EnumField, text);
    case "integer":
    case "float":
      return Number(text);
    case "bigint":
      return BigInt(text);
    case "decimal":
      return decimal(text);
    case "boolean":
      return text.charCodeAt(0) === 116;
    case "timestamp":
      return instantOf(text);
    case "date":
      return dayOf(text);
    case "bytes":
      return new Uint8Array(Buffer.from(text, "hex"));
    case "json":
      return JSON.parse(text);
    case "list":
      return listItems(field, text);
  }
}
