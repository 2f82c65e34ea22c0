import { isHidden } from "./is-hidden.js";
import type { StoredField } from "./model.js";

/**
 * Whether a body may set a field by what the schema says of it: no hidden or read-only one, no id with a default, no time
 * stamp that is set for it (contract C11). A model's configuration can say otherwise.
 */
export function isBodyField(field: StoredField): boolean {
  if (field.marks.readonly || (isHidden(field) && !field.marks.writeonly)) return false;
  if (field.isUpdatedAt || (field.isId && field.hasDefault)) return false;
  const isNow = field.default !== undefined && "function" in field.default && field.default.function === "now";
  return !(field.type === "DateTime" && isNow);
}

/** Whether a new row can do without a value for a field: it has a default, may be NULL, or is a list. */
export const isOptionalInCreate = (field: StoredField): boolean =>
  field.hasDefault || !field.isRequired || field.isList;
