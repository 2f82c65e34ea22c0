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

/** A relation in a body: what connects, creates, changes and removes (contract C13). */
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
  const whole = field.isList ? listOf(schemas) : anyOf(isNullable(relation) ? [...schemas, nothing] : schemas);
  // What many relations say alike stands once.
  const text = JSON.stringify(whole);
  const [named] = Object.entries(openChanges(relation)).find(([, open]) => JSON.stringify(open) === text) ?? [];
  return named === undefined ? whole : reference(named);
}

/** What an update does to relations whose rows can be connected and taken out, and no more. */
function openChanges(relation: WritableRelation): Readonly<Record<string, DocumentObject>> {
  const { link, disconnect, links, linkOrNone } = namesOfRows(relation);
  const acts = [link, disconnect].map(reference);
  return { [links]: listOf(acts), [linkOrNone]: anyOf([...acts, reference("RelatedDisconnect"), nothing]) };
}

/** The names of what names a row: of its model, or of its one key, where that is all that is to be said. */
function namesOfRows({ related, keys }: WritableRelation) {
  const [field, ...more] = keys.flatMap(({ fields }) => fields);
  const kind = field === undefined || more.length > 0 ? undefined : kindOfKey(field);
  const isShared = field !== undefined && kind !== undefined;
  const start = isShared ? `${field.name.charAt(0).toUpperCase()}${field.name.slice(1)}${kind}` : related.model.name;
  return { ...componentNames(start), isShared };
}

/** Keys of one kind are described alike. */
function kindOfKey(field: StoredField): string | undefined {
  if (field.documentation !== undefined) return undefined;
  const rule = fieldRule(field);
  if (rule.kind === "text") return `${kindOf(field)}${rule.maxCharacters ?? ""}`;
  return rule.kind === "integer" || rule.kind === "uuid" || rule.kind === "enum" ? kindOf(field) : undefined;
}

const nothing: DocumentObject = { type: "null" };
const listOf = (schemas: readonly DocumentObject[]): DocumentObject => ({ type: "array", items: anyOf(schemas) });

/** Null takes the row out, where that is open. */
const isNullable = (relation: WritableRelation): boolean =>
  canBeEmpty(relation) && (relation.link.kind === "own" || !relation.refused.has("disconnect"));

/** What names a row that exists: to connect it, to take it out, and to delete it. */
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
      description: `A row${names.isShared ? "" : ` of ${related.model.name}`} that exists, by ${ways}.`,
      properties: named,
      ...byOneKey(keys, []),
      additionalProperties: false,
    };
  }
  if (canBeEmpty(relation) && isOpenFor(relation, "disconnect")) {
    found[disconnect] = marked("$disconnect", keys);
    if (link in found) Object.assign(found, openChanges(relation));
  }
  if (isOpenFor(relation, "delete")) found[remove] = marked("$delete", keys);
  return found;
}

const marks = {
  $disconnect: "A row that is taken out of the relation.",
  $delete: "A row that is deleted.",
} as const;

const marked = (mark: keyof typeof marks, keys: WritableRelation["keys"]): DocumentObject => ({
  type: "object",
  description: marks[mark],
  properties: { ...uniqueFields(keys), [mark]: { type: "boolean", const: true } },
  ...byOneKey(keys, [mark]),
  additionalProperties: false,
});

/** At least one of the unique keys is whole. */
const byOneKey = (keys: WritableRelation["keys"], more: readonly string[]): DocumentObject =>
  eitherOf([[more], keys.map(({ fields }) => fields.map(({ name }) => name))]);

/** A row that is written through a relation, and what that relation settles of it. */
export interface NestedRow {
  readonly writable: WritableModel;
  readonly create: string;
  readonly change: string;
  readonly settled: ReadonlySet<string>;
  readonly settledInChange: ReadonlySet<string>;
}

/** What of the row at the other end of a relation its place settles, and the names of its schemas. */
export function nestedRow(relation: WritableRelation, writable: WritableModel): NestedRow {
  const { link } = relation;
  const settled = new Set(link.kind === "theirs" ? [link.opposite, ...link.fields.map(({ name }) => name)] : []);
  for (const name of writable.user?.administered ?? []) settled.add(name);
  const settledInChange = new Set(settled);
  for (const name of writable.user?.credentials ?? []) settledInChange.add(name);
  return { writable, ...nestedNames(relation, writable), settled, settledInChange };
}

function nestedNames({ link, related }: WritableRelation, writable: WritableModel | undefined) {
  const { create, change } = componentNames(related.model.name);
  const opposite = link.kind === "theirs" ? link.opposite : writable?.user === undefined ? "" : "rights";
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

/** Where there is only one row, nothing has to name it. */
export const unnamedComponents: Readonly<Record<string, DocumentObject>> = {
  RelatedDisconnect: marked("$disconnect", []),
  RelatedDelete: marked("$delete", []),
};

const anyOf = (schemas: readonly DocumentObject[]): DocumentObject =>
  schemas.length === 1 ? (schemas[0] as DocumentObject) : { anyOf: schemas };
