import { isPlainObject } from "@servicekit/core/internal";
import type { Model, Models } from "@servicekit/prisma";
import { hopCost } from "../filter/cost.js";
import type { Resource, Resources } from "../resource.js";
import type { Select } from "../shown.js";

/**
 * The cost of the relations of a `select`, in the units of {@link filterCost}: 2 for each to-one and 4 for each to-many
 * relation, multiplied along nested relations (contract C59).
 */
export function includeCost(select: Select, model: Model, models: Models): number {
  let cost = 0;
  for (const [name, value] of Object.entries(select)) {
    const field = model.fieldsByName.get(name);
    const related = field?.kind === "relation" ? models.get(field.type) : undefined;
    if (field === undefined || related === undefined || value === false) continue;
    const inner = isPlainObject(value) && isPlainObject(value.select) ? includeCost(value.select, related, models) : 0;
    cost += hopCost(field) * (1 + inner);
  }
  return cost;
}

/** The number of to-one relations that a `select` joins to the rows themselves. */
export function includedJoins(select: Select, { model }: Resource, resources: Resources): number {
  let joins = 0;
  for (const [name, value] of Object.entries(select)) {
    const field = model.fieldsByName.get(name);
    const related = field?.kind === "relation" && !field.isList ? resources.get(field.type) : undefined;
    if (related === undefined || value === false) continue;
    const inner = isPlainObject(value) && isPlainObject(value.select) ? value.select : {};
    joins += 1 + includedJoins(inner, related, resources);
  }
  return joins;
}
