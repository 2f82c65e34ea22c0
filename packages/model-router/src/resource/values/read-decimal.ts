import { type StoredField } from "@servicekit/prisma";
import { fieldRule, withoutEnd } from "@servicekit/prisma/internal";

/** How many digits a decimal column holds before and after the point. */
export interface DecimalShape {
  readonly whole: number;
  readonly fraction: number;
}

/** The digits of a `Decimal` field: `@db.Decimal(p, s)`, `@db.Money`, or Prisma's default of (65, 30). */
export function decimalShape(field: StoredField): DecimalShape {
  const rule = fieldRule(field);
  if (rule.kind !== "decimal") throw new TypeError(`The field ${field.name} is no decimal.`);
  return rule;
}

/**
 * Reads a decimal in plain notation, such as `-12.50`, into the text that the database takes.
 *
 * @returns `undefined` when the text is no decimal, or has more digits than the shape holds
 */
export function readDecimal(text: string, shape?: DecimalShape): string | undefined {
  const match = /^(-?)(\d{1,1000})(?:\.(\d{1,1000}))?$/.exec(text);
  if (match === null) return undefined;
  const [, sign = "", whole = "", fraction = ""] = match;
  const digits = whole.replace(/^0+(?=\d)/, "");
  const rest = withoutEnd(fraction, "0");
  if (shape !== undefined && ((digits === "0" ? 0 : digits.length) > shape.whole || rest.length > shape.fraction)) {
    return undefined;
  }
  return `${sign}${digits}${rest === "" ? "" : `.${rest}`}`;
}
