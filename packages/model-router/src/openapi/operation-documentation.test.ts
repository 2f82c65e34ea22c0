import { createRequire } from "node:module";
import path from "node:path";
import { type Models, readModels } from "@servicekit/prisma";
import { type DataModel, toModelsData } from "@servicekit/prisma/generator";
import { defaultQueryLimits } from "@servicekit/query-parser";
import { expect, it } from "vitest";
import { makeWritableModels } from "../resource/body/writable-model.js";
import { type Operation } from "../resource/config/operation.js";
import { type ResourceSettings } from "../resource/config/resource-config.js";
import { resourcePaths } from "../resource/path.js";
import { makeResources } from "../resource/resource.js";
import type { DocumentationSettings } from "./documentation-settings.js";
import { operationDocumentation } from "./operation-documentation.js";

const schema = `
datasource db {
  provider = "postgresql"
}
model Shelf {
  id    Int    @id @default(autoincrement())
  name  String @unique
  boxes Box[]
  slots Slot[]
}
model Stamp {
  id   Int    @id @default(autoincrement())
  text String
}
model Crate {
  id      Int     @id
  notes   Json[]
  address String? @db.Inet
}
model Slot {
  shelfId Int
  id      Int
  label   String?
  boxId   Int?
  shelf   Shelf   @relation(fields: [shelfId], references: [id])
  box     Box?    @relation(fields: [boxId], references: [id])
  @@id([shelfId, id])
}
model Box {
  id       Int      @id @default(autoincrement())
  label    String   @db.VarChar(40)
  price    Decimal  @db.Decimal(10, 2)
  rate     Decimal? @db.Decimal(3, 3)
  facts    Json
  limit    Int
  madeOn   DateTime @db.Date
  parts    String[]
  shelfId  Int
  shelf    Shelf    @relation(fields: [shelfId], references: [id])
  parentId Int?
  parent   Box?     @relation("inside", fields: [parentId], references: [id])
  inside   Box[]    @relation("inside") /// @writable
  slots    Slot[]
}
`;

const requireFromPrisma = createRequire(path.join(import.meta.dirname, "../../../prisma/package.json"));
const { get_dmmf: getDmmf } = requireFromPrisma("@prisma/prisma-schema-wasm") as { get_dmmf(input: string): string };
const dataModel = JSON.parse(getDmmf(JSON.stringify({ prismaSchema: [["schema.prisma", schema]] }))) as DataModel;
const models: Models = readModels(toModelsData(dataModel, schema));

// biome-ignore lint/suspicious/noExplicitAny: a document is read at any depth
type Loose = any;

type Settings = ResourceSettings & DocumentationSettings;

const defaults: Settings = {
  models: {},
  page: { default: 20, max: 100 },
  bulkItems: 1000,
  include: { depth: 3, rows: 100, total: 10_000 },
  query: defaultQueryLimits,
  parseDoubleUnderscore: true,
  exportRows: 100_000,
};

function documentOf(model: string, operation: Operation, changes: Partial<Settings> = {}): Loose {
  const settings = { ...defaults, ...changes };
  const resources = makeResources(models, resourcePaths(models), settings);
  const writables = makeWritableModels(resources, models, {
    models: settings.models,
    users: undefined,
    hashesPassword: false,
    isOffered: () => true,
    hasHooks: () => false,
  });
  const source = { resources, writables, settings, isGuarded: false, made: new Map(), filters: new Map() };
  const resource = resources.get(model);
  if (resource === undefined) throw new Error(model);
  return operationDocumentation(operation, resource, source);
}

it("C65 gives every field one parameter, and every kind of column one schema of all its operators", () => {
  const { parameters, components } = documentOf("Box", "findMany");
  const filters = parameters.filter(({ style }: Loose) => style === "deepObject");
  expect(filters.map(({ name, schema: { $ref } }: Loose) => `${name} ${$ref.split("/").at(-1)}`)).toEqual([
    "id IntFilter",
    "label TextFilter",
    "price DecimalFilter",
    "rate NullableDecimalFilter",
    "facts NullableJsonFilter",
    "madeOn DateFilter",
    "parts TextListFilter",
    "shelfId IntFilter",
    "parentId NullableIntFilter",
  ]);
  const operators = (name: string): string => Object.keys(components[name].properties).join(" ");
  expect(operators("IntFilter")).toBe("equals not in notIn lt lte gt gte");
  expect(operators("NullableIntFilter")).toBe("equals not in notIn lt lte gt gte isNull");
  expect(operators("TextListFilter")).toBe("has hasSome hasEvery isEmpty equals");
  expect(components.IntFilter.properties.in).toEqual({
    type: "string",
    description: "is in the list, separated by commas.",
  });
  expect(components.IntFilter).toMatchObject({ additionalProperties: false, examples: [{}] });
  expect(documentOf("Shelf", "deleteMany").components.TextFilter).toBeDefined();
});

it("gives a field with a parameter's name parameters of its own", () => {
  const { parameters } = documentOf("Box", "findMany");
  const named = parameters.map(({ name }: Loose) => name).filter((name: string) => name.startsWith("limit"));
  expect(named.slice(0, 3)).toEqual(["limit", "limit[equals]", "limit[not]"]);
});

it("prefills nothing", () => {
  for (const { schema: text, example } of documentOf("Box", "findMany").parameters) {
    expect([text.default, example]).toEqual([undefined, undefined]);
  }
});

it("describes both notations of a filter, or the supported one", () => {
  expect(documentOf("Box", "findMany").description).toContain("`id[not]=…` or `id__not=…`");
  expect(documentOf("Box", "findMany").description).toContain("`shelf__…`");
  const { description } = documentOf("Box", "findMany", { parseDoubleUnderscore: false });
  expect(description).not.toContain("__");
  expect(description).toContain("`shelf[…]`");
});

it("has one schema for rows, in which every field of a default read is required", () => {
  const { components, responses } = documentOf("Box", "findMany");
  const { $ref } = responses["200"].content["application/json"].schema;
  expect($ref).toBe("#/components/schemas/BoxPage");
  expect(components.BoxPage.properties.data).toEqual({ type: "array", items: { $ref: "#/components/schemas/Box" } });
  expect(components.Box.required).toEqual([
    ..."id label price rate facts limit madeOn parts shelfId parentId".split(" "),
  ]);
  expect(Object.keys(components)).not.toContain("BoxPart");
});

it("requires the fields that every caller may see, and no field that only some may see", () => {
  const fields = { "*": ["id", "label"], STAFF: ["price"] };
  const { components } = documentOf("Box", "findOne", { models: { Box: { auth: { findOne: true, fields } } } });
  expect(components.Box.required).toEqual(["id", "label"]);
});

it("documents that a new row has a relation or its key, and not both", () => {
  const { components } = documentOf("Box", "createOne");
  const { required, allOf } = components.BoxCreate;
  const { not } = components.BoxFields;
  expect(required).toEqual(["label", "price", "facts", "limit", "madeOn"]);
  const waiting = (...names: string[]) => ({
    type: "object",
    properties: Object.fromEntries(names.map((name) => [name, {}])),
    required: names,
  });
  expect(allOf).toEqual([
    { $ref: "#/components/schemas/BoxFields" },
    { anyOf: [waiting("shelfId"), waiting("shelf")] },
  ]);
  expect(not).toEqual({ anyOf: [waiting("shelf", "shelfId"), waiting("parent", "parentId")] });
  expect(components.ShelfLink.allOf).toEqual([{ anyOf: [waiting("id"), waiting("name")] }]);
});

it("writes the fields of new and changed rows once", () => {
  const { components } = documentOf("Stamp", "createOne");
  expect(components.StampCreate).toEqual({
    type: "object",
    allOf: [{ $ref: "#/components/schemas/StampFields" }],
    required: ["text"],
    unevaluatedProperties: false,
    examples: [{ text: "Text of the stamp" }],
  });
  expect(Object.keys(components.StampFields.properties)).toEqual(["text"]);
});

it("allows a part of an item's key next to the relation that changes it", () => {
  const { components } = documentOf("Slot", "updateMany");
  const [byParts, byId] = components.SlotUpdateItem.anyOf;
  const waiting = (...names: string[]) => ({
    type: "object",
    properties: Object.fromEntries(names.map((name) => [name, {}])),
    required: names,
  });
  expect(components.SlotUpdateItem.not).toBeUndefined();
  expect([byParts.required, byParts.not]).toEqual([["shelfId", "id"], waiting("box", "boxId")]);
  const both = [waiting("shelf", "shelfId"), waiting("box", "boxId")];
  expect([byId.required, byId.not]).toEqual([["id"], { anyOf: [waiting("shelfId"), ...both] }]);
});

it("identifies an item of a bulk by its id as in a path, also if bodies set the id", () => {
  const { components } = documentOf("Crate", "updateMany");
  const idOf = (name: string): unknown => components[name].properties?.id;
  expect(idOf("CrateFields")).toBeUndefined();
  expect(idOf("CrateUpdateItem")).toEqual({ $ref: "#/components/schemas/RowId" });
  for (const name of ["CrateCreate", "CrateUpdate"])
    expect([name, idOf(name)]).toEqual([name, expect.objectContaining({ type: "integer" })]);
  expect(components.CrateCreate.required).toEqual(["id"]);
});

it("excludes null from the elements of a list of JSON", () => {
  const { notes } = documentOf("Crate", "createOne").components.CrateFields.properties;
  expect(notes.items).toMatchObject({ type: ["string", "number", "boolean", "object", "array"], items: {} });
});

it("writes a value with a long rule as one shared schema", () => {
  const { components } = documentOf("Crate", "findMany");
  const shared = { $ref: "#/components/schemas/InetValue" };
  expect(components.NullableInetFilter.properties.equals).toMatchObject(shared);
  const { address } = documentOf("Crate", "createOne").components.CrateFields.properties;
  expect(address).toEqual({ anyOf: [shared, { type: "null" }] });
});

it("writes keys of one kind as one schema, shared by models", () => {
  const { components } = documentOf("Box", "updateOne");
  const refersTo = (schema: Loose) => schema.$ref?.split("/").at(-1);
  // The only key of a box is its `id`; a shelf can also be identified by its `name`.
  expect(refersTo(components.BoxChanges.properties.parent)).toBe("IdIntLinkOrNone");
  expect(components.IdIntLinkOrNone.anyOf.map(refersTo)).toEqual([
    "IdIntLink",
    "IdIntDisconnect",
    "RelatedDisconnect",
    undefined,
  ]);
  expect(components.RelatedDisconnect).toMatchObject({ required: ["$disconnect"], additionalProperties: false });
  expect(components.IdIntDisconnect.required).toEqual(["$disconnect", "id"]);
  expect(components.IdIntLink.description).toBe("An existing row, by `id`.");
  expect(refersTo(components.BoxChanges.properties.shelf)).toBe("ShelfLink");
  expect(components.ShelfLink.description).toBe("An existing row of Shelf, by `id`, or `name`.");
});

it("excludes from a nested row the fields that its place determines", () => {
  const { components } = documentOf("Box", "createOne");
  const { properties } = components.BoxCreateWithoutParent;
  expect(Object.keys(properties)).not.toContain("parent");
  expect(Object.keys(properties)).not.toContain("parentId");
  expect(components.BoxCreate.properties.inside.items.anyOf).toContainEqual({
    $ref: "#/components/schemas/BoxCreateWithoutParent",
  });
});

it("gives decimals the digits of their column", () => {
  const { components } = documentOf("Box", "createOne");
  expect(components.BoxFields.properties.price).toEqual({ $ref: "#/components/schemas/Decimal8Point2Value" });
  const price = new RegExp(components.Decimal8Point2Value.anyOf[0].pattern);
  for (const right of ["1", "-12345678.95", "012.500"]) expect(price.test(right), right).toBe(true);
  for (const wrong of ["123456789", "1.005", "1.", "1e3", ""]) expect(price.test(wrong), wrong).toBe(false);
  const rate = new RegExp(components.Decimal0Point3Value.anyOf[0].pattern);
  for (const right of ["0", "0.125", "-0.5"]) expect(rate.test(right), right).toBe(true);
  for (const wrong of ["1", "0.1255"]) expect(rate.test(wrong), wrong).toBe(false);
  expect(components.Box.properties.price.pattern).toBe("^-?\\d{1,8}(\\.\\d{1,2})?$");
});

it("documents which JSON a filter accepts", () => {
  const { components } = documentOf("Box", "findMany");
  const { equals } = components.NullableJsonFilter.properties;
  const pattern = new RegExp(equals.pattern);
  for (const right of ['"green"', "4.5", "true"]) expect(pattern.test(right), right).toBe(true);
  for (const wrong of ["green", '{"a":1}', "[1]"]) expect(pattern.test(wrong), wrong).toBe(false);
});

it("has realistic examples, in the words of the schema", () => {
  const [example] = documentOf("Box", "findMany").components.Box.examples;
  expect(example).toMatchObject({ id: 1, label: "Label", price: "19.95", rate: "0.95", facts: { key: "value" } });
  expect(documentOf("Shelf", "findOne").components.Shelf.examples[0]).toEqual({ id: 1, name: "Example shelf" });
});

it("summarizes each operation with the words for the model's rows", () => {
  const all = ["findMany", "findOne", "createOne", "updateOne", "deleteOne", "createMany", "updateMany", "deleteMany"];
  expect(all.map((operation) => documentOf("Shelf", operation as Operation).summary)).toEqual([
    ...["List shelves", "Retrieve a shelf", "Create a shelf", "Update a shelf", "Delete a shelf"],
    ...["Create many shelves", "Update many shelves", "Delete many shelves"],
  ]);
});
