import {
  type ComputedField,
  type Model,
  type Models,
  operatorsOf,
  type RelationField,
  type StoredField,
} from "@servicekit/prisma";
import { isHidden, isSortable, isStored, type SearchFields, searchFields } from "@servicekit/prisma/internal";
import type { Counting } from "./config/counting.js";
import { hasEvents } from "./config/recorded-changes.js";
import type { PageSize, ResourceConfig, ResourceSettings } from "./config/resource-config.js";
import { deletedField } from "./config/soft-delete.js";
import { listedFields, type Shown, shownFields } from "./shown.js";
import { defaultSort, type SortKey } from "./sort-key.js";

/** What a client can see and use of one model: created once at startup, or for the first caller of a kind. */
export interface Resource {
  readonly model: Model;
  /** The path of its routes without the leading slash, such as `media-types`. */
  readonly path: string;
  /** The visible stored fields by name, in schema order. */
  readonly fields: ReadonlyMap<string, StoredField>;
  /**
   * The fields of {@link fields} that lists and reads through relations return, and that queries may use (contract
   * C57).
   */
  readonly listed: ReadonlyMap<string, StoredField>;
  /**
   * The fields that filters and `sort` may use: those of {@link listed}, and computed fields with SQL whose needed fields are
   * among them (contract C102).
   */
  readonly queryable: ReadonlyMap<string, StoredField>;
  /** The visible computed fields by name; a `select` may contain them. */
  readonly computed: ReadonlyMap<string, ComputedField>;
  /** The visible relations by name, in schema order. */
  readonly relations: ReadonlyMap<string, RelationField>;
  /** The operators of each visible stored field, and of each queryable computed one. */
  readonly operators: ReadonlyMap<string, readonly string[]>;
  /** The `select` for all visible stored and computed fields. */
  readonly select: Readonly<Record<string, true>>;
  /** Prisma's `select` for the key's fields. */
  readonly keySelect: Readonly<Record<string, true>>;
  /** The key fields in the database, including hidden ones; a view may have none. */
  readonly identity: readonly StoredField[];
  /** The visible fields and the key fields: the result of a write. */
  readonly rowSelect: Readonly<Record<string, true>>;
  /** The fields that `search` uses (contract C8). */
  readonly searchable: readonly StoredField[];
  /** The search by an index, of the fields that the caller may read; `undefined` for the usual one (contract C103). */
  readonly search: SearchFields | undefined;
  /** The selection of a list and a read by the model's default query options. */
  readonly shown: Readonly<Record<"findMany" | "findOne", Shown>>;
  /** The default order of a list; empty without one. */
  readonly sort: readonly SortKey[];
  /** The order that makes any other order total: the key fields ascending, or all fields without a key. */
  readonly keyOrder: readonly Readonly<Record<string, "asc">>[];
  readonly page: PageSize;
  /** How lists count their rows. */
  readonly counting: Counting;
  readonly bulkItems: number;
  /** The last segments of other routes of the model, such as `aggregate`: no row may have such an id. */
  readonly reservedIds: readonly string[];
  /** The field with the time of the deletion; `undefined` for a model without soft delete. */
  readonly deletedField: StoredField | undefined;
}

/** All resources by the name of their model. */
export type Resources = ReadonlyMap<string, Resource>;

/** Creates the resource of every model. */
export function makeResources(
  models: Models,
  paths: ReadonlyMap<string, string>,
  settings: ResourceSettings,
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

function makeResource(model: Model, path: string, settings: ResourceSettings, config: ResourceConfig): Resource {
  const fields = new Map<string, StoredField>();
  const computed = new Map<string, ComputedField>();
  const relations = new Map<string, RelationField>();
  for (const field of model.fields) {
    if (isHidden(field)) continue;
    if (field.kind === "relation") relations.set(field.name, field);
    else if (field.kind === "computed") computed.set(field.name, field);
    else if (isStored(field)) fields.set(field.name, field);
  }
  const keyNames = (model.key?.fields ?? []).map(({ name }) => name);
  const sortable = [...fields.values()].filter(isSortable).map(({ name }) => name);
  const orderNames = keyNames.length > 0 ? keyNames : sortable;
  const identity = model.uniqueKeys[0]?.fields ?? [];
  const identityNames = identity.map(({ name }) => name);
  // The ORM does not select an empty set of fields: a hidden field is selected instead and not returned.
  const selectShown = (names: readonly string[]) => selectOf(names.length > 0 ? names : identityNames);
  const shownBy = (operation: "findMany" | "findOne"): Shown => {
    const shown = shownFields(config.query?.[operation], fields, computed, relations);
    return Object.freeze({ ...shown, select: selectShown([...shown.names]) });
  };
  const shown = { findMany: shownBy("findMany"), findOne: shownBy("findOne") };
  const listed = listedFields(config.query?.findMany, fields, shown);
  const queryable = queryableFields(listed, computed, shown.findMany);
  const operators = new Map(
    [...fields.values(), ...[...queryable.values()].filter(({ name }) => computed.has(name))].map((field) => [
      field.name,
      operatorsOf(field),
    ]),
  );
  const { take = Infinity } = config.query?.findMany ?? {};
  const page = { ...settings.page, ...config.page };
  const search = listedSearch(model, listed);
  return Object.freeze({
    model,
    path,
    search,
    fields,
    listed,
    queryable,
    computed,
    relations,
    operators,
    select: selectShown([...fields.keys(), ...computed.keys()]),
    keySelect: selectOf(keyNames),
    identity,
    counting: config.count ?? "exact",
    rowSelect: selectOf([...new Set([...fields.keys(), ...computed.keys(), ...keyNames, ...identityNames])]),
    searchable:
      search?.fields.map(({ field }) => field) ??
      [...listed.values()].filter((field) =>
        config.searchable === undefined
          ? isSearchable(field, keyNames, operators.get(field.name))
          : config.searchable.includes(field.name) && operators.get(field.name)?.includes("icontains") === true,
      ),
    shown,
    sort: defaultSort(config.query?.findMany?.orderBy, fields),
    keyOrder: Object.freeze(orderNames.map((name) => Object.freeze({ [name]: "asc" as const }))),
    page: { default: Math.min(take === Infinity ? page.default : take, page.max), max: Math.min(page.max, take) },
    bulkItems: config.bulkItems ?? settings.bulkItems,
    reservedIds: Object.freeze([
      ...(config.aggregate === true ? ["aggregate"] : []),
      ...(hasEvents(config) ? ["events"] : []),
    ]),
    deletedField: deletedField(model, config),
  });
}

/**
 * The fields of {@link Resource.queryable}: a caller must not learn by a filter what the caller may not filter by itself.
 */
export function queryableFields(
  listed: Resource["listed"],
  computed: Resource["computed"],
  { names }: Shown,
): ReadonlyMap<string, StoredField> {
  const comparable = [...computed.values()].flatMap(({ name, comparable: field, needs }) =>
    field !== undefined && names.has(name) && needs.every((need) => listed.has(need)) ? [[name, field] as const] : [],
  );
  return comparable.length === 0 ? listed : new Map([...listed, ...comparable]);
}

/** A search finds nothing by a field that the caller may not use in a filter; the weights of the others stay. */
function listedSearch(model: Model, listed: Resource["listed"]): SearchFields | undefined {
  const search = searchFields(model);
  return search && { ...search, fields: search.fields.filter(({ field }) => listed.has(field.name)) };
}

/** Visible strings that are neither ids nor references (contract C8). */
function isSearchable(
  field: StoredField,
  keyNames: readonly string[],
  operators: readonly string[] | undefined,
): boolean {
  const isText = field.kind === "scalar" && field.type === "String" && !field.isList;
  const isKey = keyNames.includes(field.name) || field.isId || field.isForeignKey;
  return isText && !isKey && operators?.includes("icontains") === true;
}

const selectOf = (names: readonly string[]): Readonly<Record<string, true>> =>
  Object.freeze(Object.fromEntries(names.map((name) => [name, true as const])));
