import type { Resource } from "@servicekit/resource";
import type { DocumentObject } from "@servicekit/router";
import { componentNames, reference } from "./component-names.js";
import { fieldDocument } from "./field-document.js";
import { fieldExample, valueExample } from "./field-example.js";

/** The id of a row in a body (contract C14). */
export const keyDocument: DocumentObject = { type: ["string", "integer"], description: "The id as in a path." };

/** A row's key as it stands in a path (contract C7). */
export const keyExample = ({ model }: Resource): string =>
  (model.key?.fields ?? []).map((field) => encodeURIComponent(String(valueExample(field)))).join(",");

/** An example of an object; none where nothing would be in it. */
export const examples = (entries: readonly (readonly [name: string, value: unknown])[]): DocumentObject =>
  entries.length === 0 ? {} : { examples: [Object.fromEntries(entries)] };

/**
 * A row as it is answered, and a part of it (`fields=` chooses). Relations stand in it where `include` asks for them.
 *
 * @param isPartial whether callers see different fields of it, so that none is certain
 * @param hidesRows whether a row rule can keep rows of a model from a caller: a relation to such a row is null
 */
export function rowComponents(
  resource: Resource,
  isPartial: boolean,
  hidesRows: (model: string) => boolean,
): Readonly<Record<string, DocumentObject>> {
  const { row, part } = componentNames(resource.model.name);
  const { documentation } = resource.model;
  const relations = [...resource.relations.values()].map(
    ({ name, type, isList, isRequired }): [string, DocumentObject] => {
      const related = reference(componentNames(type).row);
      const one = isRequired && !hidesRows(type) ? related : { anyOf: [related, { type: "null" }] };
      return [name, isList ? { type: "array", items: related } : one];
    },
  );
  const fields = [...resource.fields.values()].map((field): [string, DocumentObject] => [
    field.name,
    fieldDocument(field, "answer"),
  ]);
  const properties = Object.fromEntries([...fields, ...relations]);
  const { findMany, findOne } = resource.shown;
  const shown = [...findMany.fields.values()].filter(({ name }) => findOne.fields.has(name));
  const required = isPartial ? [] : shown.map(({ name }) => name);
  return {
    [row]: {
      type: "object",
      ...(documentation === undefined ? {} : { description: documentation }),
      properties,
      ...(required.length === 0 ? {} : { required }),
      additionalProperties: false,
      ...examples(shown.map((field) => [field.name, fieldExample(field)])),
    },
    [part]: {
      type: "object",
      description: `The fields of ${row} that \`fields\` names.`,
      properties,
      additionalProperties: false,
    },
  };
}
