import type { WritableRelation, WriteMode } from "@servicekit/resource";
import { canBeEmpty, isOpenFor } from "@servicekit/resource";
import type { DocumentObject } from "@servicekit/router";
import { componentNames, reference } from "./component-names.js";
import { fieldDocument } from "./field-document.js";

/** A relation in a body: what connects, creates, changes and removes (contract C13). */
export function relationDocument(relation: WritableRelation, mode: WriteMode): DocumentObject {
  const { field, related } = relation;
  const { create, change, link } = componentNames(related.model.name);
  const named = mode === "create" ? reference(link) : namedOrRemoved(relation);
  const acts: DocumentObject[] = [];
  if (isOpenFor(relation, "connect") || (mode === "update" && isOpenFor(relation, "delete"))) acts.push(named);
  if (isOpenFor(relation, "create")) acts.push(reference(create));
  if (mode === "update" && related.model.key !== undefined && isOpenFor(relation, "update"))
    acts.push(reference(change));
  if (acts.length === 0) acts.push({ not: {} });
  if (field.isList) return { type: "array", items: anyOf(acts) };
  return anyOf(canBeEmpty(relation) ? [...acts, { type: "null" }] : acts);
}

/** What names a row that exists: its id or other unique fields. */
export function linkDocument({ related, keys }: WritableRelation): DocumentObject {
  const ways = keys.map(({ fields }) => `\`${fields.map(({ name }) => name).join("` and `")}\``).join(", or ");
  return {
    type: "object",
    description: `A row of ${related.model.name} that exists, by ${ways === "" ? "nothing that can be named" : ways}.`,
    properties: uniqueFields(keys),
    minProperties: 1,
    additionalProperties: false,
  };
}

/** The same, and the marks that take a row away. */
function namedOrRemoved(relation: WritableRelation): DocumentObject {
  const { keys } = relation;
  const isOpen = (act: "disconnect" | "delete"): boolean => isOpenFor(relation, act);
  const flag = (description: string): DocumentObject => ({ type: "boolean", const: true, description });
  return {
    type: "object",
    properties: {
      ...uniqueFields(keys),
      ...(canBeEmpty(relation) && isOpen("disconnect")
        ? { $disconnect: flag("Takes the row out of the relation.") }
        : {}),
      ...(isOpen("delete") ? { $delete: flag("Deletes the row.") } : {}),
    },
    minProperties: 1,
    additionalProperties: false,
  };
}

const uniqueFields = (keys: WritableRelation["keys"]): Readonly<Record<string, DocumentObject>> =>
  Object.fromEntries(
    keys.flatMap(({ fields }) =>
      fields.map((field) => [field.name, fieldDocument({ ...field, isRequired: true }, "body")]),
    ),
  );

const anyOf = (schemas: readonly DocumentObject[]): DocumentObject =>
  schemas.length === 1 ? (schemas[0] as DocumentObject) : { anyOf: schemas };
