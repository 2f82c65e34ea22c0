import { mkdirSync, writeFileSync } from "node:fs";
import path from "node:path";
import { beforeAll, describe, expect, it } from "vitest";
import { kindsModels, readDataModel } from "../../test/kinds-models.js";
import { readModels } from "../models/read-models.js";
import { toModelsData } from "./to-models-data.js";
import { writeSchemasModule } from "./write-schemas-module.js";

interface Schema {
  safeParse(value: unknown): { readonly success: boolean; readonly error?: { readonly message: string } };
}

async function load(name: string, text: string): Promise<Readonly<Record<string, Schema>>> {
  const folder = path.join(import.meta.dirname, "../../test/generated/written");
  const file = path.join(folder, `${name}.ts`);
  mkdirSync(folder, { recursive: true });
  writeFileSync(file, text);
  return import(/* @vite-ignore */ file);
}

const modelsOf = (schema: string) => readModels(toModelsData(readDataModel([["schema.prisma", schema]]), schema));

let kinds: Readonly<Record<string, Schema>>;
beforeAll(async () => {
  kinds = await load("kinds", writeSchemasModule(kindsModels));
});
const accepts = (name: string, body: unknown): boolean => (kinds[name] ?? expect.fail(name)).safeParse(body).success;

describe("C12 generated Zod schemas", () => {
  it.each<readonly [string, string, readonly unknown[], readonly unknown[]]>([
    ["Scalar", "string", ["", "a", null], [1, "a\0", "\ud800"]],
    ["Scalar", "boolean", [true, false, null], ["true", 1]],
    ["Scalar", "int", [0, 2 ** 31 - 1, -(2 ** 31), null], [2 ** 31, 1.5, "1"]],
    ["Scalar", "bigInt", ["9223372036854775807", 5, null], ["9223372036854775808", "01", 2 ** 53, 1.5]],
    ["Scalar", "float", [0.1, -1e300, null], ["1", Number.NaN]],
    ["Scalar", "decimal", ["1.50", 0.1, null], ["1e5", `1${"0".repeat(35)}`, true]],
    [
      "Scalar",
      "dateTime",
      ["2024-02-29T10:00:00.123Z", "2024-02-29", null],
      ["2023-02-29", "2024-01-01T00:00:00.1234Z"],
    ],
    ["Scalar", "json", [{ a: [1, null] }, null, "x"], [{ a: "\0" }, { a: 2 ** 53 }, 0.1234567890123456]],
    ["Scalar", "bytes", ["", "AQI=", null], ["AQI", "A", 1]],
    ["Scalar", "stage", ["DRAFT", null], ["in review", ""]],
    ["Native", "char", ["abcd", "é", null], ["abcde", "ab  "]],
    ["Native", "varChar", ["🎵🎵🎵🎵🎵🎵", "a  "], ["🎵🎵🎵🎵🎵🎵🎵"]],
    ["Native", "bit", ["101"], ["10", "1011", "abc"]],
    ["Native", "varBit", ["", "10111"], ["101110", "2"]],
    ["Native", "uuid", ["6f2c1f0e-6a9e-4a52-9a0e-0d1e4b3f2a11"], ["6f2c1f0e"]],
    ["Native", "xml", ["<a/>"], ['<?xml version="1.0"?><a/>', "\0"]],
    ["Native", "inet", ["10.0.0.1", "10.0.0.0/8", "::1", "::/128"], ["10.0.0.0/33", "::/129", "host", "10.0.0"]],
    ["Native", "smallInt", [32_767], [32_768]],
    ["Native", "oid", [0], [-1]],
    ["Native", "real", [0.1, 1.5], [0.123456789, 1e39]],
    ["Native", "decimal", ["12345678.25", 1.5], ["123456789.25", "1.255"]],
    ["Native", "money", ["1.25"], ["1.255"]],
    ["Native", "date", ["2024-02-29"], ["2024-02-29T01:00:00Z"]],
    ["Native", "time", ["1970-01-01T10:00:00.123Z"], ["1970-01-02T10:00:00Z"]],
    ["Native", "timestamptz", ["2024-01-01T00:00:00.123456+01:00"], ["2024-01-01T00:00:00.1234567Z"]],
    ["Collection", "strings", [[], ["a"], Array(1000).fill("a")], [null, "a", [null], Array(1001).fill("a")]],
    ["Collection", "jsons", [[1, {}]], [[null], [0.1234567890123456]]],
    ["Collection", "stages", [["DRAFT"]], [["NONE"]]],
  ])("accept the values that %s.%s stores, and no others", (model, field, good, bad) => {
    for (const mode of ["Create", "Update"]) {
      for (const value of good) expect([value, accepts(model + mode, { [field]: value })]).toEqual([value, true]);
      for (const value of bad) expect([value, accepts(model + mode, { [field]: value })]).toEqual([value, false]);
    }
  });

  it("require fields without a default in new rows only, and reject all other members", () => {
    const article = { title: "t", slug: "s", language: "en", authorId: 1 };
    expect(accepts("ArticleCreate", article)).toBe(true);
    for (const name of Object.keys(article)) {
      expect(accepts("ArticleCreate", { ...article, [name]: undefined })).toBe(false);
      expect(accepts("ArticleUpdate", { [name]: null })).toBe(false);
    }
    expect(accepts("ArticleUpdate", {})).toBe(true);
    expect(accepts("ArticleUpdate", { reviewerId: null })).toBe(true);
    for (const name of ["id", "author", "other"]) expect(accepts("ArticleUpdate", { [name]: 1 })).toBe(false);
  });

  it("reject ids that a path cannot contain, in the field of an id alone", () => {
    for (const name of ["", ".", "..", "Many"]) expect(accepts("TagCreate", { name })).toBe(false);
    expect(accepts("TagCreate", { name: "many more" })).toBe(true);
    expect(accepts("PostingCreate", { articleId: "1", authorId: 1, place: "many" })).toBe(true);
    expect(kinds.TagCreate?.safeParse({ name: "many" }).error?.message).toContain("which paths cannot contain");
  });

  it("do not exist for views, and for new rows of tables that cannot be written completely", () => {
    const names = Object.keys(kinds);
    expect(names).toContain("PlaceCreate");
    for (const name of ["SummaryCreate", "ShelfUpdate", "ForgottenCreate", "SeatCreate"])
      expect(names).not.toContain(name);
    expect(names).toContain("SeatUpdate");
  });

  it("import only Zod, and node:net for addresses, and contain the checks that they call", async () => {
    const native = (type: string) =>
      `datasource db {\n  provider = "postgresql"\n}\nmodel A {\n  id Int @id\n  a ${type}\n}`;
    const imports = (text: string) => [...text.matchAll(/^import .* from (".*");$/gm)].map(([, name]) => name);
    expect(imports(writeSchemasModule(modelsOf(native("String @db.Inet"))))).toEqual(['"node:net"', '"zod"']);
    expect(imports(writeSchemasModule(modelsOf(native("Boolean"))))).toEqual(['"zod"']);
    expect(writeSchemasModule(modelsOf(native("Boolean")))).not.toContain("function");
    for (const [type, good, bad] of [
      ["String @db.Char(2)", "a", "a "],
      ["String @db.Xml", "<a/>", "\0"],
      ["Json", { a: 1 }, { a: "\0" }],
      ["String @db.Uuid", "6f2c1f0e-6a9e-4a52-9a0e-0d1e4b3f2a11", "x"],
    ] as const) {
      const { AUpdate } = await load(`a-${type.replaceAll(/\W/g, "")}`, writeSchemasModule(modelsOf(native(type))));
      expect([type, AUpdate?.safeParse({ a: good }).success]).toEqual([type, true]);
      expect([type, AUpdate?.safeParse({ a: bad }).success]).toEqual([type, false]);
    }
  });
});
