import { isHidden, isSortable, type Model, type StoredField } from "@servicekit/orm";
import type { SortKey } from "./read-sort-keys.js";

/** Names of fields, or of fields and relations, in the form of Prisma's `select` and `omit`. */
export type FieldNames = Readonly<Record<string, boolean>>;

/** One key of a default order: a field of the model itself. */
export type DefaultOrder = Readonly<Record<string, "asc" | "desc">>;

/** What a read is held to; a request may narrow it and never widen it. */
export interface DefaultReadOptions {
  /** A Prisma `where`; it holds besides what the request asks for. */
  readonly where?: Readonly<Record<string, unknown>>;
  /** The fields that are shown, and the relations that are included unless the request says which; no others may be. */
  readonly select?: FieldNames;
  /** Fields that are not shown; excludes `select`. */
  readonly omit?: FieldNames;
}

/** What a list is held to besides. */
export interface DefaultListOptions extends DefaultReadOptions {
  /** The order where the request gives no `sort`. @default by the id */
  readonly orderBy?: DefaultOrder | readonly DefaultOrder[];
  /** The rows of a page where the request gives no `limit`, and the most that it may ask for. */
  readonly take?: number;
}

/** Default query options of a model by operation (contract C44). */
export interface ModelQueryDefaults {
  readonly findMany?: DefaultListOptions;
  readonly findOne?: DefaultReadOptions;
}

/** What a read may show: the default, from which a request chooses. */
export interface Shown {
  /** Prisma's `select` of the stored fields. */
  readonly select: Readonly<Record<string, true>>;
  readonly fields: ReadonlyMap<string, StoredField>;
  /** The relations that a request may include; `undefined` for all. */
  readonly relations: ReadonlySet<string> | undefined;
}

/** The visible ones of these fields that the options show. */
export function shownFields(
  options: DefaultReadOptions | undefined,
  fields: ReadonlyMap<string, StoredField>,
  relations: ReadonlyMap<string, unknown>,
): { readonly fields: ReadonlyMap<string, StoredField>; readonly relations: ReadonlySet<string> | undefined } {
  const { select, omit } = options ?? {};
  const isShown = (name: string): boolean =>
    select === undefined
      ? !(omit !== undefined && Object.hasOwn(omit, name) && omit[name] === true)
      : isNamed(select, name);
  return {
    fields: new Map([...fields].filter(([name]) => isShown(name))),
    relations: select && new Set([...relations.keys()].filter((name) => isNamed(select, name))),
  };
}

const isNamed = (names: FieldNames, name: string): boolean => Object.hasOwn(names, name) && names[name] === true;

/** The keys of the default order, without those that the caller does not see. */
export function defaultSort(
  orderBy: DefaultListOptions["orderBy"],
  fields: ReadonlyMap<string, StoredField>,
): readonly SortKey[] {
  const orders = ([] as DefaultOrder[]).concat(orderBy ?? []);
  return orders.flatMap((order) =>
    Object.entries(order).flatMap(([name, direction]): SortKey[] => {
      const field = fields.get(name);
      return field === undefined ? [] : [{ path: [name], field, direction }];
    }),
  );
}

/** Says what is wrong with the default options of an operation: the path of a value and a sentence. */
export function defaultFaults(options: unknown, isList: boolean, model: Model): readonly (readonly [string, string])[] {
  if (!isObject(options)) return [["", "Expected an object of query options."]];
  const known = ["where", "select", "omit", ...(isList ? ["orderBy", "take"] : [])];
  const faults: [string, string][] = [];
  const isStored = (name: string): boolean => {
    const field = model.fieldsByName.get(name);
    return field !== undefined && field.kind !== "unsupported" && field.kind !== "relation" && !isHidden(field);
  };
  for (const [key, value] of Object.entries(options)) {
    if (value === undefined) continue;
    if (!known.includes(key))
      faults.push([`.${key}`, `There is no query option ${key}; known are ${known.join(", ")}.`]);
    else if (key === "take") {
      if (!Number.isSafeInteger(value) || (value as number) < 1)
        faults.push([".take", "Expected a whole number of at least 1."]);
    } else if (key === "orderBy") {
      for (const order of ([] as unknown[]).concat(value)) {
        for (const [name, direction] of Object.entries(isObject(order) ? order : { [String(order)]: order })) {
          const field = model.fieldsByName.get(name);
          const isUsable = isStored(name) && isSortable(field as StoredField);
          if (!isUsable || (direction !== "asc" && direction !== "desc")) {
            faults.push([".orderBy", `Expected visible fields of ${model.name} with asc or desc; ${name} is none.`]);
          }
        }
      }
    } else if (!isObject(value)) faults.push([`.${key}`, "Expected an object."]);
    else if (key !== "where") {
      for (const name of Object.keys(value)) {
        const isRelation = key === "select" && model.fieldsByName.get(name)?.kind === "relation";
        if (!isRelation && !isStored(name)) faults.push([`.${key}`, `${model.name} has no visible field ${name}.`]);
      }
    }
  }
  if (
    isObject(options.select) &&
    !Object.entries(options.select).some(([name, given]) => given === true && isStored(name))
  ) {
    faults.push([".select", "Expected at least one visible field to show."]);
  }
  if (options.select !== undefined && options.omit !== undefined)
    faults.push(["", "select and omit exclude each other."]);
  return faults;
}

function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
