import type { Model, RelationField } from "@servicekit/prisma";
import type { DrawnRow, Values } from "./cases.js";
import { featureValue } from "./features.js";
import { drawFilter, quoted } from "./filters.js";
import { toCsv, toForm, toLines } from "./import-files.js";
import { connectByUniqueKey, deleteRelated, drawLinkChange } from "./link-writes.js";
import { type DrawnCall, drawModel, type Material, pathOf, query, rowPath } from "./material.js";
import { callTool, keyValue } from "./reads.js";
import { keyFields, keyOf, relationFields } from "./rows.js";
import { twoRelationWrites } from "./two-relation-writes.js";

/** What a write does to one row, on whatever path. */
export interface Intent {
  readonly action: "create" | "update" | "delete" | "restore";
  readonly model: string;
  /** The key, also of a new row whose key the body sets. */
  readonly key: Values;
  /** The fields of the body, without the key of an existing row. */
  readonly values: Values;
}

/** A path on which callers write rows. To add one, add its record to {@link writes}. */
export interface WritePath {
  readonly key: string;
  readonly actions: readonly Intent["action"][];
  /** The feature of the model that the path requires. */
  readonly feature?: string;
  /** @returns `undefined` if the path cannot express the intent */
  toCall(intent: Intent, model: Model, material: Material): DrawnCall | undefined;
}

const json = (method: string, target: string, body?: unknown): DrawnCall => ({
  method,
  target,
  ...(body === undefined ? {} : { body }),
});

/** The route of the row itself, to which the other paths are compared. */
export function directCall({ action, key, values }: Intent, model: Model): DrawnCall {
  const calls: Readonly<Record<Intent["action"], () => DrawnCall>> = {
    create: () => json("POST", pathOf(model), values),
    update: () => json("PATCH", rowPath(model, key), values),
    delete: () => json("DELETE", rowPath(model, key)),
    restore: () => json("POST", `${rowPath(model, key)}/restore`),
  };
  return calls[action]();
}

/** The filter of a row, sometimes with a second condition, which it may not meet. */
const filterOf = (model: Model, key: Values, material: Material): string =>
  query([
    ...keyFields(model).map(({ name }) => [`${name}__equals`, quoted(key[name])] as const),
    ...(material.draw.chance(0.4) ? [drawFilter(material, model)] : []),
  ]);

const file = (model: Model, type: string, body: string, more = ""): DrawnCall => ({
  method: "POST",
  target: `${pathOf(model)}/many${more}`,
  headers: { "content-type": type },
  body,
});

/** The relations of other rows through which a row is written, with the key of the other row. */
function parentsOf(model: Model, values: Values, { models }: Material) {
  return relationFields(model, models).flatMap((relation) => {
    const parent = models.get(relation.type) as Model;
    const opposite = parent.fieldsByName.get(relation.relation.opposite ?? "") as RelationField | undefined;
    const [foreignKey = ""] = relation.relation.fields;
    const reference = values[foreignKey];
    if (opposite === undefined || foreignKey === "" || reference === null || reference === undefined) return [];
    const [name = ""] = relation.relation.references;
    const { [foreignKey]: _, ...rest } = values;
    return [{ relation, opposite, parent, parentKey: { [name]: reference }, rest }];
  });
}

const rowOf = ({ setup }: Material, model: Model, key: Values): DrawnRow | undefined =>
  setup.rows.find(
    (row) => row.model === model.name && JSON.stringify(keyOf(model, row.values)) === JSON.stringify(key),
  );

/** A list, or the only related row. */
const member = (relation: RelationField, item: unknown): unknown => (relation.isList ? [item] : item);

export const writes: readonly WritePath[] = [
  {
    key: "bulk create",
    actions: ["create"],
    toCall: ({ values }, model) => json("POST", `${pathOf(model)}/many`, [values]),
  },
  {
    key: "import of CSV",
    actions: ["create"],
    feature: "import",
    toCall: ({ values }, model) => file(model, "text/csv", toCsv([values])),
  },
  {
    key: "import of JSON lines",
    actions: ["create"],
    feature: "import",
    toCall: ({ values }, model) => file(model, "application/x-ndjson", toLines([values])),
  },
  {
    key: "upsert by the key",
    actions: ["create"],
    feature: "upsert",
    toCall: ({ key, values }, model) => {
      const rest = Object.fromEntries(Object.entries(values).filter(([name]) => !(name in key)));
      return Object.keys(key).length === 0 ? undefined : json("PUT", rowPath(model, key), rest);
    },
  },
  {
    key: "bulk upsert",
    actions: ["create"],
    feature: "upsert",
    toCall: ({ values }, model, { draw }) => {
      const keys = model.uniqueKeys.filter(({ fields }) => fields.every(({ name }) => (values[name] ?? null) !== null));
      if (keys.length === 0) return undefined;
      const names = draw.pick(keys).fields.map(({ name }) => name);
      return json("POST", `${pathOf(model)}/many?onConflict=${names.join()}`, [values]);
    },
  },
  {
    key: "create through a relation",
    actions: ["create"],
    toCall: ({ values }, model, material) => {
      const parents = parentsOf(model, values, material).filter((one) => one.opposite.isList);
      if (parents.length === 0) return undefined;
      const { opposite, parent, parentKey, rest } = material.draw.pick(parents);
      return json("PATCH", rowPath(parent, parentKey), { [opposite.name]: member(opposite, rest) });
    },
  },
  {
    key: "bulk update by key",
    actions: ["update"],
    toCall: ({ key, values }, model) =>
      json("PATCH", `${pathOf(model)}/many`, [{ id: keyValue(model, key), ...values }]),
  },
  {
    key: "bulk update by filter",
    actions: ["update"],
    toCall: ({ key, values }, model, material) =>
      json("PATCH", `${pathOf(model)}/many${filterOf(model, key, material)}`, values),
  },
  {
    key: "update through a relation",
    actions: ["update"],
    toCall: ({ key, values }, model, material) => {
      const row = rowOf(material, model, key);
      const parents = row === undefined ? [] : parentsOf(model, row.values, material);
      if (parents.length === 0) return undefined;
      const { opposite, parent, parentKey, relation } = material.draw.pick(parents);
      const [foreignKey = ""] = relation.relation.fields;
      // An item names its row by the key, so that it cannot change it.
      if (foreignKey in values || Object.keys(values).some((name) => name in key)) return undefined;
      const { [foreignKey]: _, ...keyBelow } = key;
      return json("PATCH", rowPath(parent, parentKey), {
        [opposite.name]: member(opposite, { ...keyBelow, ...values }),
      });
    },
  },
  {
    key: "connect by the own relation",
    actions: ["update"],
    toCall: ({ key, values }, model, material) => {
      const [name = "", ...more] = Object.keys(values);
      const parent = parentsOf(model, values, material).find(({ relation }) => relation.relation.fields[0] === name);
      if (more.length > 0 || parent === undefined) return undefined;
      return json("PATCH", rowPath(model, key), { [parent.relation.name]: parent.parentKey });
    },
  },
  {
    key: "connect by the relation of the other row",
    actions: ["update"],
    toCall: ({ key, values }, model, material) => {
      const [name = "", ...more] = Object.keys(values);
      const parent = parentsOf(model, values, material).find(({ relation }) => relation.relation.fields[0] === name);
      // A one-to-one relation releases its previous row.
      if (more.length > 0 || parent === undefined || !parent.opposite.isList) return undefined;
      return json("PATCH", rowPath(parent.parent, parent.parentKey), {
        [parent.opposite.name]: member(parent.opposite, key),
      });
    },
  },
  {
    key: "disconnect by the relation of the other row",
    actions: ["update"],
    toCall: ({ key, values }, model, material) => {
      const [name = "", ...more] = Object.keys(values);
      if (more.length > 0 || values[name] !== null) return undefined;
      const row = rowOf(material, model, key);
      const parent = parentsOf(model, row?.values ?? {}, material).find(
        ({ relation }) => relation.relation.fields[0] === name,
      );
      if (parent === undefined) return undefined;
      const { opposite } = parent;
      return json("PATCH", rowPath(parent.parent, parent.parentKey), {
        [opposite.name]: opposite.isList ? [{ $disconnect: true, ...key }] : null,
      });
    },
  },
  {
    key: "delete through a relation",
    actions: ["delete"],
    toCall: ({ key }, model, material) => {
      const parents = parentsOf(model, rowOf(material, model, key)?.values ?? {}, material);
      // A soft delete in a body ends the relation too.
      if (parents.length === 0 || material.has("softDelete", model)) return undefined;
      const { opposite, parent, parentKey, relation } = material.draw.pick(parents);
      const { [relation.relation.fields[0] ?? ""]: _, ...keyBelow } = key;
      return json("PATCH", rowPath(parent, parentKey), {
        [opposite.name]: member(opposite, { $delete: true, ...keyBelow }),
      });
    },
  },
  ...twoRelationWrites,
  connectByUniqueKey,
  deleteRelated,
  {
    key: "form",
    actions: ["create", "update"],
    feature: "uploads",
    toCall: ({ action, key, values }, model) => {
      const isText = Object.values(values).every((value) => value !== null && typeof value !== "object");
      if (!isText || Object.keys(values).length === 0) return undefined;
      const form = toForm(values);
      return action === "create"
        ? { method: "POST", target: pathOf(model), ...form }
        : { method: "PATCH", target: rowPath(model, key), ...form };
    },
  },
  {
    key: "bulk delete by key",
    actions: ["delete"],
    toCall: ({ key }, model) => json("DELETE", `${pathOf(model)}/many`, { ids: [keyValue(model, key)] }),
  },
  {
    key: "bulk delete by filter",
    actions: ["delete"],
    toCall: ({ key }, model, material) => json("DELETE", `${pathOf(model)}/many${filterOf(model, key, material)}`),
  },
  {
    key: "mcp",
    actions: ["create", "update", "delete", "restore"],
    toCall: ({ action, key, values }, model) => {
      const resource = pathOf(model).slice(1);
      const row = action === "create" ? { data: values } : { key: keyValue(model, key) };
      return callTool(action, { resource, ...row, ...(action === "update" ? { data: values } : {}) });
    },
  },
];

/** A form with a file, whose content may not match its name. */
function uploadOf({ action, key, values }: Intent, model: Model, { draw }: Material): DrawnCall | undefined {
  if (action !== "create" && action !== "update") return undefined;
  const texts = Object.entries(values).filter(([, value]) => value !== null && typeof value !== "object");
  const { photo: _, ...fields } = Object.fromEntries(texts);
  const form = toForm(fields, {
    photo: draw.pick([
      ["a.txt", "text"],
      ["b.txt", ""],
      ["c.png", "text"],
    ] as const),
  });
  return action === "create"
    ? { method: "POST", target: pathOf(model), ...form }
    : { method: "PATCH", target: rowPath(model, key), ...form };
}

const actions: readonly Intent["action"][] = ["create", "create", "update", "update", "update", "delete", "restore"];

/** Draws a write of one row. */
export function drawIntent(material: Material, model: Model = drawModel(material)): Intent {
  const { draw } = material;
  const action = draw.pick(actions);
  if (action === "restore" && !material.has("softDelete", model)) return drawIntent(material, model);
  if (action === "create") {
    const values = material.body(model, true);
    const key = keyOf(model, values);
    const isSet = Object.values(key).every((value) => value !== undefined);
    return { action, model: model.name, key: isSet ? key : {}, values };
  }
  const values = action === "update" ? drawChange(material, model) : {};
  if (action === "update" && Object.keys(values).length === 0) return drawIntent(material, model);
  const key = drawTarget(action, model, material);
  return key === undefined ? drawIntent(material, model) : { action, model: model.name, key, values };
}

/**
 * Draws the key of a row, most often of one with which the action can succeed: a restore of a deleted row, or another write.
 *
 * @returns `undefined` for a restore without a deleted row
 */
function drawTarget(action: Intent["action"], model: Model, material: Material): Values | undefined {
  const { draw, setup } = material;
  const rows = setup.rows.filter(
    ({ model: name, values }) =>
      name === model.name &&
      (!material.has("softDelete", model) || ((values.deletedAt ?? null) !== null) === (action === "restore")),
  );
  if (draw.chance(0.1)) return material.key(model);
  if (rows.length > 0) return keyOf(model, draw.pick(rows).values);
  return action === "restore" ? undefined : material.key(model);
}

/** Often one foreign key, which relations set too. */
function drawChange(material: Material, model: Model): Values {
  const links = material.draw.chance(0.15) ? drawLinkChange(material, model) : undefined;
  if (links !== undefined) return links;
  const values = material.body(model, false);
  const references = Object.keys(values).filter((name) => {
    const field = model.fieldsByName.get(name);
    return field !== undefined && "isForeignKey" in field && field.isForeignKey;
  });
  const [reference = ""] = references;
  return references.length > 0 && material.draw.chance(0.5) ? { [reference]: values[reference] } : values;
}

export const hasMcp = ({ setup }: Material): boolean => featureValue(setup.features, "mcp") !== undefined;

/** The calls of an intent on all paths but the direct one, by the name of the path. */
export function callsOf(intent: Intent, material: Material): readonly (DrawnCall & { readonly path: string })[] {
  const model = material.models.get(intent.model) as Model;
  return writes.flatMap((path) => {
    if (!path.actions.includes(intent.action)) return [];
    if (path.feature !== undefined && !material.has(path.feature, model)) return [];
    if (path.key === "mcp" && !hasMcp(material)) return [];
    const call = path.toCall(intent, model, material);
    return call === undefined ? [] : [{ ...call, path: path.key }];
  });
}

/** Draws a write on any path. */
export function drawWrite(material: Material): DrawnCall & { readonly path: string } {
  const intent = drawIntent(material);
  const model = material.models.get(intent.model) as Model;
  const direct = { ...directCall(intent, model), path: intent.action };
  const recorded = featureValue(material.setup.features, "changes", model.name) as
    | { readonly history: boolean }
    | undefined;
  const state = recorded?.history === true ? restoreOf(model, material) : undefined;
  const upload = material.has("uploads", model) ? uploadOf(intent, model, material) : undefined;
  return material.draw.pick([
    direct,
    direct,
    ...(state === undefined ? [] : [{ ...state, path: "restore of a state" }]),
    ...(upload === undefined ? [] : [{ ...upload, path: "upload" }]),
    ...callsOf(intent, material),
  ]);
}

/** A restore of the first state of a row, whose change has the place of the row among those of recorded models as its id. */
function restoreOf(model: Model, material: Material): DrawnCall | undefined {
  const { draw, setup, models } = material;
  const recorded = setup.rows.filter((row) => material.has("changes", models.get(row.model) as Model));
  const rows = recorded.filter((row) => row.model === model.name);
  if (rows.length === 0) return undefined;
  const row = draw.pick(rows);
  const change = 1 + (draw.chance(0.2) ? draw.below(60) : recorded.indexOf(row));
  return json("POST", `${rowPath(model, keyOf(model, row.values))}/history/${change}/restore`);
}
