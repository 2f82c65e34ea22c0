import type { EnumField } from "./model.js";

/** The name in the database of an enum's value; `undefined` for another value. */
export const databaseValue = ({ values, databaseValues }: EnumField, value: unknown): string | undefined =>
  databaseValues[values.indexOf(value as string)];
