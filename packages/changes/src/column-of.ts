import type { Model, StoredField } from "@servicekit/prisma";
import { isStored, quoteName } from "@servicekit/prisma/internal";

/** A required field of the model of changes. */
export function fieldOf({ fieldsByName, name }: Model, field: string): StoredField {
  const found = fieldsByName.get(field);
  if (found === undefined || !isStored(found)) throw new TypeError(`${name} has no field ${field}.`);
  return found;
}

/** The quoted column of a field. */
export const columnOf = (model: Model, field: string): string => quoteName(fieldOf(model, field).column);
