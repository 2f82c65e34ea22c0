import type { Model } from "@servicekit/prisma";
import type { Values } from "./cases.js";
import { type Material, rowPath } from "./material.js";
import { isManyToMany, keyText, relationFields } from "./rows.js";
import type { WritePath } from "./writes.js";

/** A change of the links of an implicit many-to-many relation; `undefined` for a model without one. */
export function drawLinkChange({ draw, models, key }: Material, model: Model): Values | undefined {
  const relations = relationFields(model, models).filter((field) => isManyToMany(field, models));
  if (relations.length === 0) return undefined;
  const { name, type } = draw.pick(relations);
  const linked = key(models.get(type) as Model);
  return { [name]: [draw.chance(0.3) ? { $disconnect: true, ...linked } : linked] };
}

/** A change of one foreign key, by another unique key of the referenced row. */
export const connectByUniqueKey: WritePath = {
  key: "connect by another unique key",
  actions: ["update"],
  toCall: ({ key, values }, model, { draw, models, setup }) => {
    const [[name = "", reference] = [], ...more] = Object.entries(values);
    const relation = relationFields(model, models).find(({ relation: { fields } }) => fields[0] === name);
    if (more.length > 0 || relation === undefined) return undefined;
    const related = models.get(relation.type) as Model;
    const [referenced = ""] = relation.relation.references;
    const row = setup.rows.find((one) => one.model === related.name && one.values[referenced] === reference);
    const uniques = related.uniqueKeys.filter(
      ({ name: unique, fields }) =>
        unique !== related.key?.name && fields.every((field) => (row?.values[field.name] ?? null) !== null),
    );
    if (uniques.length === 0) return undefined;
    const unique = draw.pick(uniques).fields.map((field) => [field.name, row?.values[field.name]]);
    return { method: "PATCH", target: rowPath(model, key), body: { [relation.name]: Object.fromEntries(unique) } };
  },
};

/** A deletion of the only row of a relation, which the body does not name. */
export const deleteRelated: WritePath = {
  key: "delete of the only related row",
  actions: ["delete"],
  toCall: ({ key }, model, material) => {
    const { models, setup } = material;
    const row = setup.rows.find(
      (one) => one.model === model.name && keyText(model, one.values) === keyText(model, key),
    );
    const calls = relationFields(model, models).flatMap(({ type, relation: { fields, references, opposite } }) => {
      const parent = models.get(type) as Model;
      const relation = parent.fieldsByName.get(opposite ?? "");
      const reference = row?.values[fields[0] ?? ""] ?? null;
      if (relation?.kind !== "relation" || relation.isList || reference === null) return [];
      const target = rowPath(parent, { [references[0] ?? ""]: reference });
      return [{ method: "PATCH", target, body: { [relation.name]: { $delete: true } } }];
    });
    // A soft delete in a body ends the relation too.
    return calls.length === 0 || material.has("softDelete", model) ? undefined : material.draw.pick(calls);
  },
};
