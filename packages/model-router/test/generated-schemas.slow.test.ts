import { execFileSync } from "node:child_process";
import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import path from "node:path";
import { type Model, type Models, readModels, type StoredField } from "@servicekit/prisma";
import { type DataModel, toModelsData, writeDtosModule, writeSchemasModule } from "@servicekit/prisma/generator";
import { isBodyField, isOptionalInCreate } from "@servicekit/prisma/internal";
import { type DtoClass, type Schema, type Validator } from "@servicekit/router";
import { makeValidator } from "@servicekit/router/internal";
import fc from "fast-check";
import { beforeAll, describe, expect, it } from "vitest";
import { z } from "zod";
import { drawn, someOf } from "../../../scripts/test/slow-share.js";
import { fieldSchema } from "../src/resource/body/field-schema.js";
import { values as arbitraries } from "./arbitraries.js";

const folder = path.join(import.meta.dirname, "generated/written");
const root = path.join(import.meta.dirname, "../../..");
const require = createRequire(import.meta.url);
const requireFromOrm = createRequire(path.join(root, "packages/prisma/package.json"));

const schemas = {
  shelf: "packages/model-router/test/fixtures/shelf/schema",
  blog: "packages/model-router/test/fixtures/blog",
  kinds: "packages/prisma/test/fixtures/kinds",
  example: "apps/example/prisma",
  shop: "packages/service/test/fixtures/shop",
  names: "apps/integration/test/fixtures/hard-names",
};

function modelsOf(place: string): Models {
  const names = readdirSync(path.join(root, place)).filter((name) => name.endsWith(".prisma"));
  const files = names.map((name) => [name, readFileSync(path.join(root, place, name), "utf8")] as const);
  const { get_dmmf: getDmmf } = requireFromOrm("@prisma/prisma-schema-wasm") as { get_dmmf(input: string): string };
  const dataModel = JSON.parse(getDmmf(JSON.stringify({ prismaSchema: files }))) as DataModel;
  return readModels(toModelsData(dataModel, files.map(([, text]) => text).join("\n")));
}

interface Written {
  readonly models: Models;
  readonly zod: Readonly<Record<string, Schema>>;
  readonly dtos: Readonly<Record<string, DtoClass>>;
}

const written = new Map<string, Written>();
beforeAll(async () => {
  rmSync(folder, { recursive: true, force: true });
  for (const [name, place] of Object.entries(schemas)) {
    const models = modelsOf(place);
    const own = path.join(folder, name);
    mkdirSync(own, { recursive: true });
    writeFileSync(path.join(own, "schemas.ts"), writeSchemasModule(models));
    writeFileSync(path.join(own, "dtos.ts"), writeDtosModule(models));
    written.set(name, {
      models,
      zod: await import(/* @vite-ignore */ path.join(own, "schemas.ts")),
      dtos: await import(/* @vite-ignore */ path.join(own, "dtos.ts")),
    });
  }
}, 60_000);

const of = (name: string): Written => {
  const found = written.get(name);
  if (found === undefined) throw new Error(`${name} was not written.`);
  return found;
};

/** What the service derives for the stored fields of a body. */
function derived(model: Model, mode: "create" | "update"): z.ZodObject {
  const fields = model.fields.filter(
    (field): field is StoredField => (field.kind === "scalar" || field.kind === "enum") && isBodyField(field),
  );
  return z.strictObject(
    Object.fromEntries(
      fields.map((field) => {
        const schema = fieldSchema(field);
        return [field.name, mode === "update" || isOptionalInCreate(field) ? schema.optional() : schema];
      }),
    ),
  );
}

const accepts = async (validate: Validator, body: unknown): Promise<boolean> => (await validate(body, "body")).valid;

it("C12 each generated module compiles alone in a strict project", { timeout: 300_000 }, () => {
  const tsconfig = path.join(folder, "tsconfig.json");
  const compilerOptions = {
    strict: true,
    noUncheckedIndexedAccess: true,
    exactOptionalPropertyTypes: true,
    noUnusedLocals: true,
    noUnusedParameters: true,
    verbatimModuleSyntax: true,
    experimentalDecorators: true,
    noEmit: true,
    target: "es2022",
    module: "nodenext",
    types: ["node"],
    typeRoots: [path.join(root, "node_modules/@types")],
    skipLibCheck: true,
  };
  writeFileSync(path.join(folder, "package.json"), '{ "type": "module" }');
  writeFileSync(tsconfig, JSON.stringify({ compilerOptions, include: ["*/*.ts"] }));
  const tsc = path.join(path.dirname(require.resolve("typescript/package.json", { paths: [root] })), "bin/tsc");
  let output = "";
  try {
    execFileSync(process.execPath, [tsc, "-p", tsconfig], { stdio: "pipe" });
  } catch (error) {
    output = String((error as { stdout?: Buffer }).stdout);
  }
  expect(output).toBe("");
});

/** Values for every kind of column, right and wrong ones. */
const table: readonly unknown[] = [
  ...[
    "",
    " ",
    "a",
    "ab",
    "abcd",
    "abcdef",
    "abcdefg",
    "ab ",
    "🎵🎵🎵🎵🎵🎵",
    "🎵🎵🎵🎵🎵🎵🎵",
    "a\0",
    "\ud800",
    "x".repeat(81),
  ],
  ...["many", "Many", ".", "..", "..."],
  ...["1", "-1", "0", "-0", "007", "1.5", "12.50", "1.005", "+5", "1e3", ".5", "5.", "99999999.99", "100000000"],
  ...["9223372036854775807", "9223372036854775808", "-9223372036854775808", "-9223372036854775809", "0".repeat(1001)],
  ...["2024-01-31", "2024-02-30", "2024-01-31T12:00:00Z", "2024-01-31T12:00:00.123Z", "2024-01-31T12:00:00.1234Z"],
  ...["2024-01-31T12:00:00.1230Z", "2024-01-31 12:00+05:30", "2024-01-31T00:00:00.000Z", "1970-01-01T23:59:59.999Z"],
  ...["0000-01-01", "0001-01-01", "9999-12-31T23:59:59.999Z", "9999-12-31T23:59:59-01:00", "10000-01-01", "now"],
  ...[
    "101",
    "10101",
    "1",
    "2",
    "10.0.0.0/8",
    "10.0.0.1",
    "10.0.0.1/33",
    "::1/64",
    "::1/129",
    "localhost",
    "fe80::1%eth0",
  ],
  ...[
    "6f2c1f0e-6a9e-4a52-9a0e-0d1e4b3f2a11",
    "6F2C1F0E-6A9E-4A52-9A0E-0D1E4B3F2A11",
    "6f2c1f0e6a9e4a529a0e0d1e4b3f2a11",
  ],
  ...["AP8=", "AP8", "AP9=", "AQ==", "AR==", "<a/>", '<?xml version="1.0"?><a/>', "SMALL", "a small one", "DRAFT"],
  ...[
    0,
    -0,
    1,
    1.5,
    -1,
    40000,
    2 ** 31 - 1,
    2 ** 31,
    -(2 ** 31),
    2 ** 53,
    2 ** 53 - 1,
    0.1,
    1 / 3,
    1e21,
    1e308,
    5e-324,
  ],
  ...[16777217, 0.30000000000000004, 12.5, 1.005, 99999999.99, Number.POSITIVE_INFINITY, Number.NaN],
  ...[true, false, null, undefined, [], {}, [1], ["a"], [null], { a: [1, null, "x"] }, { a: "\0" }, { "\0": 1 }],
  ...[[0.30000000000000004], { a: 0.30000000000000004 }, { a: 2 ** 60 }, [["\ud800"]], { set: 1 }, [[]], new Date(0)],
];

/** Ids that no path can name. */
const isUnaddressable = (value: unknown): boolean => ["", "many", "Many", ".", ".."].includes(value as string);

describe.each(Object.keys(schemas))("C12 the written schemas of %s", (name) => {
  it("agree with the derived ones on every value of the table, in every field", { timeout: 300_000 }, async () => {
    const { models, zod, dtos } = of(name);
    const differences: unknown[] = [];
    let requested = 0;
    for (const model of models.values()) {
      if (model.isView || model.key === undefined) continue;
      const update = derived(model, "update");
      const [schema, dto] = [zod[`${model.name}Update`], dtos[`Update${model.name}Dto`]];
      if (schema === undefined) throw new Error(`${model.name} has no schema.`);
      const validators = [makeValidator(schema), ...(dto === undefined ? [] : [makeValidator(dto)])];
      const isTextKey = (field: string) =>
        model.key?.fields.length === 1 && model.key.fields[0]?.name === field && model.key.fields[0].type === "String";
      for (const field of Object.keys(update.shape)) {
        for (const value of someOf([...table, ...table.map((item) => [item])])) {
          const wanted = update.safeParse({ [field]: value }).success && !(isTextKey(field) && isUnaddressable(value));
          for (const [index, validate] of validators.entries()) {
            requested++;
            const given = await accepts(validate, { [field]: value });
            if (given !== wanted) differences.push([model.name, field, value, ["zod", "class"][index], given]);
          }
        }
      }
    }
    expect(differences).toEqual([]);
    expect(requested).toBeGreaterThan(drawn(1000));
  });

  it("agree on the required fields of a new row and on the fields that bodies may not set", async () => {
    const { models, zod, dtos } = of(name);
    for (const model of models.values()) {
      const create = zod[`${model.name}Create`];
      if (create === undefined) {
        expect(model.isView || !model.isCreatable || model.key === undefined).toBe(true);
        continue;
      }
      const wanted = derived(model, "create");
      expect(Object.keys((create as unknown as z.ZodObject).shape)).toEqual(Object.keys(wanted.shape));
      const missing = (result: { success: boolean; error?: z.ZodError }) =>
        (result.error?.issues ?? []).map(({ path: [key] }) => key);
      expect(missing((create as unknown as z.ZodObject).safeParse({}))).toEqual(missing(wanted.safeParse({})));
      const dto = dtos[`Create${model.name}Dto`];
      for (const schema of dto === undefined ? [create] : [create, dto]) {
        expect(await accepts(makeValidator(schema), {})).toBe(wanted.safeParse({}).success);
        expect(await accepts(makeValidator(schema), { nothing: 1 })).toBe(false);
      }
    }
  });
});

/** Keys such as `valueOf`, which a class rejects at any depth, also in JSON, because class-validator ignores them. */
const hasInheritedKey = (value: unknown): boolean =>
  typeof value === "object" &&
  value !== null &&
  Object.entries(value).some(([key, inner]) => key in Object.prototype || hasInheritedKey(inner));

it("C12 agree on random values of every column", { timeout: 300_000 }, async () => {
  const { models, zod, dtos } = of("shelf");
  const model = models.get("Value");
  const [schema, dto] = [zod.ValueUpdate, dtos.UpdateValueDto];
  if (model === undefined || schema === undefined || dto === undefined) throw new Error("Value was not written.");
  const update = derived(model, "update");
  const [byZod, byClass] = [makeValidator(schema), makeValidator(dto)];
  for (const [field, arbitrary] of Object.entries(arbitraries)) {
    if (update.shape[field] === undefined) continue;
    await fc.assert(
      fc.asyncProperty(arbitrary, async (value) => {
        const wanted = update.safeParse({ [field]: value }).success;
        expect(await accepts(byZod, { [field]: value })).toBe(wanted);
        expect(await accepts(byClass, { [field]: value })).toBe(wanted && !hasInheritedKey(value));
      }),
      { numRuns: drawn(300) },
    );
  }
});

it("C12 can be extended and documented", () => {
  const { zod } = of("blog");
  const post = zod.PostCreate as unknown as z.ZodObject;
  const own = post.extend({ title: (post.shape.title as z.ZodString).min(3) });
  expect(own.safeParse({ title: "ab\0c" }).success).toBe(false);
  expect(own.safeParse({ title: "ab" }).success).toBe(false);
  expect(own.safeParse({ title: "abc", views: 1 }).success).toBe(true);
  const author = zod.AuthorCreate as unknown as z.ZodObject;
  expect(z.toJSONSchema(author)).toMatchObject({ properties: { email: { type: "string", maxLength: 60 } } });
  for (const schema of Object.values(of("shelf").zod)) expect(() => z.toJSONSchema(schema as never)).not.toThrow();
});
