import type { SettableKey } from "../key.js";
import type { WritableModel } from "./writable-model.js";

/** The unique keys of which bodies can set every field, or the service sets it. */
export const settableKeys = ({ resource: { model }, fields, newNames }: WritableModel): readonly SettableKey[] =>
  model.uniqueKeys.flatMap((key) => {
    const names = key.fields.map(({ name }) => name).filter((name) => !newNames.has(name));
    return names.length > 0 && names.every((name) => fields.has(name)) ? [{ key, names }] : [];
  });
