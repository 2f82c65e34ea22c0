import type { Model, Models } from "@servicekit/prisma";
import { isDecimal, isHidden, isStored, toJsonField, toJsonValue } from "@servicekit/prisma/internal";

/** A row, or the value that a hook set in its place. */
export type Row = Readonly<Record<string, unknown>>;

/**
 * Converts a row to its form in a response: hidden fields are removed at every depth (contract C11), and each value has
 * the form of contract C4. Unknown keys, such as those that a hook adds, remain.
 */
export function toJsonRow(row: Row, model: Model, models: Models): Record<string, unknown> {
  const shown: Record<string, unknown> = {};
  for (const name of Object.keys(row)) {
    const field = model.fieldsByName.get(name);
    const value = row[name];
    if (field === undefined) {
      shown[name] = toJsonValue(value);
    } else if (field.kind === "relation") {
      const related = models.get(field.type);
      if (isHidden(field) || related === undefined) continue;
      shown[name] = toJsonRows(value, related, models);
    } else if (!isHidden(field)) {
      shown[name] = isStored(field) ? toJsonField(field, value) : toJsonValue(value);
    }
  }
  return shown;
}

/**
 * The response form of a row, of rows in lists, or of anything else that a hook set in their place. An instance of any
 * class counts as a row: its hidden fields must not be returned either.
 */
export function toJsonRows(value: unknown, model: Model, models: Models): unknown {
  if (Array.isArray(value)) return value.map((item) => toJsonRows(item, model, models));
  return containsFields(value) ? toJsonRow(value, model, models) : toJsonValue(value);
}

const containsFields = (value: unknown): value is Row =>
  typeof value === "object" &&
  value !== null &&
  !(value instanceof Date) &&
  !(value instanceof Uint8Array) &&
  !isDecimal(value);
