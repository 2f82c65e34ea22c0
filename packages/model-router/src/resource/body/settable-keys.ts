import type { UniqueKey } from "@servicekit/prisma";
import type { WritableModel } from "./writable-model.js";

/** The unique keys of which bodies can set every field. */
export const settableKeys = ({ resource: { model }, fields }: WritableModel): readonly UniqueKey[] =>
  model.uniqueKeys.filter((key) => key.fields.every(({ name }) => fields.has(name)));
