import type { StoredField } from "./model.js";

/** Whether the column has single precision: `@db.Real` of PostgreSQL, `@db.Float` of MySQL. */
export const isSinglePrecision = ({ type, nativeType }: StoredField): boolean =>
  type === "Float" && (nativeType?.name === "Real" || nativeType?.name === "Float");
