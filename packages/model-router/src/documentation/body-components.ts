import { isOptionalInCreate, type StoredField } from "@servicekit/orm";
import type { WritableModel, WritableModels, WriteMode } from "@servicekit/resource";
import type { DocumentObject } from "@servicekit/router";
import { componentNames } from "./component-names.js";
import { examples, keyDocument, keyExample } from "./components.js";
import { fieldDocument } from "./field-document.js";
import { fieldExample } from "./field-example.js";
import { linkDocument, relationDocument } from "./relation-document.js";

/** What bodies of create and update take: of a model, and of all that can be written through its relations (C12, C13). */
export function bodyComponents(
  writable: WritableModel,
  writables: WritableModels,
): Readonly<Record<string, DocumentObject>> {
  const reached = new Set([writable]);
  const nested = new Set<WritableModel>();
  for (const { relations } of reached) {
    for (const { opens, related } of relations.values()) {
      const next = writables.get(related.model.name);
      if (opens !== "write" || next === undefined) continue;
      reached.add(next);
      nested.add(next);
    }
  }
  return Object.assign({}, ...[...reached].map(componentsOf), ...[...nested].map(changeComponent));
}

/** A row that is changed through a relation: its id and what is new. */
function changeComponent(writable: WritableModel): Readonly<Record<string, DocumentObject>> {
  const { model } = writable.resource;
  if (model.key === undefined) return {};
  const key = Object.fromEntries(model.key.fields.map((field) => [field.name, fieldDocument(field, "body")]));
  const properties = { ...propertiesOf(writable, "update"), ...key };
  const document = { type: "object", properties, required: Object.keys(key), additionalProperties: false };
  return { [componentNames(model.name).change]: document };
}

function componentsOf(writable: WritableModel): Readonly<Record<string, DocumentObject>> {
  const { resource, relations } = writable;
  const { create, update, item } = componentNames(resource.model.name);
  const changes = propertiesOf(writable, "update");
  const { required, created, changed } = exampleFields(writable);
  const object = (properties: DocumentObject, needed: readonly string[], example: readonly Example[]) => ({
    type: "object",
    properties,
    ...(needed.length === 0 ? {} : { required: needed }),
    additionalProperties: false,
    ...examples(example),
  });
  return {
    [create]: object(propertiesOf(writable, "create"), required, created),
    [update]: object(changes, [], changed),
    [item]: object({ ...changes, id: keyDocument }, ["id"], [["id", keyExample(resource)], ...changed]),
    ...Object.fromEntries(
      [...relations.values()].map((relation) => [
        componentNames(relation.related.model.name).link,
        linkDocument(relation),
      ]),
    ),
  };
}

function propertiesOf({ resource, fields, relations, password }: WritableModel, mode: WriteMode): DocumentObject {
  const [key, ...others] = resource.model.key?.fields ?? [];
  const described = [...fields.values()].map((field): [string, DocumentObject] => {
    if (field.name === password) return [field.name, { type: "string", format: "password", minLength: 1 }];
    const document = fieldDocument(field, "body");
    // An id is a segment of a path, which an empty text cannot be.
    const isTextId = field.name === key?.name && others.length === 0 && document.type === "string";
    return [field.name, isTextId ? { ...document, minLength: 1 } : document];
  });
  const related = [...relations.values()].map((relation) => [relation.name, relationDocument(relation, mode)] as const);
  return Object.fromEntries([...described, ...related]);
}

type Example = readonly [name: string, value: unknown];

/** What a new row cannot do without, and examples of a new and of a changed row. */
function exampleFields({ fields, relations, password }: WritableModel) {
  const all = [...fields.values()];
  // A foreign key may be given as the relation in its place.
  const replaceable = new Set([...relations.values()].flatMap(({ field }) => field.relation.fields));
  const needed = all.filter((field) => !isOptionalInCreate(field));
  const plain = all.filter(({ name, isId, isForeignKey }) => !isId && !isForeignKey && name !== password).slice(0, 2);
  const show = (shown: readonly StoredField[]): readonly Example[] =>
    shown.map((field) => [field.name, field.name === password ? "correct horse battery" : fieldExample(field)]);
  return {
    required: needed.map(({ name }) => name).filter((name) => !replaceable.has(name)),
    created: show(needed.length === 0 ? plain : needed),
    changed: show(plain),
  };
}
