import { isHttpError, type ValidationIssue } from "@servicekit/core";
import { toJsonPointer, withErrors } from "@servicekit/core/internal";
import type { Database, RelationField, StoredField } from "@servicekit/prisma";
import { isStored, writeKey } from "@servicekit/prisma/internal";
import { hideInErrors } from "../access/hide-in-errors.js";
import type { Deletions } from "../deletions/deletions.js";
import { type KeyWhere, keyText } from "../resource/key.js";
import type { Resource } from "../resource/resource.js";
import type { Row } from "../resource/values/to-json.js";
import { keysWhere } from "./bulk-keys.js";
import { findRows, selectOf, valuesText } from "./find-rows.js";

/** The items of a bulk write as they were sent to the database. */
export interface WrittenItems {
  readonly rows: readonly Row[];
  /** The key of each updated row; none for new rows. */
  readonly keys?: readonly (KeyWhere | null)[];
  /** The place of the list in the body. */
  readonly at: readonly string[];
}

/** What finds the items of an error. */
export interface ItemLookup {
  /** Outside the failed transaction; `undefined` if there is none: then no item is named. */
  readonly database: Database | undefined;
  readonly deletions: Pick<Deletions, "present">;
}

/**
 * Executes a bulk write. If the database rejects it for a unique key or a missing related row, the error names the
 * items (`/3/title`) if they can be determined (contract C14), because the database only names the columns.
 */
export async function namingItems<T>(
  work: () => Promise<T>,
  items: WrittenItems,
  { database, deletions }: ItemLookup,
  resource: Resource,
): Promise<T> {
  if (database === undefined) return work();
  try {
    return await work();
  } catch (caught) {
    const error = hideInErrors(caught, resource.model, { models: database.models, viewable: undefined });
    if (error !== caught || !isHttpError(error) || error.errors === undefined) throw error;
    if (error.code !== "UniqueConstraint" && error.code !== "RelatedRecordNotFound") throw error;
    const { code, errors } = error;
    const fields = errors.flatMap(({ path }) => resource.fields.get(path.slice(1)) ?? []);
    const find = code === "UniqueConstraint" ? findDoubles : findOrphans;
    const lookup = { database, deletions };
    const culprits = fields.length === errors.length ? await find(fields, items, lookup, resource) : [];
    const named = culprits.flatMap((index) => {
      // An update contains a part of a foreign key only if its item does.
      const own = errors.filter(({ path }) => items.rows[index]?.[path.slice(1)] !== undefined);
      const shown = code === "UniqueConstraint" || own.length === 0 ? errors : own;
      return shown.map(
        (issue): ValidationIssue => ({ ...issue, path: toJsonPointer([...items.at, index]) + issue.path }),
      );
    });
    throw withErrors(error, named.length > 0 ? named : errors.map((issue) => ({ ...issue, path: "" })));
  }
}

type Lookup = ItemLookup & { readonly database: Database };

/** The items whose values another row, or an earlier item, already has. */
async function findDoubles(
  fields: readonly StoredField[],
  items: WrittenItems,
  { database }: Lookup,
  resource: Resource,
): Promise<number[]> {
  const { keys } = items;
  const rows = await fullRows(fields, items, database, resource);
  // An item that sets no field of the key cannot have caused the error.
  const sets = (index: number): boolean => fields.some(({ name }) => items.rows[index]?.[name] !== undefined);
  const texts = rows.map((row, index) => (sets(index) ? valuesText(fields, row) : undefined));
  const select = { ...resource.keySelect, ...selectOf(fields) };
  const present = await findRows(fields, rows, database, resource.model.name, select);
  const owners = new Map(present.map((row) => [valuesText(fields, row), writeKey(resource.model, row)]));
  const seen = new Set<string>();
  return texts.flatMap((text, index) => {
    if (text === undefined) return [];
    const key = keys?.[index] ?? undefined;
    const owner = owners.get(text);
    const isTaken = owner !== undefined && (key === undefined || owner !== keyText(resource.model, key));
    const isDouble = isTaken || seen.has(text);
    seen.add(text);
    return isDouble ? [index] : [];
  });
}

/** The items that reference a missing or deleted row. */
async function findOrphans(
  fields: readonly StoredField[],
  items: WrittenItems,
  { database, deletions }: Lookup,
  resource: Resource,
): Promise<number[]> {
  const rows = await fullRows(fields, items, database, resource);
  const names = fields.map(({ name }) => name);
  const relation = [...resource.relations.values()].find((one) => one.relation.fields.join() === names.join());
  const related = database.models.get(relation?.type ?? "");
  if (relation === undefined || related === undefined) return [];
  const references = referencesOf(relation, database);
  if (references.length < fields.length) return [];
  const wanted = rows.map((row) =>
    Object.fromEntries(references.map(({ name }, index) => [name, row[names[index] ?? ""]])),
  );
  const isPresent = deletions.present(related);
  const present = await findRows(references, wanted, database, related.name, selectOf(references), isPresent);
  const texts = new Set(present.map((row) => valuesText(references, row)));
  return wanted.flatMap((row, index) => {
    // An item that sets no field of the reference cannot have caused the error.
    if (names.every((name) => items.rows[index]?.[name] === undefined)) return [];
    const text = valuesText(references, row);
    return text === undefined || texts.has(text) ? [] : [index];
  });
}

/** An update may set a part of a foreign or unique key: the rest is in the row. */
async function fullRows(
  fields: readonly StoredField[],
  { rows, keys }: WrittenItems,
  database: Database,
  resource: Resource,
): Promise<readonly Row[]> {
  const isPart = (row: Row): boolean => fields.some(({ name }) => row[name] === undefined);
  const named = (keys ?? []).filter((key, index) => key !== null && isPart(rows[index] ?? {}));
  if (named.length === 0) return rows;
  const where = keysWhere(
    resource,
    named.filter((key) => key !== null),
  );
  const select = { ...resource.keySelect, ...selectOf(fields) };
  const present = await database.of(resource.model).findMany({ where, select });
  const current = new Map(present.map((row) => [writeKey(resource.model, row), row]));
  return rows.map((row, index) => {
    const key = keys?.[index] ?? null;
    return key === null ? row : { ...current.get(keyText(resource.model, key)), ...row };
  });
}

function referencesOf({ relation, type }: RelationField, database: Database): StoredField[] {
  return relation.references.flatMap((name) => {
    const field = database.models.get(type)?.fieldsByName.get(name);
    return isStored(field) ? [field] : [];
  });
}
