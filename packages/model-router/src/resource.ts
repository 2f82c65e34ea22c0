import {
  isHidden,
  isSortable,
  type Model,
  type Models,
  operatorsOf,
  type RelationField,
  type StoredField,
} from "@servicekit/orm";
import type { ModelConfig, ModelRouterSettings, PageSize } from "./settings.js";

/** What a client can see and name of one model: made once at start. */
export interface Resource {
  readonly model: Model;
  /** The path of its routes without the leading slash, such as `media-types`. */
  readonly path: string;
  /** The visible stored fields by name, in schema order. */
  readonly fields: ReadonlyMap<string, StoredField>;
  /** The visible relations by name, in schema order. */
  readonly relations: ReadonlyMap<string, RelationField>;
  /** The operators of each visible stored field. */
  readonly operators: ReadonlyMap<string, readonly string[]>;
  /** Prisma's `select` for all visible stored fields. */
  readonly select: Readonly<Record<string, true>>;
  /** Prisma's `select` for the key's fields. */
  readonly keySelect: Readonly<Record<string, true>>;
  /** The visible fields and those of the key: what a write gives back. */
  readonly rowSelect: Readonly<Record<string, true>>;
  /** The order that makes any other order total: the fields of the key ascending, or all fields where there is no key. */
  readonly keyOrder: readonly Readonly<Record<string, "asc">>[];
  readonly page: PageSize;
  readonly bulkItems: number;
}

/** All resources by the name of their model. */
export type Resources = ReadonlyMap<string, Resource>;

/** Makes the resource of every model. */
export function makeResources(
  models: Models,
  paths: ReadonlyMap<string, string>,
  settings: ModelRouterSettings,
): Resources {
  return new Map(
    [...models.values()].map((model) => {
      return [
        model.name,
        makeResource(model, paths.get(model.name) ?? "", settings, settings.models[model.name] ?? {}),
      ];
    }),
  );
}

function makeResource(model: Model, path: string, settings: ModelRouterSettings, config: ModelConfig): Resource {
  const fields = new Map<string, StoredField>();
  const relations = new Map<string, RelationField>();
  for (const field of model.fields) {
    if (isHidden(field)) continue;
    if (field.kind === "relation") relations.set(field.name, field);
    else if (field.kind !== "unsupported") fields.set(field.name, field);
  }
  const keyNames = (model.key?.fields ?? []).map(({ name }) => name);
  const sortable = [...fields.values()].filter(isSortable).map(({ name }) => name);
  const orderNames = keyNames.length > 0 ? keyNames : sortable;
  return Object.freeze({
    model,
    path,
    fields,
    relations,
    operators: new Map([...fields.values()].map((field) => [field.name, operatorsOf(field)])),
    select: selectOf([...fields.keys()]),
    keySelect: selectOf(keyNames),
    rowSelect: selectOf([...fields.keys(), ...keyNames]),
    keyOrder: Object.freeze(orderNames.map((name) => Object.freeze({ [name]: "asc" as const }))),
    page: { ...settings.page, ...config.page },
    bulkItems: config.bulkItems ?? settings.bulkItems,
  });
}

const selectOf = (names: readonly string[]): Readonly<Record<string, true>> =>
  Object.freeze(Object.fromEntries(names.map((name) => [name, true as const])));
