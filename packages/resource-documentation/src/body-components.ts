import { isOptionalInCreate, type StoredField } from "@servicekit/orm";
import type { WritableModel, WritableModels, WritableRelation, WriteMode } from "@servicekit/resource";
import type { DocumentObject } from "@servicekit/router";
import { componentNames, reference } from "./component-names.js";
import { examples, keyDocument, keyExample } from "./components.js";
import { eitherOf, holding } from "./either-of.js";
import { fieldDocument } from "./field-document.js";
import { fieldExample } from "./field-example.js";
import { type NestedRow, namingComponents, nestedRow, relationDocument } from "./relation-document.js";

type Components = Record<string, DocumentObject>;

/** What bodies of create and update take: of a model, and of all that can be written through its relations (C12, C13). */
export function bodyComponents(writable: WritableModel, writables: WritableModels): Readonly<Components> {
  const reached = new Set([writable]);
  const nested = new Map<string, NestedRow>();
  for (const { relations } of reached) {
    for (const relation of relations.values()) {
      const next = writables.get(relation.related.model.name);
      if (relation.opens !== "write" || next === undefined) continue;
      reached.add(next);
      const row = nestedRow(relation, next);
      nested.set(row.create, row);
    }
  }
  return Object.assign(
    {},
    ...[...reached].map((each) => componentsOf(each, writables)),
    ...[...nested.values()].map((row) => nestedComponents(row, writables)),
  );
}

const noFields: ReadonlySet<string> = new Set();

function componentsOf(writable: WritableModel, writables: WritableModels): Readonly<Components> {
  const { model } = writable.resource;
  const { create, update, changes, item } = componentNames(model.name);
  const { changed } = exampleFields(writable);
  const id: readonly Example[] = model.key === undefined ? [] : [["id", keyExample(writable.resource)]];
  // Of an update and of an item of a bulk, one holds the other's fields: what they share stands once.
  return {
    [create]: createDocument(writable, noFields, writables),
    [changes]: {
      type: "object",
      properties: propertiesOf(writable, "update", noFields, writables),
      ...exclusions(writable),
    },
    [update]: { type: "object", allOf: [reference(changes)], unevaluatedProperties: false, ...examples(changed) },
    [item]: {
      type: "object",
      allOf: [reference(changes)],
      properties: { id: keyDocument },
      required: ["id"],
      unevaluatedProperties: false,
      ...examples([...id, ...changed]),
    },
    ...Object.assign({}, ...[...writable.relations.values()].map(namingComponents)),
  };
}

/** A row that is made or changed through a relation: without what the relation settles, and with its id for a change. */
function nestedComponents(
  { writable, create, change, settled, settledInChange }: NestedRow,
  writables: WritableModels,
): Readonly<Components> {
  const { model } = writable.resource;
  const made: Components =
    create === componentNames(model.name).create ? {} : { [create]: createDocument(writable, settled, writables) };
  if (model.key === undefined) return made;
  const key = Object.fromEntries(model.key.fields.map((field) => [field.name, fieldDocument(field, "body")]));
  return {
    ...made,
    [change]: {
      type: "object",
      properties: { ...propertiesOf(writable, "update", settledInChange, writables), ...key },
      required: Object.keys(key),
      additionalProperties: false,
      ...exclusions(writable),
    },
  };
}

function createDocument(
  writable: WritableModel,
  settled: ReadonlySet<string>,
  writables: WritableModels,
): DocumentObject {
  const { required, created } = exampleFields(writable);
  const needed = required.filter((name) => !settled.has(name));
  return {
    type: "object",
    properties: propertiesOf(writable, "create", settled, writables),
    ...eitherOf([
      [needed],
      ...foreignKeys(
        ownRelations(writable).filter(({ name }) => !settled.has(name)),
        settled,
      ),
    ]),
    additionalProperties: false,
    ...exclusions(writable),
    ...examples(created.filter(([name]) => !settled.has(name))),
  };
}

function propertiesOf(
  { resource, fields, relations, password }: WritableModel,
  mode: WriteMode,
  settled: ReadonlySet<string>,
  writables: WritableModels,
): DocumentObject {
  const [key, ...others] = resource.model.key?.fields ?? [];
  const described = [...fields.values()].map((field): [string, DocumentObject] => {
    if (field.name === password) return [field.name, passwordDocument(field)];
    const document = fieldDocument(field, "body");
    // An id is a segment of a path, which an empty text cannot be.
    const isTextId = field.name === key?.name && others.length === 0 && document.type === "string";
    return [field.name, isTextId ? { ...document, minLength: 1 } : document];
  });
  const related = [...relations.values()].map(
    (relation) => [relation.name, relationDocument(relation, mode, writables)] as const,
  );
  return Object.fromEntries([...described, ...related].filter(([name]) => !settled.has(name)));
}

const passwordDocument = ({ isRequired }: StoredField): DocumentObject => ({
  type: isRequired ? "string" : ["string", "null"],
  format: "password",
  minLength: 1,
});

/** The relations that are stored in foreign keys of this model, with those that are fields of a body. */
const ownRelations = ({ relations, fields }: WritableModel) =>
  [...relations.values()].flatMap(({ name, link }: WritableRelation) =>
    link.kind === "own"
      ? [{ name, keys: link.fields, isOpen: link.fields.filter((field) => fields.has(field.name)) }]
      : [],
  );

/** A new row needs a foreign key or its relation (contract C13). */
const foreignKeys = (own: ReturnType<typeof ownRelations>, settled: ReadonlySet<string>): readonly string[][][] =>
  own.flatMap(({ name, keys, isOpen }) => {
    const missing = keys.filter((field) => !settled.has(field.name) && !isOptionalInCreate(field));
    if (missing.length === 0) return [];
    const canBeFields = missing.every((field) => isOpen.includes(field));
    return [[...(canBeFields ? [missing.map((field) => field.name)] : []), [name]]];
  });

/** A foreign key and its relation say the same: only one of them is given. */
function exclusions(writable: WritableModel): DocumentObject {
  const both = ownRelations(writable).flatMap(({ name, isOpen }) => isOpen.map((field) => [name, field.name]));
  const [pair, ...others] = both.map(holding);
  if (pair === undefined) return {};
  return { not: others.length === 0 ? pair : { anyOf: [pair, ...others] } };
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
