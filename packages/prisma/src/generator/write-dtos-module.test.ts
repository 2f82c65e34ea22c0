import { describe, expect, it } from "vitest";
import { kindsModels, readDataModel } from "../../test/kinds-models.js";
import { readModels } from "../models/read-models.js";
import { toModelsData } from "./to-models-data.js";
import { writeDtosModule } from "./write-dtos-module.js";

const text = writeDtosModule(kindsModels);
const write = (fields: string): string => {
  const schema = `datasource db {\n  provider = "postgresql"\n}\nmodel A {\n  id Int @id @default(autoincrement())\n${fields}\n}`;
  return writeDtosModule(readModels(toModelsData(readDataModel([["schema.prisma", schema]]), schema)));
};
/** The decorators and the declaration of a property. */
function propertyOf(name: string, property: string): readonly string[] {
  const body = new RegExp(`^export class ${name} \\{\\n([^]*?)^\\}`, "m").exec(text)?.[1] ?? expect.fail(name);
  const found = body.split("\n\n").find((part) => new RegExp(`^  ${property}[?!]:`, "m").test(part));
  return (found ?? expect.fail(property))
    .trimEnd()
    .split("\n")
    .map((line) => line.trim());
}
const optional = "@ValidateIf((_body, value) => value !== undefined && value !== null)";
const given = "@ValidateIf((_body, value) => value !== undefined)";

describe("C12 generated classes for class-validator", () => {
  it.each<readonly [string, string, readonly string[]]>([
    ["CreateArticleDto", "title", ["@IsString()", '@Fits((value) => isText(value), "text")', "title!: string;"]],
    ["UpdateArticleDto", "title", [given, "@IsString()", '@Fits((value) => isText(value), "text")', "title?: string;"]],
    [
      "CreateArticleDto",
      "stage",
      [given, '@IsIn(["DRAFT","IN_REVIEW","PUBLISHED"])', 'stage?: "DRAFT" | "IN_REVIEW" | "PUBLISHED";'],
    ],
    [
      "CreateArticleDto",
      "reviewerId",
      [optional, "@IsInt()", "@Min(-2147483648)", "@Max(2147483647)", "reviewerId?: number | null;"],
    ],
    ["CreateScalarDto", "boolean", [optional, "@IsBoolean()", "boolean?: boolean | null;"]],
    [
      "CreateScalarDto",
      "bigInt",
      [optional, '@Fits((value) => isBigInteger(value), "an integer")', "bigInt?: string | number | null;"],
    ],
    ["CreateScalarDto", "float", [optional, "@IsNumber({})", "float?: number | null;"]],
    [
      "CreateNativeDto",
      "real",
      [
        optional,
        "@IsNumber({})",
        '@Fits((value) => isSingle(value), "a number of single precision")',
        "real?: number | null;",
      ],
    ],
    [
      "CreateScalarDto",
      "decimal",
      [
        optional,
        '@Fits((value) => isDecimal(value, 35, 30), "a decimal with at most 35 digits before and 30 after the point")',
        "decimal?: string | number | null;",
      ],
    ],
    [
      "CreateScalarDto",
      "json",
      [given, '@Fits((value) => isJson(value), "JSON that the column preserves")', "json?: unknown;"],
    ],
    [
      "CreateScalarDto",
      "bytes",
      [optional, "@IsString()", '@Fits((value) => isBase64(value), "base64 text")', "bytes?: string | null;"],
    ],
    [
      "CreateNativeDto",
      "bit",
      [optional, "@IsString()", '@Fits((value) => isBits(value, 3, 3), "3 bits")', "bit?: string | null;"],
    ],
    [
      "CreateNativeDto",
      "varBit",
      [optional, "@IsString()", '@Fits((value) => isBits(value, 0, 5), "at most 5 bits")', "varBit?: string | null;"],
    ],
    [
      "CreateTagDto",
      "name",
      [
        "@IsString()",
        '@Fits((value) => !/^(\\.{0,2}|[Mm][Aa][Nn][Yy])$/.test(String(value)), "an id that a path can name")',
        '@Fits((value) => isText(value, 60), "text of at most 60 characters")',
        "name!: string;",
      ],
    ],
    [
      "CreateCollectionDto",
      "stages",
      [
        given,
        "@IsArray()",
        "@ArrayMaxSize(1000)",
        '@IsIn(["DRAFT","IN_REVIEW","PUBLISHED"], { each: true })',
        'stages?: ("DRAFT" | "IN_REVIEW" | "PUBLISHED")[];',
      ],
    ],
    [
      "CreateCollectionDto",
      "booleans",
      [given, "@IsArray()", "@ArrayMaxSize(1000)", "@IsBoolean({ each: true })", "booleans?: boolean[];"],
    ],
    [
      "CreateCollectionDto",
      "ints",
      [
        ...[given, "@IsArray()", "@ArrayMaxSize(1000)", "@IsInt({ each: true })"],
        ...["@Min(-2147483648, { each: true })", "@Max(2147483647, { each: true })", "ints?: number[];"],
      ],
    ],
    [
      "CreateCollectionDto",
      "floats",
      [given, "@IsArray()", "@ArrayMaxSize(1000)", "@IsNumber({}, { each: true })", "floats?: number[];"],
    ],
    [
      "CreateCollectionDto",
      "jsons",
      [
        ...[given, "@IsArray()", "@ArrayMaxSize(1000)"],
        '@Fits((value) => isJson(value, true), "JSON that the column preserves", { each: true })',
        "jsons?: unknown[];",
      ],
    ],
    [
      "CreateCollectionDto",
      "bigInts",
      [
        ...[given, "@IsArray()", "@ArrayMaxSize(1000)"],
        ...['@Fits((value) => isBigInteger(value), "an integer", { each: true })', "bigInts?: (string | number)[];"],
      ],
    ],
    [
      "CreateCollectionDto",
      "uuids",
      [
        ...[given, "@IsArray()", "@ArrayMaxSize(1000)", "@IsString({ each: true })"],
        ...['@Fits((value) => isUuid(value), "a UUID", { each: true })', "uuids?: string[];"],
      ],
    ],
  ])("%s describes %s", (name, property, expected) => {
    expect(propertyOf(name, property)).toEqual(expected);
  });

  it("import the decorators that they use in alphabetical order, and nothing else", () => {
    expect(write("  a String @db.Inet")).toContain(`import { isIPv4, isIPv6 } from "node:net";
import {
  IsString,
  ValidateBy,
  ValidateIf,
  type ValidationOptions,
} from "class-validator";
`);
    expect(
      write("  a Boolean"),
    ).toBe(`// Generated by servicekit-prisma from the Prisma schema. Change the schema and generate again.
import {
  IsBoolean,
  ValidateIf,
} from "class-validator";

/** The fields of a body that creates A. */
export class CreateADto {
  @IsBoolean()
  a!: boolean;
}

/** The fields of a body that updates A. */
export class UpdateADto {
  @ValidateIf((_body, value) => value !== undefined)
  @IsBoolean()
  a?: boolean;
}
`);
  });

  it("do not exist for bodies without fields, and with a field named constructor", () => {
    expect(write("")).toMatch(/^\/\/ .*\nexport \{\};\n$/);
    const written = write("  constructor String");
    expect(written).toContain("// There is no class CreateADto: a class cannot have a field named constructor.");
    expect(written).toContain("// There is no class UpdateADto: a class cannot have a field named constructor.");
    expect(written).not.toContain("export class");
  });
});
