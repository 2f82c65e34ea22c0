import { StartupError } from "@servicekit/core";
import { describe, expect, it } from "vitest";
import { kindsModels, readDataModel } from "../../test/kinds-models.js";
import { toModelsData } from "../generator/index.js";
import type { Model, Models, StoredField } from "./model.js";
import type { ModelsData } from "./models-data.js";
import { readModels } from "./read-models.js";

const read = (schema: string): Models => {
  const text = `datasource db {\n  provider = "postgresql"\n}\n${schema}`;
  return readModels(toModelsData(readDataModel([["schema.prisma", text]]), text));
};
const modelOf = (name: string): Model => kindsModels.get(name) ?? expect.fail(name);
const issuesOf = (make: () => unknown): string[] => {
  try {
    make();
  } catch (error) {
    if (error instanceof StartupError) return error.issues.map(({ where, message }) => `${where}: ${message}`);
    throw error;
  }
  return [];
};

describe("C7 the key of a model", () => {
  it.each([
    ["Author", "id", ["id"]],
    ["Tag", "name", ["name"]],
    ["Posting", "authorId_articleId", ["authorId", "articleId"]],
    ["Country", "code", ["code"]],
    ["Seat", "position", ["row", "column"]],
    ["Shelf", "tag", ["tag"]],
  ])("%s is %s", (name, key, fields) => {
    expect(modelOf(name).key?.name).toBe(key);
    expect(modelOf(name).key?.fields.map((field) => field.name)).toEqual(fields);
  });

  it("of a view without one is absent", () => {
    expect(modelOf("Summary")).toMatchObject({ isView: true, isCreatable: false, key: undefined, uniqueKeys: [] });
  });

  it("is never a hidden field", () => {
    const models = read(`
      model Both {
        /// @hidden
        id    Int    @id
        slug  String @unique
        @@unique([id, slug])
      }
      model Only {
        /// @hidden
        id Int @id
      }
    `);
    expect(models.get("Both")?.key?.name).toBe("slug");
    expect(models.get("Both")?.uniqueKeys.map((key) => key.name)).toEqual(["id", "slug", "id_slug"]);
    expect(models.get("Only")?.key).toBeUndefined();
  });

  it("of one field in @@id has that field's name", () => {
    expect(read(`model One {\n  a Int\n  @@id([a], name: "given")\n}`).get("One")?.key?.name).toBe("a");
  });
});

describe("the unique keys of a model", () => {
  it("start with one that identifies every row; nullable ones come last", () => {
    const models = read(`model A {
      tag  String? @unique
      row  Int
      seat Int
      @@unique([tag, row])
      @@unique([seat, row])
    }`);
    const a = models.get("A");
    expect(a?.uniqueKeys.map(({ name }) => name)).toEqual(["seat_row", "tag", "tag_row"]);
    expect(a?.key?.name).toBe("seat_row");
  });

  it("have the names of where and of the database", () => {
    const keys = modelOf("Article").uniqueKeys.map(({ name, constraint }) => [name, constraint]);
    expect(keys).toEqual([
      ["id", "Article_pkey"],
      ["language_slug", "Article_language_slug_key"],
      ["work", "one_title_each"],
    ]);
    expect(modelOf("Author").uniqueKeys[1]?.constraint).toBe("people_email_address_key");
    expect(modelOf("Seat").uniqueKeys[1]).toMatchObject({ name: "row_note", constraint: "Seat_row_note_key" });
  });

  it("are truncated like PostgreSQL's names", () => {
    const long = "x".repeat(60);
    const [id, unique] =
      read(`model M {\n  id Int @id\n  ${long} Int @unique\n  @@map("${long}")\n}`).get("M")?.uniqueKeys ?? [];
    expect(id?.constraint).toBe(`${"x".repeat(58)}_pkey`);
    expect(unique?.constraint).toBe(`${"x".repeat(59)}_key`);
  });
});

describe("a field", () => {
  it.each([
    ["email", { column: "email_address", isUnique: true, nativeType: { name: "VarChar", args: ["80"] } }],
    ["password", { annotations: { hidden: true, readonly: false, writeonly: true, writable: false, visible: false } }],
    ["secret", { annotations: { hidden: true }, documentation: "Used by no test.", isRequired: false }],
    ["karma", { annotations: { readonly: true }, documentation: "counted by the database", default: { value: 0 } }],
    ["inbox", { annotations: { writeonly: true }, documentation: undefined }],
    ["articles", { kind: "relation", isList: true, annotations: { writable: true }, relation: { opposite: "author" } }],
    ["manager", { relation: { fields: ["managerId"], references: ["id"], opposite: "reports", onDelete: "SetNull" } }],
    ["friends", { relation: { name: "friendship", fields: [], opposite: "friendOf" } }],
    ["profile", { isList: false, isRequired: false, relation: { fields: [], opposite: "author" } }],
    ["managerId", { isForeignKey: true, isRequired: false }],
    ["createdAt", { hasDefault: true, default: { function: "now" } }],
    ["updatedAt", { isUpdatedAt: true, hasDefault: true, default: undefined }],
  ])("Author.%s", (name, expected) => {
    expect(modelOf("Author").fieldsByName.get(name)).toMatchObject(expected);
  });

  it.each([
    ["id", { function: "cuid", args: [1] }],
    ["nano", { function: "nanoid" }],
    ["ulid", { function: "ulid" }],
    ["raw", { function: "dbgenerated" }],
    ["text", { value: 'say "hi"' }],
    ["yes", { value: true }],
    ["bigInt", { value: "9007199254740993" }],
    ["float", { value: 1.5 }],
    ["decimal", { value: "12.5" }],
    ["dateTime", { value: "2020-01-02T03:04:05.000Z" }],
    ["json", { value: { a: [1] } }],
    ["bytes", { value: "AQI=" }],
    ["stage", { value: "IN_REVIEW" }],
  ])("C4 default of Preset.%s", (name, expected) => {
    expect((modelOf("Preset").fieldsByName.get(name) as StoredField).default).toEqual(expected);
  });

  it("of an enum has the client's names", () => {
    const values = ["DRAFT", "IN_REVIEW", "PUBLISHED"];
    expect(modelOf("Article").fieldsByName.get("stage")).toMatchObject({ kind: "enum", type: "Stage", values });
  });

  it("of an unsupported type is at its position", () => {
    expect(modelOf("Place").fields.map((field) => `${field.kind} ${field.name}`)).toEqual([
      "scalar id",
      "scalar name",
      "unsupported where",
      "unsupported circle",
    ]);
    expect(modelOf("Place").fieldsByName.get("where")).toMatchObject({
      type: "point",
      isRequired: false,
      annotations: { hidden: true },
    });
  });

  it("with @ignore is excluded, and so is a model", () => {
    expect(modelOf("Seat").fieldsByName.has("hidden")).toBe(false);
    expect(kindsModels.has("Forgotten")).toBe(false);
  });

  it("with a default that JavaScript cannot represent has none", () => {
    const model = read("model M {\n  id Int @id\n  d Decimal @default(12345678901234567890.123)\n}").get("M");
    expect(model?.fieldsByName.get("d")).toMatchObject({ hasDefault: true, default: undefined });
  });
});

describe("unsupported fields in unusual schemas", () => {
  it("are found whatever surrounds them", () => {
    const models = read(`
/* model Old {
  id Int @id
  no Unsupported("no")
} */
model A {
  id  Int    @id
  url String @default("http://x//y { }") // Unsupported("no")
  /// Where it is.
  at  Unsupported("geometry(Point, 4326)") @map("place") /// and when
  // no Unsupported("no")
  b   Unsupported("box")[]
  c   Unsupported("circle")? @map("a \\"b\\" // c")

  @@unique([id, at])
}
model B {
  first Unsupported("a")?
  id Int @id
}`);
    const found = models.get("A")?.fields.filter((field) => field.kind === "unsupported");
    expect(found?.map(({ name, type, column, documentation }) => [name, type, column, documentation])).toEqual([
      ["at", "geometry(Point, 4326)", "place", "Where it is.\nand when"],
      ["b", "box", "b", undefined],
      ["c", "circle", 'a "b" // c', undefined],
    ]);
    expect(models.get("A")).toMatchObject({ isCreatable: false, isView: false });
    expect(models.get("A")?.uniqueKeys.map((key) => key.name)).toEqual(["id"]);
    expect(models.get("B")?.fields.map((field) => field.name)).toEqual(["first", "id"]);
  });
});

describe("models", () => {
  it("are deeply frozen", () => {
    const seen = new Set<object>();
    const walk = (value: unknown, path: string): void => {
      if (typeof value !== "object" || value === null || seen.has(value)) return;
      seen.add(value);
      expect(Object.isFrozen(value), path).toBe(true);
      const inner = value instanceof Map ? [...value] : Object.entries(value);
      for (const [key, one] of inner) if (key !== "value") walk(one, `${path}.${key}`);
    };
    walk(kindsModels, "models");
    const writable = kindsModels as unknown as Map<string, Model>;
    expect(() => writable.set("Extra", modelOf("Tag"))).toThrow(TypeError);
    expect(() => writable.delete("Tag")).toThrow(TypeError);
    expect(() => writable.clear()).toThrow(TypeError);
  });

  it("keep the order of the schema", () => {
    expect([...kindsModels.keys()].slice(0, 4)).toEqual(["Author", "Profile", "Article", "Tag"]);
    expect(modelOf("HTTPLog")).toMatchObject({ delegate: "hTTPLog", resource: "http-log" });
  });
});

describe("issues prevent startup, all together", () => {
  it("misspelled annotations and equal resource names", () => {
    const issues = issuesOf(() =>
      read(`
        model MediaType {
          id Int @id
          /// @hiden
          a  Int
          /// @Hidden
          b  Int
          /// @read-only
          c  Int
        }
        model Media_type {
          id Int @id
          /// @deprecated, @see elsewhere, mail@hidden.example
          d  Int
        }
      `),
    );
    expect(issues).toEqual([
      "field MediaType.a: has the unknown annotation @hiden. Did you mean @hidden?",
      "field MediaType.b: has the unknown annotation @Hidden. Did you mean @hidden?",
      "field MediaType.c: has the unknown annotation @read-only. Did you mean @readonly?",
      "model Media_type: has the resource name media-type, which MediaType also has.",
    ]);
  });

  it("C144 contradictory and misspelled annotations of visible fields", () => {
    const issues = issuesOf(() =>
      read(`model Key {
        id       Int    @id
        /// @visible @hidden
        apiKey   String
        /// @visible
        /// @writeonly
        otp      String
        /// @visible
        password String
        /// @visibel
        salt     String
        /// @visible The public part.
        secret   String
      }`),
    );
    expect(issues).toEqual([
      "field Key.apiKey: has @visible and an annotation that hides it. Remove one of them.",
      "field Key.otp: has @visible and an annotation that hides it. Remove one of them.",
      "field Key.password: is always hidden. Remove @visible, or rename the field.",
      "field Key.salt: has the unknown annotation @visibel. Did you mean @visible?",
    ]);
  });

  it("data with invalid references", () => {
    const data: ModelsData = {
      format: 1,
      enums: [],
      models: [
        {
          name: "A",
          fields: [
            { kind: "enum", name: "e", type: "E" },
            { kind: "relation", name: "b", type: "B", relation: { name: "r" } },
          ],
          keys: [],
        },
      ],
    };
    expect(issuesOf(() => readModels(data))).toEqual([
      "field A.e: has the unknown enum E.",
      "field A.b: references the unknown model B.",
    ]);
  });

  it.each([undefined, null, {}, [], "x", { format: 2, enums: [], models: [] }, { format: 1, models: {} }])(
    "%j, which is not the generator's output",
    (data) => {
      expect(issuesOf(() => readModels(data as unknown as ModelsData))).toEqual([
        expect.stringContaining("prisma generate"),
      ]);
    },
  );
});

it("a multi-file schema gives the same models", () => {
  const one = `datasource db {\n  provider = "postgresql"\n}\nmodel A {\n  id Int @id\n  bs B[]\n}\n`;
  const two = `model B {\n  id  Int @id\n  at  Unsupported("point")?\n  aId Int\n  a   A @relation(fields: [aId], references: [id])\n}\n`;
  const merged = toModelsData(
    readDataModel([
      ["a.prisma", one],
      ["b.prisma", two],
    ]),
    one + two,
  );
  expect(merged).toEqual(toModelsData(readDataModel([["all.prisma", one + two]]), one + two));
  expect([...readModels(merged).keys()]).toEqual(["A", "B"]);
});
