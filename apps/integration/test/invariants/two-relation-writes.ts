import type { Model, RelationField } from "@servicekit/prisma";
import type { DrawnRow, Values } from "./cases.js";
import { type DrawnCall, type Material, rowPath } from "./material.js";
import { keyOf, relationFields } from "./rows.js";
import type { WritePath } from "./writes.js";

/** A relation of another row that contains a row, with the key of the other row. */
interface Above {
  readonly relation: RelationField;
  readonly parent: Model;
  readonly row: DrawnRow;
}

/** The stored rows above a row, by its foreign keys. */
function aboveOf({ models, setup }: Material, model: Model, values: Values): readonly Above[] {
  return relationFields(model, models).flatMap(({ type, relation: { fields, references, opposite } }) => {
    const parent = models.get(type) as Model;
    const relation = parent.fieldsByName.get(opposite ?? "");
    const [foreignKey = "", name = ""] = [fields[0], references[0]];
    const row = setup.rows.find((one) => one.model === type && one.values[name] === values[foreignKey]);
    return relation?.kind !== "relation" || foreignKey === "" || row === undefined ? [] : [{ relation, parent, row }];
  });
}

const member = (relation: RelationField, item: Values): Values => ({
  [relation.name]: relation.isList ? [item] : item,
});

/** The foreign keys that a relation of the other row sets. */
const settledBy = (model: Model, { relation }: RelationField): readonly string[] => {
  const opposite = model.fieldsByName.get(relation.opposite ?? "");
  return opposite?.kind === "relation" ? opposite.relation.fields : [];
};

/** The part of a key that a relation of the other row does not set. */
const keyBelow = (model: Model, row: Values, relation: RelationField): Values =>
  Object.fromEntries(Object.entries(keyOf(model, row)).filter(([name]) => !settledBy(model, relation).includes(name)));

/** The stored row with a key. */
const storedRow = ({ setup }: Material, model: Model, key: Values): Values | undefined =>
  setup.rows.find((row) => row.model === model.name && JSON.stringify(keyOf(model, row.values)) === JSON.stringify(key))
    ?.values;

/**
 * A write of a row through two relations, as an item of a row that is an item.
 *
 * @param values the foreign keys of the row
 * @param itemOf makes the item of a relation that sets some of its fields
 * @returns `undefined` if there are no two rows above it
 */
function throughTwoRelations(
  material: Material,
  model: Model,
  values: Values,
  itemOf: (settled: readonly string[]) => Values | undefined,
): DrawnCall | undefined {
  const above = aboveOf(material, model, values);
  if (above.length === 0) return undefined;
  const { relation, parent, row } = material.draw.pick(above);
  const grandparents = aboveOf(material, parent, row.values);
  const item = itemOf(settledBy(model, relation));
  if (grandparents.length === 0 || item === undefined) return undefined;
  const top = material.draw.pick(grandparents);
  const middle = { ...keyBelow(parent, row.values, top.relation), ...member(relation, item) };
  return {
    method: "PATCH",
    target: rowPath(top.parent, keyOf(top.parent, top.row.values)),
    body: member(top.relation, middle),
  };
}

const without = (values: Values, names: readonly string[]): Values =>
  Object.fromEntries(Object.entries(values).filter(([name]) => !names.includes(name)));

/** The paths through two relations. */
export const twoRelationWrites: readonly WritePath[] = [
  {
    key: "create through two relations",
    actions: ["create"],
    toCall: ({ values }, model, material) =>
      throughTwoRelations(material, model, values, (settled) => without(values, settled)),
  },
  {
    key: "update through two relations",
    actions: ["update"],
    toCall: ({ key, values }, model, material) =>
      throughTwoRelations(material, model, storedRow(material, model, key) ?? {}, (settled) =>
        settled.some((name) => name in values) ? undefined : { ...without(key, settled), ...values },
      ),
  },
  {
    key: "delete through two relations",
    actions: ["delete"],
    toCall: ({ key }, model, material) =>
      // A soft delete in a body ends the relation too.
      material.has("softDelete", model)
        ? undefined
        : throughTwoRelations(material, model, storedRow(material, model, key) ?? {}, (settled) => ({
            $delete: true,
            ...without(key, settled),
          })),
  },
];
