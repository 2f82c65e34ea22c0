import { expect, it } from "vitest";
import { findUnsettableColumns } from "./unsupported-fields.js";

it("C64 finds the columns that a new row requires and that neither Prisma Client nor the database sets", () => {
  const schema = `model Row {
  id      Int                  @id
  point   Unsupported("point")
  maybe   Unsupported("point")?
  origin  Unsupported("point") @default(dbgenerated("'(0,0)'"))
  ignored String               @ignore
  uuid    String               @default(uuid()) @ignore
  number  Int                  @default(1) @ignore
  free    String?              @ignore
  name    String
  other   Other                @relation(fields: [number], references: [id]) @ignore
}`;
  expect([...findUnsettableColumns(schema, (type) => type !== "Other")]).toEqual([
    ["Row", ["point", "ignored", "uuid"]],
  ]);
});
