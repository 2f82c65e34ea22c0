import { readModels } from "@servicekit/prisma";
import { expect, it } from "vitest";
import { models as data } from "../../../test/generated/shelf/models.js";
import { resourcePaths } from "../path.js";
import { makeResources } from "../resource.js";
import { readFormRow } from "./read-form-row.js";
import { makeWritableModels } from "./writable-model.js";

const models = readModels(data);
const configs = { Book: { writable: ["tags", "cover"] } };
const resources = makeResources(models, resourcePaths(models), {
  models: configs,
  page: { default: 20, max: 100 },
  bulkItems: 1000,
});
const writables = makeWritableModels(resources, models, {
  ...{ models: configs, users: undefined, hashesPassword: false },
  isOffered: () => true,
  hasHooks: () => false,
});
const read = (model: string, row: unknown): unknown =>
  readFormRow(writables.get(model), { writables, parseJson: (text) => JSON.parse(text) }, row);

it.each<[string, unknown, unknown]>([
  ["int", "12", 12],
  ["int", "1.5", "1.5"],
  ["int", "", null],
  ["int", "null", null],
  ["int", 12, 12],
  ["bigInt", "9007199254740993", "9007199254740993"],
  ["boolean", "true", true],
  ["boolean", "false", false],
  ["boolean", "yes", "yes"],
  ["float", "0.5", 0.5],
  ["float", "-1e3", -1000],
  ["float", "0.10", 0.1],
  ["float", "0", 0],
  ["float", "123456789012345", 123456789012345],
  ["float", "0.1234567890123456789", "0.1234567890123456789"],
  ["float", "1e400", "1e400"],
  ["float", "1e-320", 1e-320],
  ["float", "1.2345678901e-320", "1.2345678901e-320"],
  ["float", "NaN", "NaN"],
  ["decimal", "1.50", "1.50"],
  ["string", "", ""],
  ["string", "null", "null"],
  ["size", "", null],
  ["json", '{"a":1}', { a: 1 }],
  ["json", "null", null],
  ["json", "", null],
  ["unknown", "1", "1"],
  ["$delete", "true", true],
  ["$disconnect", "true", true],
  ["$delete", "false", "false"],
  ["$other", "true", "true"],
])("C12 reads the text of %s of a form: %j as %j", (name, text, expected) => {
  expect(read("Value", { [name]: text })).toEqual({ [name]: expected });
});

it("C12 leaves a required field that is empty for the schema to reject", () => {
  expect(read("Must", { int: "", boolean: "null", float: "" })).toEqual({ int: "", boolean: "null", float: "" });
});

it("C12 reads each text of a list and of related rows", () => {
  expect(read("Listing", { ints: ["1", "x"], booleans: "true" })).toEqual({ ints: [1, "x"], booleans: [true] });
  expect(read("Book", { pages: "3", publisher: { id: "1" }, tags: [{ name: "1" }], cover: "" })).toEqual({
    ...{ pages: 3, publisher: { id: 1 }, tags: [{ name: "1" }], cover: null },
  });
  expect(read("Book", { publisher: "null", tags: "x" })).toEqual({ publisher: null, tags: "x" });
  expect(read("Book", "text")).toBe("text");
  expect(readFormRow(undefined, { writables, parseJson: JSON.parse }, { a: "1" })).toEqual({ a: "1" });
});

it.each([
  ["{", "MalformedJson", "/json"],
  ['{"__proto__":1}', "ForbiddenKey", "/json"],
])("C12 rejects the JSON %s", (text, code, path) => {
  expect(() => read("Value", { json: text })).toThrow(
    expect.objectContaining({ status: 400, errors: [expect.objectContaining({ in: "body", path, code })] }),
  );
});

it("reads an empty text in a field of bytes as null, and as no bytes if null is written in another way", () => {
  const reading = { writables, parseJson: JSON.parse };
  const row = { bytes: "", int: "" };
  expect(readFormRow(writables.get("Value"), reading, row)).toEqual({ bytes: null, int: null });
  expect(readFormRow(writables.get("Value"), { ...reading, hasNull: true }, row)).toEqual({ bytes: "", int: null });
});
