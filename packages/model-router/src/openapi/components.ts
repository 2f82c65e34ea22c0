import type { DocumentObject } from "@servicekit/router";
import type { Resource } from "../resource/resource.js";
import { componentNames, reference } from "./component-names.js";
import { commonValues, fieldDocument } from "./field-document.js";
import { fieldExample, valueExample } from "./field-example.js";

const keyText: DocumentObject = { type: "string", minLength: 1, description: "The id as in a path." };

/** The id of a row in a body (contract C14): as text, or as the bare number of an integer id. */
export const keyDocuments = { text: keyText, any: reference("RowId") } as const;

/** A row's key as it stands in a path (contract C7). */
export const keyExample = ({ model }: Resource): string =>
  (model.key?.fields ?? []).map((field) => encodeURIComponent(String(valueExample(field)))).join(",");

/** An example of an object; none where nothing would be in it. */
export const examples = (entries: readonly (readonly [name: string, value: unknown])[]): DocumentObject =>
  entries.length === 0 ? {} : { examples: [Object.fromEntries(entries)] };

/** What rows of a model look like to different callers. */
export interface RowView {
  /** Whether some caller does not see a field. */
  readonly mayHide: (field: string) => boolean;
  /** Whether a row rule can keep rows of a model from a caller: a relation to such a row is null. */
  readonly hidesRows: (model: string) => boolean;
}

/**
 * A row as it is answered to a request that chooses no fields, and the answers that hold it (contract C65). Relations
 * stand in it where `include` asks for them; what only some callers or some reads show is not required.
 */
export function rowComponents(resource: Resource, view: RowView): Readonly<Record<string, DocumentObject>> {
  const { row, answer, answers, page } = componentNames(resource.model.name);
  const { documentation } = resource.model;
  const relations = [...resource.relations.values()].map(
    ({ name, type, isList, isRequired }): [string, DocumentObject] => {
      const related = reference(componentNames(type).row);
      const one = isRequired && !view.hidesRows(type) ? related : { anyOf: [related, { type: "null" }] };
      return [name, isList ? { type: "array", items: related } : one];
    },
  );
  const fields = [...resource.fields.values()].map((field): [string, DocumentObject] => [
    field.name,
    fieldDocument(field, "answer"),
  ]);
  const { findMany, findOne } = resource.shown;
  const shown = [...findMany.fields.values()].filter(({ name }) => findOne.fields.has(name));
  const required = shown.map(({ name }) => name).filter((name) => !view.mayHide(name));
  const rows: DocumentObject = { type: "array", items: reference(row) };
  return {
    [row]: {
      type: "object",
      ...(documentation === undefined ? {} : { description: documentation }),
      properties: Object.fromEntries([...fields, ...relations]),
      ...(required.length === 0 ? {} : { required }),
      additionalProperties: false,
      ...examples(shown.map((field) => [field.name, fieldExample(field)])),
    },
    [answer]: envelope({ data: reference(row) }),
    [answers]: envelope({ data: rows, meta: reference("CountMeta") }),
    [page]: envelope({ data: rows, meta: reference("PageMeta") }),
  };
}

/** An object that has just these keys. */
const envelope = (properties: Readonly<Record<string, DocumentObject>>): DocumentObject => ({
  type: "object",
  properties,
  required: Object.keys(properties),
  additionalProperties: false,
});

/** What many models say in the same words: of the rows of an answer (contract C5), of ids, and of values with long rules. */
export const commonComponents: Readonly<Record<string, DocumentObject>> = {
  RowId: { ...keyText, type: ["string", "integer"] },
  ...commonValues,
  CountMeta: envelope({ count: { type: "integer", minimum: 0 } }),
  DeletedCount: envelope({ meta: reference("CountMeta") }),
  PageMeta: {
    type: "object",
    properties: {
      total: { type: "integer", minimum: 0, description: "The rows of all pages; not with `count=false`." },
      count: { type: "integer", minimum: 0, description: "The rows of this page." },
      limit: { type: "integer", minimum: 1 },
      page: { type: "integer", minimum: 1, description: "Not in cursor mode." },
      pages: { type: "integer", minimum: 0, description: "How many pages there are." },
      nextCursor: { type: ["string", "null"], description: "Where the next page begins, in cursor mode." },
    },
    required: ["count", "limit"],
    additionalProperties: false,
  },
};
