import type { DocumentObject } from "@servicekit/router";
import type { Resource } from "../resource/resource.js";
import { componentNames, reference } from "./component-names.js";
import { commonValues, computedDocument, fieldDocument } from "./field-document.js";
import { computedExample, fieldExample, valueExample } from "./field-example.js";

const keyText: DocumentObject = { type: "string", minLength: 1, description: "The id as in the path." };

/** The id of a row in a body (contract C14): as a string, or as the number of an integer id. */
export const keyDocuments = { text: keyText, any: reference("RowId") } as const;

/** A row's key in a path (contract C7). */
export const keyExample = ({ model }: Resource): string =>
  (model.key?.fields ?? []).map((field) => encodeURIComponent(String(valueExample(field, model.name)))).join(",");

/** An example of an object; none if it would be empty. */
export const examples = (entries: readonly (readonly [name: string, value: unknown])[]): DocumentObject =>
  entries.length === 0 ? {} : { examples: [Object.fromEntries(entries)] };

/** The views of rows of a model. */
export interface RowView {
  /** Whether some caller may not see a field. */
  readonly mayHide: (field: string) => boolean;
  /** Whether a row rule can hide rows of a model from a caller: a relation to such a row is null. */
  readonly hidesRows: (model: string) => boolean;
}

/**
 * A row in the response to a request without field selection, and the responses that contain it (contract C65).
 * Relations are included on request; fields of only some callers or some reads are not required.
 */
export function rowComponents(resource: Resource, view: RowView): Readonly<Record<string, DocumentObject>> {
  const { row, response, responses, page } = componentNames(resource.model.name);
  const { name, documentation } = resource.model;
  const relations = [...resource.relations.values()].map(
    ({ name, type, isList, isRequired }): [string, DocumentObject] => {
      const related = reference(componentNames(type).row);
      const one = isRequired && !view.hidesRows(type) ? related : { anyOf: [related, { type: "null" }] };
      return [name, isList ? { type: "array", items: related } : one];
    },
  );
  const fields = [...resource.fields.values()].map((field): [string, DocumentObject] => [
    field.name,
    fieldDocument(field, "response"),
  ]);
  const computed = [...resource.computed.values()].map((field): [string, DocumentObject] => [
    field.name,
    computedDocument(field),
  ]);
  const { findMany, findOne } = resource.shown;
  const shownNames = [...findMany.names].filter((name) => findOne.names.has(name));
  const shown = [...findMany.fields.values()].filter(({ name }) => findOne.fields.has(name));
  // A row without one of its fields is no example.
  const computedExamples = [...resource.computed.values()].flatMap((field) =>
    shownNames.includes(field.name) ? [[field.name, computedExample(field)] as const] : [],
  );
  const required = shownNames.filter((name) => !view.mayHide(name));
  const rows: DocumentObject = { type: "array", items: reference(row) };
  return {
    [row]: {
      type: "object",
      ...(documentation === undefined ? {} : { description: documentation }),
      properties: Object.fromEntries([...fields, ...computed, ...relations]),
      ...(required.length === 0 ? {} : { required }),
      additionalProperties: false,
      ...(computedExamples.some(([, value]) => value === undefined)
        ? {}
        : examples([...shown.map((field) => [field.name, fieldExample(field, name)] as const), ...computedExamples])),
    },
    [response]: envelope({ data: reference(row) }),
    [responses]: envelope({ data: rows, meta: reference("CountMeta") }),
    [page]: envelope({ data: rows, meta: reference("PageMeta") }),
  };
}

/** An object with exactly these keys. */
const envelope = (properties: Readonly<Record<string, DocumentObject>>): DocumentObject => ({
  type: "object",
  properties,
  required: Object.keys(properties),
  additionalProperties: false,
});

/** Schemas that many models share: rows in responses (contract C5), ids, and values with long rules. */
export const commonComponents: Readonly<Record<string, DocumentObject>> = {
  RowId: { ...keyText, type: ["string", "integer"] },
  ...commonValues,
  CountMeta: envelope({ count: { type: "integer", minimum: 0 } }),
  DeletedCount: envelope({ meta: reference("CountMeta") }),
  PageMeta: {
    type: "object",
    properties: {
      total: {
        type: "integer",
        minimum: 0,
        description: "The number of rows on all pages; absent with `count=false`.",
      },
      count: { type: "integer", minimum: 0, description: "The number of rows on this page." },
      limit: { type: "integer", minimum: 1 },
      page: { type: "integer", minimum: 1, description: "Absent in cursor mode." },
      estimated: { const: true, description: "Present if `total` is an estimate of the database." },
      limited: { const: true, description: "Present if there are more rows than `total`." },
      pages: { type: "integer", minimum: 0, description: "The number of pages, if `total` is exact." },
      nextCursor: { type: ["string", "null"], description: "The cursor of the next page, in cursor mode." },
      highlights: {
        type: "array",
        items: { type: "object", additionalProperties: { type: "string" } },
        description: "With `highlight=true`: excerpts of each row by field, as HTML with `<mark>`.",
      },
    },
    required: ["count", "limit"],
    additionalProperties: false,
  },
};
