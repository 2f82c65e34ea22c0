import type { Model, StoredField } from "@servicekit/prisma";
import type { DrawnRow, Values } from "./cases.js";
import { drawModel, type Material } from "./material.js";
import { drawReference, keyFields, keyOf, storedFields } from "./rows.js";
import type { RowWrite } from "./start-case.js";
import { makeValues } from "./values.js";

/** Writes of which a caller may not notice anything. */
interface Secret {
  readonly key: string;
  /** @returns `undefined` if the rows of the model do not allow it */
  draw(material: Material, model: Model, row: DrawnRow | undefined): readonly RowWrite[] | undefined;
}

const deletedAt = "2024-05-06T07:08:09.123Z";

const update = (model: Model, row: DrawnRow, values: Values): RowWrite => ({
  model: model.name,
  action: "update",
  key: keyOf(model, row.values),
  values,
});

const changeableFields = (model: Model): readonly StoredField[] =>
  storedFields(model).filter((field) => isChangeable(field) && !keyFields(model).includes(field));

const isChangeable = (field: StoredField): boolean =>
  !field.isId && !field.isForeignKey && !field.isUpdatedAt && !["tenantId", "deletedAt"].includes(field.name);

function drawValues({ draw, setup }: Material, model: Model, fields: readonly StoredField[]): Values {
  const { value } = makeValues(draw, setup.provider);
  const selection = fields.filter(() => draw.chance(0.4));
  const some = selection.length > 0 ? selection : [draw.pick(fields)];
  return Object.fromEntries(
    some.map((field) => [
      field.name,
      field.isForeignKey ? drawReference(draw, model, field, setup.rows) : value(field),
    ]),
  );
}

const before = (row: DrawnRow, values: Values): Values =>
  Object.fromEntries(Object.keys(values).map((name) => [name, row.values[name] ?? null]));

/** A row with a key that no other row has. */
function drawNewRow(material: Material, model: Model): RowWrite | undefined {
  const { draw, setup } = material;
  const { value, pool } = makeValues(draw, setup.provider);
  const keys = setup.rows
    .filter((row) => row.model === model.name)
    .map((row) => JSON.stringify(keyOf(model, row.values)).toLowerCase());
  const key = Object.fromEntries(
    keyFields(model).map((field) => [
      field.name,
      field.hasDefault
        ? 500 + draw.below(400)
        : field.isForeignKey
          ? drawReference(draw, model, field, setup.rows)
          : draw.pick(pool(field, true)),
    ]),
  );
  const isTaken = keys.includes(JSON.stringify(key).toLowerCase());
  if (isTaken || Object.values(key).includes(undefined)) return undefined;
  const values = Object.fromEntries(
    storedFields(model)
      .filter((field) => !field.isId && !(field.name in key) && !field.isUpdatedAt && field.name !== "deletedAt")
      .map((field) => [
        field.name,
        field.isForeignKey
          ? drawReference(draw, model, field, setup.rows)
          : field.isUnique && !field.isRequired
            ? null
            : value(field),
      ]),
  );
  return Object.values(values).includes(undefined) ? undefined : { model: model.name, action: "create", key, values };
}

const withValues = (write: RowWrite | undefined, values: Values): readonly RowWrite[] | undefined =>
  write === undefined ? undefined : [{ ...write, values: { ...write.values, ...values } }];

/** To add one, add its record. */
const secrets: readonly Secret[] = [
  {
    key: "an old state",
    draw: (material, model, row) => {
      if (row === undefined) return undefined;
      const values = drawValues(material, model, changeableFields(model));
      return [update(model, row, values), update(model, row, before(row, values))];
    },
  },
  {
    key: "an old deletion",
    draw: (_, model, row) =>
      row === undefined || (row.values.deletedAt ?? null) !== null
        ? undefined
        : [update(model, row, { deletedAt }), update(model, row, { deletedAt: null })],
  },
  {
    key: "a row that was deleted",
    draw: (material, model) => {
      const write = drawNewRow(material, model);
      return write === undefined ? undefined : [write, { model: model.name, action: "delete", key: write.key }];
    },
  },
  { key: "a deleted row", draw: (material, model) => withValues(drawNewRow(material, model), { deletedAt }) },
  {
    key: "a row of another tenant",
    draw: (material, model) => withValues(drawNewRow(material, model), { tenantId: material.draw.pick([1, 2, 3]) }),
  },
  {
    key: "a hidden value",
    draw: (material, model, row) => {
      const fields = storedFields(model).filter(({ annotations }) => annotations.hidden);
      return row === undefined || fields.length === 0
        ? undefined
        : [update(model, row, drawValues(material, model, fields))];
    },
  },
  {
    key: "any value",
    draw: (material, model, row) =>
      row === undefined ? undefined : [update(model, row, drawValues(material, model, changeableFields(model)))],
  },
];

/** Draws a group of writes. */
export function drawSecret(material: Material): readonly RowWrite[] {
  const { draw, setup } = material;
  for (;;) {
    const model = drawModel(material);
    const rows = setup.rows.filter((row) => row.model === model.name);
    const writes = draw.pick(secrets).draw(material, model, rows.length === 0 ? undefined : draw.pick(rows));
    if (writes !== undefined) return writes;
  }
}
