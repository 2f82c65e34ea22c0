import { readFileSync } from "node:fs";
import path from "node:path";
import { expect, it } from "vitest";

const read = (file: string): string => readFileSync(path.join(import.meta.dirname, "..", file), "utf8");

/** The fields of a Prisma schema, as `Model.field`. */
function fieldsOfPrisma(schema: string): string[] {
  return [...schema.matchAll(/^model (\w+) \{\n([\s\S]*?)^\}/gm)].flatMap(([, model, body = ""]) =>
    [...body.matchAll(/^ {2}(\w+) +\w/gm)].map(([, field]) => `${model}.${field}`),
  );
}

/** The same of the output of ZenStack's generator: the key of a field, and its name. */
function fieldsOfZenStack(schema: string): string[] {
  const models = schema.slice(
    schema.indexOf("\n  models = {"),
    schema.indexOf("\n  } as const;", schema.indexOf("\n  models = {")),
  );
  return [...models.matchAll(/^ {4}\w+: \{\n {6}name: "(\w+)",\n {6}fields: \{\n([\s\S]*?)^ {6}\},/gm)].flatMap(
    ([, model, body = ""]) =>
      [...body.matchAll(/^ {8}(\w+): \{\n {10}name: "(\w+)"/gm)].map(([, key, name]) =>
        key === name ? `${model}.${name}` : `${model}.${key} with the name ${name}`,
      ),
  );
}

// The benchmark is not installed for the tests, so its files are read as text.
it.each([
  ["apps/benchmark/prisma/schema.prisma", "apps/benchmark/src/peers/zenstack-schema.ts"],
  ["apps/example/prisma/schema.prisma", "apps/benchmark/src/start/zenstack-schema.ts"],
])("the benchmark serves the models of %s with ZenStack", (prisma, zenStack) => {
  const expected = fieldsOfPrisma(read(prisma));
  expect(expected.length).toBeGreaterThan(10);
  // apps/benchmark/README.md describes how to generate the file again.
  expect(fieldsOfZenStack(read(zenStack)).sort()).toEqual(expected.sort());
});
