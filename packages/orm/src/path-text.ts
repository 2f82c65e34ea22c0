import type { Model, StoredField } from "./model.js";

/** Whether the text of a field stands alone as the id in a path. */
export function isPathText({ key }: Model, field: StoredField): boolean {
  const [only, ...others] = key?.fields ?? [];
  return others.length === 0 && only?.name === field.name && field.type === "String";
}

/**
 * What a text must fit to be the segment of a path that names its row: the empty text is none, `.` and `..` are taken out
 * by every client (RFC 3986, section 5.2.4), and at `many`, in any letter case, stand the bulk operations.
 */
export const pathTextPattern = /^(?!(?:\.{1,2}|[Mm][Aa][Nn][Yy])$)[\s\S]/;

/** What is said of a text that does not fit. */
export const pathTextRule = "An id is not empty, nor one of many, . and .., which no path can name.";
