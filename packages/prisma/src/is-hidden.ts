import type { Field } from "./model.js";

/** Whether a field never leaves the service: hidden, or only to be written (contract C11). */
export function isHidden(field: Field): boolean {
  return field.marks.hidden || field.marks.writeonly;
}
