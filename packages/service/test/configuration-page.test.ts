import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { describe, expect, it } from "vitest";
import { z } from "zod";
import { initSchema } from "../src/config/config-schema.js";
import { allMiddlewareNames, routerNames } from "../src/config/names.js";
import { variablePrefix, variables } from "../src/config/variables.js";

const read = (name: string): string =>
  readFileSync(fileURLToPath(new URL(`../../../docs/reference/${name}`, import.meta.url)), "utf8");
const page = read("configuration.md") + read("authentication.md");

/** The keys of an object and its nested objects. */
function keysOf(schema: unknown): string[] {
  if (schema instanceof z.ZodOptional) return keysOf(schema.unwrap());
  if (schema instanceof z.ZodRecord) return keysOf(schema.valueType);
  if (schema instanceof z.ZodUnion) return schema.options.flatMap(keysOf);
  if (!(schema instanceof z.ZodObject)) return [];
  return Object.entries(schema.shape).flatMap(([key, value]) => [key, ...keysOf(value)]);
}

describe("docs/reference/configuration.md and authentication.md name", () => {
  it("every key", () => {
    expect([...new Set(keysOf(initSchema))].filter((key) => !new RegExp(`\\b${key}\\b`).test(page))).toEqual([]);
  });

  it("every router, every middleware and every short name of an environment variable", () => {
    const short = Object.keys(variables).filter((name) => !name.startsWith(`${variablePrefix}_`));
    const names = [...routerNames, ...allMiddlewareNames, ...short, "DATABASE_URL", "NODE_ENV"];
    expect(names.filter((name) => !page.includes(`\`${name}\``))).toEqual([]);
  });
});
