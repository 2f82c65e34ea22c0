import { isHidden } from "./is-hidden.js";
import type { StoredField } from "./model.js";

/**
 * Whether a body may set a field, by the schema: no hidden or read-only field, no id with a default, no automatic
 * timestamp (contract C11). A model's configuration can override this.
 */
export function isBodyField(field: StoredField): boolean {
  if (field.annotations.readonly || (isHidden(field) && !field.annotations.writeonly)) return false;
  if (field.isUpdatedAt || (field.isId && field.hasDefault)) return false;
  const isNow = field.default !== undefined && "function" in field.default && field.default.function === "now";
  return !(field.type === "DateTime" && isNow);
}

/** Whether a new row needs no value for a field: it has a default, is optional, or is a list. */
export const isOptionalInCreate = (field: StoredField): boolean =>
  field.hasDefault || !field.isRequired || field.isList;
