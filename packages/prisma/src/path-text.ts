import type { Model, StoredField } from "./model.js";

/** Whether the text of a field stands alone as the id in a path. */
export function isPathText({ key }: Model, field: StoredField): boolean {
  const [only, ...others] = key?.fields ?? [];
  return others.length === 0 && only?.name === field.name && field.type === "String";
}

/**
 * Texts that are no segment of a path which names its row: the empty text is none, `.` and `..` are taken out by every
 * client (RFC 3986, section 5.2.4), and at `many`, in any letter case, stand the bulk operations. Said as what is refused:
 * many programs that make values or types of a schema know no lookahead.
 */
export const noPathText = /^(\.{0,2}|[Mm][Aa][Nn][Yy])$/;

/** What is said of such a text. */
export const pathTextRule = "An id is not empty, nor one of many, . and .., which no path can name.";
