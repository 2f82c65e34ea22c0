import type { ComputedField, StoredField } from "@servicekit/prisma";
import { expect, it } from "vitest";
import { computedExample, fieldExample } from "./field-example.js";

const example = (name: string, model: string, maxCharacters?: number): unknown =>
  fieldExample(
    {
      ...{ name, kind: "scalar", type: "String", isList: false, isRequired: true },
      ...(maxCharacters === undefined ? {} : { nativeType: { name: "VarChar", args: [String(maxCharacters)] } }),
    } as unknown as StoredField,
    model,
  );

it("names the model in an example of a name or a title", () => {
  expect(example("name", "Tag")).toBe("Example tag");
  expect(example("title", "BlogPost")).toBe("Example blog post");
  expect(example("slug", "BlogPost")).toBe("example-blog-post");
});

it("names the field and the model in an example of a long text", () => {
  expect(example("description", "OrderItem")).toBe("Description of the order item");
});

it("gives no example that is longer than the column", () => {
  expect(example("name", "BlogPost", 12)).toBe("Name");
  expect(example("description", "BlogPost", 4)).toBe("Desc");
});

const field = (type: string, more: object = {}): StoredField =>
  ({ name: "f", kind: "scalar", type, isList: false, isRequired: true, ...more }) as unknown as StoredField;
const native = (name: string, ...args: string[]) => ({ nativeType: { name, args } });

it.each<[StoredField, unknown]>([
  [field("Int"), 1],
  [field("Int", { name: "year" }), 2026],
  [field("Int", { name: "year", isForeignKey: true }), 1],
  [field("Int", { name: "count", isId: true }), 1],
  [field("BigInt", { name: "stock" }), "3"],
  [field("Float"), 1.5],
  [field("Decimal"), "19.95"],
  [field("Decimal", native("Decimal", "1", "0")), "1"],
  [field("Decimal", native("Decimal", "2", "2")), "0.95"],
  [field("Boolean"), true],
  [field("DateTime"), "2026-01-31T08:30:00.000Z"],
  [field("DateTime", native("Date")), "2026-01-31T00:00:00.000Z"],
  [field("DateTime", native("Time")), "1970-01-01T08:30:00.000Z"],
  [field("Bytes"), "aGVsbG8="],
  [field("Json"), { key: "value" }],
  [field("String", native("Inet")), "192.0.2.1"],
  [field("String", native("Bit", "3")), "111"],
  [field("String", native("VarBit")), "1111"],
  [field("Size", { kind: "enum", values: ["S", "M"] }), "S"],
  [field("Int", { isList: true }), [1]],
  [field("Int", { default: { value: 7 } }), 7],
  [field("Int", { default: { value: 0 } }), 0],
  [field("Int", { default: { value: null } }), 1],
  [field("Int", { default: { function: "autoincrement" } }), 1],
  [field("Int", { isList: true, default: { value: [4, 5] } }), [4, 5]],
])("gives a value of the type of %o", (of, expected) => {
  expect(fieldExample(of, "Tag")).toEqual(expected);
});

it.each<[object, unknown]>([
  [{ type: "string", examples: ["a", "b"] }, "a"],
  [{ type: "string", examples: [] }, "text"],
  [{ type: "string", const: "c" }, "c"],
  [{ type: "string", enum: ["d", "e"] }, "d"],
  [{ type: "string" }, "text"],
  [{ type: "boolean" }, true],
  [{ type: "integer" }, 1],
  [{ type: "number" }, 1.5],
  [{ type: "string", minLength: 9 }, undefined],
  [{ type: "object" }, undefined],
  [{}, undefined],
])("gives a value of a computed field only if it is certainly valid: %o", (schema, expected) => {
  expect(computedExample({ schema } as unknown as ComputedField)).toEqual(expected);
});
