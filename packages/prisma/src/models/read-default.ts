import type { StoredField } from "./model.js";
import type { EnumFieldData, ScalarFieldData } from "./models-data.js";

/** A field's default with constants in the form of contract C4; `undefined` for a rounded number. */
export function readDefault(field: ScalarFieldData | EnumFieldData): StoredField["default"] {
  const from = field.default;
  if (from === undefined) return undefined;
  if ("function" in from) {
    const args = from.args && { args: Object.freeze([...from.args]) };
    return Object.freeze({ function: from.function, ...args });
  }
  const values = (Array.isArray(from.value) ? from.value : [from.value]).map((value) => toConstant(value, field.type));
  if (values.includes(undefined)) return undefined;
  return Object.freeze({ value: Array.isArray(from.value) ? Object.freeze(values) : values[0] });
}

function toConstant(value: unknown, type: string): unknown {
  switch (type) {
    case "BigInt":
      return String(value);
    case "Decimal":
      // Prisma passes decimals as numbers, which preserve up to 15 digits.
      return String(value).replaceAll(/\D/g, "").length <= 15 ? String(value) : undefined;
    case "Float":
      // Prisma rounds those with more digits in its description of the schema.
      return String(value).replace(/e.*/, "").replaceAll(/\D/g, "").length <= 15 ? value : undefined;
    case "DateTime":
      return new Date(String(value)).toISOString();
    case "Json":
      return JSON.parse(String(value));
    default:
      return value;
  }
}
