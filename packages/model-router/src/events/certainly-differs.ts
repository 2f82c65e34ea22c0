import type { Condition, Filter } from "@servicekit/prisma/internal";
import type { Row } from "../resource/values/to-json.js";

/**
 * Whether a recorded state certainly does not match a filter, decided without the database: by the equality of whole numbers and
 * of texts. Most callers of a row rule such as `{ ownerId }` need no query for the changes of others.
 */
export function certainlyDiffers(filter: Filter, state: Row): boolean {
  switch (filter.kind) {
    case "all":
      return filter.filters.some((one) => certainlyDiffers(one, state));
    case "any":
      return filter.filters.every((one) => certainlyDiffers(one, state));
    case "condition":
      return isUnequal(filter, state);
    default:
      return false;
  }
}

function isUnequal({ field, operator, operand }: Condition, state: Row): boolean {
  if (field.isList || !Object.hasOwn(state, field.name)) return false;
  const value = state[field.name];
  const operands =
    operator === "equals" ? [operand] : operator === "in" && Array.isArray(operand) ? operand : undefined;
  if (operands === undefined) return false;
  if (value === null) return !operands.includes(null);
  switch (field.type) {
    case "Int":
    case "BigInt":
      return isNumeral(value) && operands.every((one) => isNumeral(one) && String(one) !== String(value));
    case "String":
      return typeof value === "string" && operands.every((one) => typeof one === "string" && fold(one) !== fold(value));
    default:
      return false;
  }
}

const isNumeral = (value: unknown): boolean =>
  typeof value === "bigint" || Number.isSafeInteger(value) || (typeof value === "string" && /^-?\d+$/.test(value));

/** Equal for texts that any collation or type, such as that of UUIDs, treats as equal. */
const fold = (text: string): string =>
  text
    .normalize("NFKD")
    .toUpperCase()
    .toLowerCase()
    .replace(/[^\p{L}\p{N}]/gu, "");
