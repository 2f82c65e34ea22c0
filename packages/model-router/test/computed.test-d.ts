import type { SqlExpression } from "@servicekit/prisma";
import { expectTypeOf, it } from "vitest";
import type { ComputedSql } from "../src/index.js";

it("C102 an expression of a computed field uses only the columns of its needed fields", () => {
  const total = ({ column, sql }: ComputedSql<"price" | "amount">): SqlExpression => {
    // @ts-expect-error: not a needed field
    column("cost");
    return sql`${column("price")} * ${column("amount")} + ${1}`;
  };
  expectTypeOf(total).returns.toEqualTypeOf<SqlExpression>();
});
