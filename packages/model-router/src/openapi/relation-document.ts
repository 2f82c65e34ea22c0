import { type StoredField } from "@servicekit/prisma";
import { fieldRule } from "@servicekit/prisma/internal";
import type { DocumentObject } from "@servicekit/router";
import { canBeEmpty } from "../resource/body/read-relation.js";
import type { WriteMode } from "../resource/body/relation-act.js";
import { isOpenFor } from "../resource/body/relation-act.js";
import type { WritableModel, WritableModels, WritableRelation } from "../resource/body/writable-model.js";
import { componentNames, reference } from "./component-names.js";
import { eitherOf } from "./either-of.js";
import { fieldDocument } from "./field-document.js";
import { kindOf } from "./filter-document.js";

/** A relation in a body: connect, create, update and delete (contract C13). */
export function relationDocument(
  relation: WritableRelation,
  mode: WriteMode,
  writables: WritableModels,
): DocumentObject {
  const { field, related } = relation;
  const { link, disconnect, remove } = namesOfRows(relation);
  const { create, change } = nestedNames(relation, writables.get(related.model.name));
  const acts: string[] = [];
  if (isOpenFor(relation, "connect") && relation.keys.length > 0) acts.push(link);
  if (isOpenFor(relation, "create")) acts.push(create);
  if (mode === "update") {
    if (related.model.key !== undefined && isOpenFor(relation, "update")) acts.push(change);
    const named = (name: string, unnamed: string): string[] => {
      const isNamed = field.isList || relation.keys.length > 0;
      return [...(isNamed ? [name] : []), ...(field.isList ? [] : [unnamed])];
    };
    if (canBeEmpty(relation) && isOpenFor(relation, "disconnect")) acts.push(...named(disconnect, "RelatedDisconnect"));
    if (isOpenFor(relation, "delete")) acts.push(...named(remove, "RelatedDelete"));
  }
  const schemas = acts.length === 0 ? [{ not: {} }] : acts.map(reference);
  const document = field.isList ? listOf(schemas) : anyOf(isNullable(relation) ? [...schemas, nothing] : schemas);
  // What many relations share is written once.
  const text = JSON.stringify(document);
  const [named] = Object.entries(openChanges(relation)).find(([, open]) => JSON.stringify(open) === text) ?? [];
  return named === undefined ? document : reference(named);
}

/** The update of relations whose rows can only be connected and disconnected. */
function openChanges(relation: WritableRelation): Readonly<Record<string, DocumentObject>> {
  const { link, disconnect, links, linkOrNone } = namesOfRows(relation);
  const acts = [link, disconnect].map(reference);
  return { [links]: listOf(acts), [linkOrNone]: anyOf([...acts, reference("RelatedDisconnect"), nothing]) };
}

/** The names of row references: of its model, or of its only key if that is all. */
function namesOfRows({ related, keys }: WritableRelation) {
  const [field, ...more] = keys.flatMap(({ fields }) => fields);
  const kind = field === undefined || more.length > 0 ? undefined : kindOfKey(field);
  const isShared = field !== undefined && kind !== undefined;
  const start = isShared ? `${field.name.charAt(0).toUpperCase()}${field.name.slice(1)}${kind}` : related.model.name;
  return { ...componentNames(start), isShared };
}

/** Keys of one kind have the same description. */
function kindOfKey(field: StoredField): string | undefined {
  if (field.documentation !== undefined) return undefined;
  const rule = fieldRule(field);
  if (rule.kind === "text") return `${kindOf(field)}${rule.maxCharacters ?? ""}`;
  return rule.kind === "integer" || rule.kind === "uuid" || rule.kind === "enum" ? kindOf(field) : undefined;
}

const nothing: DocumentObject = { type: "null" };
const listOf = (schemas: readonly DocumentObject[]): DocumentObject => ({ type: "array", items: anyOf(schemas) });

/** Null disconnects the row, if that is allowed. */
const isNullable = (relation: WritableRelation): boolean =>
  canBeEmpty(relation) && (relation.link.kind === "belongsTo" || !relation.rejected.has("disconnect"));

/** The reference to an existing row: to connect, disconnect or delete it. */
export function namingComponents(relation: WritableRelation): Readonly<Record<string, DocumentObject>> {
  const { related, keys } = relation;
  const names = namesOfRows(relation);
  const { link, disconnect, remove } = names;
  const ways = keys.map(({ fields }) => `\`${fields.map(({ name }) => name).join("` and `")}\``).join(", or ");
  const named = uniqueFields(keys);
  const found: Record<string, DocumentObject> = {};
  if (keys.length > 0 && isOpenFor(relation, "connect")) {
    found[link] = {
      type: "object",
      description: `An existing row${names.isShared ? "" : ` of ${related.model.name}`}, by ${ways}.`,
      properties: named,
      ...byOneKey(keys, []),
      additionalProperties: false,
    };
  }
  if (canBeEmpty(relation) && isOpenFor(relation, "disconnect")) {
    found[disconnect] = instruction("$disconnect", keys);
    if (link in found) Object.assign(found, openChanges(relation));
  }
  if (isOpenFor(relation, "delete")) found[remove] = instruction("$delete", keys);
  return found;
}

const descriptions = {
  $disconnect: "A row to disconnect from the relation.",
  $delete: "A row to delete.",
} as const;

const instruction = (name: keyof typeof descriptions, keys: WritableRelation["keys"]): DocumentObject => ({
  type: "object",
  description: descriptions[name],
  properties: { ...uniqueFields(keys), [name]: { type: "boolean", const: true } },
  ...byOneKey(keys, [name]),
  additionalProperties: false,
});

/** At least one of the unique keys is complete. */
const byOneKey = (keys: WritableRelation["keys"], more: readonly string[]): DocumentObject =>
  eitherOf([[more], keys.map(({ fields }) => fields.map(({ name }) => name))]);

/** A row that is written through a relation, and the fields that the relation determines. */
export interface NestedRow {
  readonly writable: WritableModel;
  readonly create: string;
  readonly change: string;
  readonly settled: ReadonlySet<string>;
  readonly settledInChange: ReadonlySet<string>;
}

/** The fields of the related row that its place determines, and the names of its schemas. */
export function nestedRow(relation: WritableRelation, writable: WritableModel): NestedRow {
  const { link } = relation;
  const settled = new Set(link.kind === "hasMany" ? [link.opposite, ...link.fields.map(({ name }) => name)] : []);
  for (const name of writable.user?.administered ?? []) settled.add(name);
  const settledInChange = new Set(settled);
  for (const name of writable.user?.credentials ?? []) settledInChange.add(name);
  return { writable, ...nestedNames(relation, writable), settled, settledInChange };
}

function nestedNames({ link, related }: WritableRelation, writable: WritableModel | undefined) {
  const { create, change } = componentNames(related.model.name);
  const opposite = link.kind === "hasMany" ? link.opposite : writable?.user === undefined ? "" : "rights";
  if (opposite === "") return { create, change };
  const without = `Without${opposite.charAt(0).toUpperCase()}${opposite.slice(1)}`;
  return { create: `${create}${without}`, change: `${change}${without}` };
}

const uniqueFields = (keys: WritableRelation["keys"]): Readonly<Record<string, DocumentObject>> =>
  Object.fromEntries(
    keys.flatMap(({ fields }) =>
      fields.map((field) => [field.name, fieldDocument({ ...field, isRequired: true }, "body")]),
    ),
  );

/** If there is only one row, it needs no reference. */
export const unnamedComponents: Readonly<Record<string, DocumentObject>> = {
  RelatedDisconnect: instruction("$disconnect", []),
  RelatedDelete: instruction("$delete", []),
};

const anyOf = (schemas: readonly DocumentObject[]): DocumentObject =>
  schemas.length === 1 ? (schemas[0] as DocumentObject) : { anyOf: schemas };
