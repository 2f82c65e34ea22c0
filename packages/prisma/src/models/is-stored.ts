import type { Field, StoredField } from "./model.js";

/** Whether a field is a column of a type that Prisma supports. */
export const isStored = (field: Field): field is StoredField => field.kind === "scalar" || field.kind === "enum";
