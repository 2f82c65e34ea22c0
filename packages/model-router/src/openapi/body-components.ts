import { type Model, type StoredField } from "@servicekit/prisma";
import { isOptionalInCreate, isPathText, noPathText } from "@servicekit/prisma/internal";
import type { DocumentObject } from "@servicekit/router";
import { type WriteMode } from "../resource/body/relation-act.js";
import { neededKeys } from "../resource/body/row-schema.js";
import { type WritableModel, type WritableModels, type WritableRelation } from "../resource/body/writable-model.js";
import { type Resource } from "../resource/resource.js";
import { componentNames, reference } from "./component-names.js";
import { examples, keyDocuments, keyExample } from "./components.js";
import { eitherOf, waiting } from "./either-of.js";
import { decimalValues, fieldDocument } from "./field-document.js";
import { fieldExample } from "./field-example.js";
import {
  type NestedRow,
  namingComponents,
  nestedRow,
  relationDocument,
  unnamedComponents,
} from "./relation-document.js";

type Components = Record<string, DocumentObject>;

/**
 * The bodies of create and update: of a model, and of everything that can be written through its relations (C12, C13).
 */
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
    unnamedComponents,
    ...[...reached].map((each) => decimalValues(namedFields(each))),
    ...[...reached].map((each) => componentsOf(each, writables)),
    ...[...nested.values()].map((row) => nestedComponents(row, writables)),
  );
}

/** All fields in bodies of a model: its own, and the keys of related rows. */
const namedFields = ({ fields, relations, resource }: WritableModel): Iterable<StoredField> => [
  ...fields.values(),
  ...(resource.model.key?.fields ?? []),
  ...[...relations.values()].flatMap(({ keys }) => keys.flatMap((key) => key.fields)),
];

const noFields: ReadonlySet<string> = new Set();

const allBut = (name: string, { fields, relations }: WritableModel): ReadonlySet<string> =>
  new Set([...fields.keys(), ...relations.keys()].filter((one) => one !== name));

function componentsOf(writable: WritableModel, writables: WritableModels): Readonly<Components> {
  const { model } = writable.resource;
  const { create, createList, fields, update, changes, item } = componentNames(model.name);
  const related = propertiesOf(writable, "update", new Set(writable.fields.keys()), writables);
  const changed = isEmpty(related) ? fields : changes;
  // In an item, the id identifies the row and is not a change.
  const ownId = propertiesOf(writable, "update", allBut("id", writable), writables);
  const { changed: shown } = exampleFields(writable);
  const id: readonly Example[] = model.key === undefined ? [] : [["id", keyExample(writable.resource)]];
  // What a create, an update and an item of a bulk share is written once.
  return {
    [fields]: {
      type: "object",
      properties: propertiesOf(writable, "update", new Set(["id", ...writable.relations.keys()]), writables),
      ...noneOf(
        excludedPairs(writable)
          .filter(([, field]) => field !== "id")
          .map(waiting),
      ),
    },
    [create]: createDocument(writable, noFields, writables),
    [createList]: { type: "array", items: reference(create), minItems: 1, maxItems: writable.resource.bulkItems },
    ...(isEmpty(related) ? {} : { [changes]: { type: "object", allOf: [reference(fields)], properties: related } }),
    [update]: {
      type: "object",
      allOf: [reference(changed)],
      ...(isEmpty(ownId) ? {} : { properties: ownId, ...idExclusions(writable) }),
      unevaluatedProperties: false,
      ...examples(shown),
    },
    [item]: partsOf(model)?.includes("id")
      ? itemByParts(writable, shown, writables)
      : {
          type: "object",
          allOf: [reference(changed)],
          properties: { id: keyDocuments.any },
          required: ["id"],
          unevaluatedProperties: false,
          ...examples([...id, ...shown]),
        },
    ...Object.assign({}, ...[...writable.relations.values()].map(namingComponents)),
  };
}

const partsOf = ({ key }: Model): readonly string[] | undefined =>
  key === undefined || key.fields.length < 2 ? undefined : key.fields.map(({ name }) => name);

/** An item of a bulk update if a part of the key is named `id`: identified by all parts, or by the id as in a path. */
function itemByParts(writable: WritableModel, changed: readonly Example[], writables: WritableModels): DocumentObject {
  const { model } = writable.resource;
  const fields = model.key?.fields ?? [];
  const { id, ...parts } = Object.fromEntries(fields.map((field) => [field.name, fieldDocument(field, "body")]));
  const own = fields.map((field): Example => [field.name, fieldExample(field, model.name)]);
  const isPart = (name: string): boolean => fields.some((field) => field.name === name);
  const pairs = excludedPairs(writable);
  return {
    type: "object",
    properties: { ...propertiesOf(writable, "update", new Set(["id"]), writables), ...parts, id: {} },
    anyOf: [
      // A part identifies the row, so that a relation next to it is a change.
      {
        properties: { id },
        required: fields.map(({ name }) => name),
        ...noneOf(pairs.filter(([, field]) => !isPart(field)).map(waiting)),
      },
      {
        properties: { id: keyDocuments.text },
        required: ["id"],
        ...noneOf([waiting(Object.keys(parts)), ...pairs.map(waiting)]),
      },
    ],
    additionalProperties: false,
    ...examples([...own, ...changed.filter(([name]) => !isPart(name))]),
  };
}

/**
 * A row that is created or updated through a relation: without the fields that the relation determines, and with its id
 * for an update.
 */
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

/** A body that replaces a row: the fields of a new one, which may repeat the key of the path. */
export function replaceDocument(writable: WritableModel, writables: WritableModels): DocumentObject {
  const fields = writable.resource.model.key?.fields ?? [];
  const key = Object.fromEntries(fields.map((field) => [field.name, fieldDocument(field, "body")]));
  const { examples: _, ...document } = createDocument(writable, new Set(Object.keys(key)), writables);
  return { ...document, properties: { ...key, ...(document.properties as DocumentObject | undefined) } };
}

const isEmpty = (properties: DocumentObject): boolean => Object.keys(properties).length === 0;

/** A new row; if its place determines no field, its fields are referenced. */
function createDocument(
  writable: WritableModel,
  settled: ReadonlySet<string>,
  writables: WritableModels,
): DocumentObject {
  const { required, created } = exampleFields(writable);
  const needed = required.filter((name) => !settled.has(name));
  const isShared = settled.size === 0;
  const { allOf = [], ...choices } = eitherOf([[needed], ...foreignKeys(writable, settled)]);
  const shared = new Set([...writable.fields.keys()].filter((name) => name !== "id"));
  const own = propertiesOf(writable, "create", isShared ? shared : settled, writables);
  const all = [
    ...(isShared ? [reference(componentNames(writable.resource.model.name).fields)] : []),
    ...(allOf as readonly DocumentObject[]),
  ];
  return {
    type: "object",
    ...(all.length === 0 ? {} : { allOf: all }),
    ...(isEmpty(own) ? {} : { properties: own }),
    ...choices,
    ...(isShared
      ? { unevaluatedProperties: false, ...idExclusions(writable) }
      : { additionalProperties: false, ...exclusions(writable) }),
    ...examples(created.filter(([name]) => !settled.has(name))),
  };
}

function propertiesOf(
  { resource, fields, relations, password }: WritableModel,
  mode: WriteMode,
  settled: ReadonlySet<string>,
  writables: WritableModels,
): DocumentObject {
  const fieldDocuments = [...fields.values()].map((field): [string, DocumentObject] => {
    if (field.name === password) return [field.name, passwordDocument(field)];
    const document = fieldDocument(field, "body");
    return [field.name, isPathText(resource.model, field) ? pathTextDocument(document, resource) : document];
  });
  const related = [...relations.values()].map(
    (relation) => [relation.name, relationDocument(relation, mode, writables)] as const,
  );
  return Object.fromEntries([...fieldDocuments, ...related].filter(([name]) => !settled.has(name)));
}

/** A text that a path can contain. */
function pathTextDocument(document: DocumentObject, { reservedIds }: Resource): DocumentObject {
  if (document.format === "uuid") return document;
  const pattern = [noPathText.source, ...reservedIds.map((id) => `^${inAnyCase(id)}$`)].join("|");
  return { ...document, minLength: 1, not: { pattern } };
}

/** A pattern of a word in lower-case letters; patterns of JSON Schema have no flags. */
const inAnyCase = (word: string): string => word.replace(/[a-z]/g, (letter) => `[${letter.toUpperCase()}${letter}]`);

const passwordDocument = ({ isRequired }: StoredField): DocumentObject => ({
  type: isRequired ? "string" : ["string", "null"],
  format: "password",
  minLength: 1,
});

/** The relations stored in foreign keys of this model that are fields of a body. */
const ownRelations = ({ relations, fields }: WritableModel) =>
  [...relations.values()].flatMap(({ name, link }: WritableRelation) =>
    link.kind === "belongsTo" ? [{ name, isOpen: link.fields.filter((field) => fields.has(field.name)) }] : [],
  );

/** A new row requires each field of a foreign key, or a relation that sets it (contract C13). */
function foreignKeys(writable: WritableModel, settled: ReadonlySet<string>): readonly string[][][] {
  // Fields that the same relations set are given together, because no field may appear with its relation.
  const together = new Map<string, { readonly fields: string[]; readonly relations: readonly string[] }>();
  for (const { name, isField, relations } of neededKeys(writable, settled)) {
    const text = `${isField} ${relations.join()}`;
    const group = together.get(text) ?? { fields: [], relations };
    together.set(text, group);
    if (isField) group.fields.push(name);
  }
  return [...together.values()].map(({ fields, relations }) => [
    ...(fields.length === 0 ? [] : [fields]),
    ...relations.map((one) => [one]),
  ]);
}

/** A foreign key and its relation are alternatives. */
const exclusions = (writable: WritableModel): DocumentObject => noneOf(excludedPairs(writable).map(waiting));

/** The part of that for the id, which is next to the shared fields. */
const idExclusions = (writable: WritableModel): DocumentObject =>
  noneOf(
    excludedPairs(writable)
      .filter(([, field]) => field === "id")
      .map(waiting),
  );

const excludedPairs = (writable: WritableModel): readonly (readonly [relation: string, field: string])[] =>
  ownRelations(writable).flatMap(({ name, isOpen }) => isOpen.map((field) => [name, field.name] as const));

function noneOf([first, ...others]: readonly DocumentObject[]): DocumentObject {
  if (first === undefined) return {};
  return { not: others.length === 0 ? first : { anyOf: [first, ...others] } };
}

type Example = readonly [name: string, value: unknown];

/** The required fields of a new row, and examples of a new and of an updated row. */
function exampleFields({ fields, relations, password, resource }: WritableModel) {
  const all = [...fields.values()];
  // A foreign key may be given as the relation.
  const replaceable = new Set([...relations.values()].flatMap(({ field }) => field.relation.fields));
  const needed = all.filter((field) => !isOptionalInCreate(field));
  const plain = all.filter(({ name, isId, isForeignKey }) => !isId && !isForeignKey && name !== password).slice(0, 2);
  const show = (shown: readonly StoredField[]): readonly Example[] =>
    shown.map((field) => [
      field.name,
      field.name === password ? "correct horse battery" : fieldExample(field, resource.model.name),
    ]);
  return {
    required: needed.map(({ name }) => name).filter((name) => !replaceable.has(name)),
    created: show(needed.length === 0 ? plain : needed),
    changed: show(plain),
  };
}
