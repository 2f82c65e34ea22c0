import { isPlainObject } from "@servicekit/core/internal";
import type { Model } from "../models/model.js";

/** Whether a condition goes through a relation of the model. */
export function namesRelation(where: unknown, model: Model): boolean {
  if (Array.isArray(where)) return where.some((one) => namesRelation(one, model));
  if (!isPlainObject(where)) return false;
  return Object.entries(where).some(
    ([name, value]) =>
      model.fieldsByName.get(name)?.kind === "relation" || (/^(AND|OR|NOT)$/.test(name) && namesRelation(value, model)),
  );
}
