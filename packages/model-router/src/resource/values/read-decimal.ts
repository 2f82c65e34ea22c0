import { type StoredField } from "@servicekit/prisma";
import { fieldRule, withoutEnd } from "@servicekit/prisma/internal";

/** The digits of a decimal column before and after the point. */
export interface DecimalShape {
  readonly integer: number;
  readonly fraction: number;
}

/** The digits of a `Decimal` field: `@db.Decimal(p, s)`, `@db.Money`, or Prisma's default of (65, 30). */
export function decimalShape(field: StoredField): DecimalShape {
  const rule = fieldRule(field);
  if (rule.kind !== "decimal") throw new TypeError(`The field ${field.name} is not a decimal.`);
  return rule;
}

/**
 * Parses a decimal in plain notation, such as `-12.50`, into the text for the database.
 *
 * @returns `undefined` if the text is not a decimal, or has too many digits
 */
export function readDecimal(text: string, shape?: DecimalShape): string | undefined {
  const match = /^(-?)(\d{1,1000})(?:\.(\d{1,1000}))?$/.exec(text);
  if (match === null) return undefined;
  const [, sign = "", integer = "", fraction = ""] = match;
  const digits = integer.replace(/^0+(?=\d)/, "");
  const rest = withoutEnd(fraction, "0");
  if (shape !== undefined && ((digits === "0" ? 0 : digits.length) > shape.integer || rest.length > shape.fraction)) {
    return undefined;
  }
  return `${sign}${digits}${rest === "" ? "" : `.${rest}`}`;
}
