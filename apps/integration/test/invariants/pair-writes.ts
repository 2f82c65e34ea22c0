import type { Model, StoredField } from "@servicekit/prisma";
import type { CallerName } from "./callers.js";
import type { DrawnRequest, DrawnRow, Values } from "./cases.js";
import { type DrawnCall, drawModel, type Material, pathOf, rowPath } from "./material.js";
import { keyValue } from "./reads.js";
import { isManyToMany, keyOf, relationFields, relationOf } from "./rows.js";
import { directCall, drawIntent, hasMcp, type Intent, type WritePath, writes } from "./writes.js";

/** Two requests that are sent together. */
export interface Pair {
  /** The record that has drawn it. */
  readonly touch: string;
  readonly requests: readonly [DrawnRequest, DrawnRequest];
}

const json = (method: string, target: string, body?: unknown): DrawnCall => ({
  method,
  target,
  ...(body === undefined ? {} : { body }),
});

const rowsOf = ({ setup }: Material, model: Model): readonly DrawnRow[] =>
  setup.rows.filter((row) => row.model === model.name);

/** The key of the row and of other rows, in any order, so that two requests lock them in opposite orders. */
function keysWith(key: Values, model: Model, material: Material): readonly Values[] {
  const others = rowsOf(material, model).map(({ values }) => keyOf(model, values));
  const isOther = (one: Values): boolean => !isSame(one, key);
  const keys = [key, ...others.filter(isOther).slice(0, 2)];
  return material.draw.chance(0.5) ? keys : keys.reverse();
}

/** Paths without a counterpart of one row. To add one, add its record. */
const morePaths: readonly WritePath[] = [
  {
    key: "permanent delete",
    actions: ["delete"],
    feature: "softDelete",
    toCall: ({ key }, model) => json("DELETE", `${rowPath(model, key)}?permanent=true`),
  },
  {
    key: "bulk delete of rows",
    actions: ["delete"],
    toCall: ({ key }, model, material) => {
      const permanent = material.has("softDelete", model) && material.draw.chance(0.3) ? "?permanent=true" : "";
      const ids = keysWith(key, model, material).map((one) => keyValue(model, one));
      return json("DELETE", `${pathOf(model)}/many${permanent}`, { ids });
    },
  },
  {
    key: "bulk update of rows",
    actions: ["update"],
    toCall: ({ key, values }, model, material) => {
      const items = keysWith(key, model, material).map((one) => ({ id: keyValue(model, one), ...values }));
      return json("PATCH", `${pathOf(model)}/many`, items);
    },
  },
  {
    key: "replacement",
    actions: ["update"],
    feature: "upsert",
    toCall: ({ key, values }, model, material) => {
      const body = Object.entries({ ...material.body(model, true), ...values }).filter(([name]) => !(name in key));
      return json("PUT", rowPath(model, key), Object.fromEntries(body));
    },
  },
  {
    key: "bulk upsert that skips",
    actions: ["create"],
    feature: "upsert",
    toCall: ({ values }, model, { draw }) => {
      const keys = model.uniqueKeys.filter(({ fields }) => fields.every(({ name }) => (values[name] ?? null) !== null));
      if (keys.length === 0) return undefined;
      const names = draw.pick(keys).fields.map(({ name }) => name);
      return json("POST", `${pathOf(model)}/many?onConflict=${names.join()}&resolution=ignore`, [values]);
    },
  },
  {
    key: "links",
    actions: ["update"],
    toCall: ({ key }, model, material) => {
      const relation = relationFields(model, material.models).find((field) => isManyToMany(field, material.models));
      if (relation === undefined) return undefined;
      const related = material.models.get(relation.type) as Model;
      const items = rowsOf(material, related).map(({ values }) => ({
        ...(material.draw.chance(0.4) ? { $disconnect: true } : {}),
        ...keyOf(related, values),
      }));
      return items.length === 0 ? undefined : json("PATCH", rowPath(model, key), { [relation.name]: items });
    },
  },
  {
    key: "restore of a state",
    actions: ["update"],
    feature: "changes",
    toCall: ({ key }, model, material) => {
      const recorded = material.setup.rows.filter((row) =>
        material.has("changes", material.models.get(row.model) as Model),
      );
      const row = rowsOf(material, model).find(({ values }) => isSame(keyOf(model, values), key));
      // The creation of the row is the change with this id.
      return row && json("POST", `${rowPath(model, key)}/history/${1 + recorded.indexOf(row)}/restore`);
    },
  },
];

const isSame = (one: Values, other: Values): boolean => JSON.stringify(one) === JSON.stringify(other);

/** How the row of a second write relates to that of a first one. */
interface Touch {
  readonly key: string;
  /** How often it is drawn. */
  readonly weight: number;
  /** @returns `undefined` if the rows contain none */
  draw(first: Intent, model: Model, material: Material): Intent | undefined;
}

const hasKey = (intent: Intent): boolean => Object.keys(intent.key).length > 0;

/** A write of any kind to a row. */
function drawOn(key: Values, model: Model, material: Material): Intent | undefined {
  const intent = drawIntent(material, model);
  if (intent.action !== "create") return { ...intent, key };
  // Only keys that bodies may set can be those of another row.
  return hasKey(intent) ? { ...intent, key, values: { ...intent.values, ...key } } : undefined;
}

/** A write that can set a reference. */
function drawReferencing(material: Material, model: Model): Intent {
  for (;;) {
    const intent = drawIntent(material, model);
    if (intent.action === "create" || intent.action === "update") return intent;
  }
}

/** A value that the database regards as equal. */
function respell({ nativeType }: StoredField, value: unknown): unknown {
  const spellings: Readonly<Record<string, (text: string) => string>> = {
    Citext: (text) => (text === text.toLowerCase() ? text.toUpperCase() : text.toLowerCase()),
    Inet: (text) =>
      text.endsWith("/32") ? text.slice(0, -3) : text.includes("/") || text.includes(":") ? text : `${text}/32`,
  };
  return typeof value === "string" ? (spellings[nativeType?.name ?? ""]?.(value) ?? value) : value;
}

/** The values of a row that was inserted, or those that a write sets. */
const valuesOf = (intent: Intent, model: Model, material: Material): Values => {
  const row = rowsOf(material, model).find(({ values }) => isSame(keyOf(model, values), intent.key));
  return { ...row?.values, ...intent.values };
};

/** To add one, add its record. */
const touches: readonly Touch[] = [
  { key: "same request", weight: 1, draw: (first) => first },
  {
    key: "same row",
    weight: 1,
    draw: (first, model, material) => (hasKey(first) ? drawOn(first.key, model, material) : undefined),
  },
  {
    key: "same unique value",
    weight: 1,
    draw: (first, model, material) => {
      const names = model.uniqueKeys.flatMap(({ fields }) => fields);
      const values = valuesOf(first, model, material);
      const shared = names
        .filter((field) => !(field.isId && field.hasDefault) && (values[field.name] ?? null) !== null)
        .map((field) => [field.name, respell(field, values[field.name])] as const);
      if (shared.length === 0) return undefined;
      const some = Object.fromEntries(material.draw.chance(0.5) ? shared : [material.draw.pick(shared)]);
      const action = material.draw.pick(["create", "create", "update"] as const);
      if (action === "create") {
        const body = { ...material.body(model, true), ...some };
        const key = keyOf(model, body);
        return { action, model: model.name, key: Object.values(key).includes(undefined) ? {} : key, values: body };
      }
      const changes = Object.entries(some).filter(([name]) => !(name in keyOf(model, {})));
      if (changes.length === 0) return undefined;
      return { action, model: model.name, key: material.key(model), values: Object.fromEntries(changes) };
    },
  },
  {
    key: "row above",
    weight: 2,
    draw: (first, model, material) => {
      const values = valuesOf(first, model, material);
      const parents = relationFields(model, material.models).flatMap(({ type, relation }) => {
        const [name = ""] = relation.fields;
        const [reference = ""] = relation.references;
        return name === "" || (values[name] ?? null) === null ? [] : [{ type, key: { [reference]: values[name] } }];
      });
      if (parents.length === 0) return undefined;
      const { type, key } = material.draw.pick(parents);
      return drawOn(key, material.models.get(type) as Model, material);
    },
  },
  {
    key: "row below",
    weight: 2,
    draw: (first, model, material) => {
      const { draw, models } = material;
      if (!hasKey(first)) return undefined;
      const below = relationFields(model, models).flatMap(({ type, relation }) => {
        const child = models.get(type) as Model;
        const opposite = child.fields.find(({ name }) => name === relation.opposite);
        const [name = ""] = opposite?.kind === "relation" ? opposite.relation.fields : [];
        return name === "" ? [] : [{ child, name }];
      });
      if (below.length === 0) return undefined;
      const { child, name } = draw.pick(below);
      const reference = relationOf(child, name)?.relation.references[0] ?? "";
      const rows = rowsOf(material, child).filter(({ values }) => values[name] === first.key[reference]);
      if (rows.length > 0 && draw.chance(0.5)) return drawOn(keyOf(child, draw.pick(rows).values), child, material);
      const write = drawReferencing(material, child);
      const values = { ...write.values, [name]: first.key[reference] };
      const isInKey = name in keyOf(child, {});
      if (write.action === "update") return isInKey ? undefined : { ...write, values };
      return { ...write, values, key: isInKey ? { ...write.key, [name]: values[name] } : write.key };
    },
  },
  { key: "any row of the model", weight: 1, draw: (_, model, material) => drawIntent(material, model) },
  { key: "any row", weight: 1, draw: (_first, _model, material) => drawIntent(material) },
];

const weighted = touches.flatMap((touch) => Array.from({ length: touch.weight }, () => touch));

const callers: readonly CallerName[] = [
  "mary",
  "nora",
  "vera",
  "edda",
  "edda",
  "edda",
  "root",
  "root",
  "root",
  "root",
  "root",
  "root",
];

/** A request on any path that expresses a write. */
function drawRequest(intent: Intent, material: Material): DrawnRequest {
  const { draw, models, has } = material;
  const model = models.get(intent.model) as Model;
  const calls = [...writes, ...morePaths].flatMap((path) => {
    const isOpen = path.feature === undefined || has(path.feature, model);
    if (path.key === "mcp" && !hasMcp(material)) return [];
    const call = isOpen && path.actions.includes(intent.action) ? path.toCall(intent, model, material) : undefined;
    return call === undefined ? [] : [{ ...call, path: path.key }];
  });
  const direct = { ...directCall(intent, model), path: intent.action };
  return { caller: draw.pick(callers), ...draw.pick([direct, direct, ...calls]) };
}

/** Draws two writes on any paths, the second one of a row that relates to that of the first one. */
export function drawPair(material: Material): Pair {
  for (;;) {
    const model = drawModel(material);
    const first = drawIntent(material, model);
    const touch = material.draw.pick(weighted);
    const second = touch.draw(first, model, material);
    if (second === undefined) continue;
    return { touch: touch.key, requests: [drawRequest(first, material), drawRequest(second, material)] };
  }
}

/** The model whose rows a request names in its path. */
export const modelOf = ({ target }: DrawnRequest, models: readonly Model[]): Model | undefined =>
  models.find((model) => target.startsWith(pathOf(model)));
