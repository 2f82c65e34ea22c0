import type { Field } from "./model.js";

/** Whether a field never leaves the service: hidden, or write-only (contract C11). */
export function isHidden(field: Pick<Field, "annotations">): boolean {
  return field.annotations.hidden || field.annotations.writeonly;
}
