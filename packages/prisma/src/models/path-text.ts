import type { Model, StoredField } from "./model.js";

/** Whether a text field alone is the id in a path. */
export function isPathText({ key }: Model, field: StoredField): boolean {
  const [only, ...others] = key?.fields ?? [];
  return others.length === 0 && only?.name === field.name && field.type === "String";
}

/**
 * Texts that cannot be the path segment of a row: the empty text, `.` and `..`, which every client resolves (RFC 3986,
 * section 5.2.4), and `many` in any case, the path of the bulk operations. Expressed as a negation, because many code
 * generators do not support lookaheads.
 */
export const noPathText = /^(\.{0,2}|[Mm][Aa][Nn][Yy])$/;

/** The message for such a text. */
export const pathTextRule = 'An id must not be empty, "many", "." or "..", which paths cannot contain.';
