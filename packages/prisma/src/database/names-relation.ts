import { isPlainObject } from "@servicekit/core/internal";
import type { Model } from "../models/model.js";

/** Whether a condition of any depth goes through a relation of the model. */
export function namesRelation(where: unknown, model: Model): boolean {
  const pending = [where];
  while (pending.length > 0) {
    const next = pending.pop();
    if (Array.isArray(next)) for (const one of next) pending.push(one);
    if (!isPlainObject(next)) continue;
    for (const [name, value] of Object.entries(next)) {
      if (model.fieldsByName.get(name)?.kind === "relation") return true;
      if (/^(AND|OR|NOT)$/.test(name)) pending.push(value);
    }
  }
  return false;
}
