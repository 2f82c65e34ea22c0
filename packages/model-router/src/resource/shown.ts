import type { StoredField } from "@servicekit/prisma";
import type { DefaultReadOptions, FieldNames } from "./config/resource-config.js";

/** Prisma's `select`, relations included. */
export type Select = Readonly<Record<string, unknown>>;

/** The possible selection of a read: the default, from which a request selects. */
export interface Shown {
  /** Prisma's `select` of the stored fields. */
  readonly select: Readonly<Record<string, true>>;
  readonly fields: ReadonlyMap<string, StoredField>;
  /** The names of the {@link fields} and of the computed fields, in the order of responses. */
  readonly names: ReadonlySet<string>;
  /** The relations that a request may include; `undefined` for all. */
  readonly relations: ReadonlySet<string> | undefined;
}

/** The visible ones of these fields that the options select. */
export function shownFields(
  options: DefaultReadOptions | undefined,
  fields: ReadonlyMap<string, StoredField>,
  computed: ReadonlyMap<string, unknown>,
  relations: ReadonlyMap<string, unknown>,
): Pick<Shown, "fields" | "names" | "relations"> {
  const { select, omit } = options ?? {};
  const isShown = (name: string): boolean =>
    select === undefined
      ? !(omit !== undefined && Object.hasOwn(omit, name) && omit[name] === true)
      : isNamed(select, name);
  return {
    fields: new Map([...fields].filter(([name]) => isShown(name))),
    names: new Set([...fields.keys(), ...computed.keys()].filter(isShown)),
    relations: select && new Set([...relations.keys()].filter((name) => isNamed(select, name))),
  };
}

/**
 * The fields that queries may use: what a list excludes cannot be queried either, unless only the list's selection
 * excludes it and a read of one row returns it.
 */
export function listedFields(
  options: DefaultReadOptions | undefined,
  fields: ReadonlyMap<string, StoredField>,
  { findMany, findOne }: Readonly<Record<"findMany" | "findOne", Shown>>,
): ReadonlyMap<string, StoredField> {
  if (options?.select === undefined) return findMany.fields;
  return new Map([...fields].filter(([name]) => findMany.fields.has(name) || findOne.fields.has(name)));
}

const isNamed = (names: FieldNames, name: string): boolean => Object.hasOwn(names, name) && names[name] === true;
