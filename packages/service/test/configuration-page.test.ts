import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { describe, expect, it } from "vitest";
import { z } from "zod";
import { initSchema } from "../src/config/config-schema.js";
import { allMiddlewareNames, routerNames } from "../src/config/names.js";
import { variablePrefix, variables } from "../src/config/variables.js";

const file = fileURLToPath(new URL("../../../docs/reference/configuration.md", import.meta.url));
const page = readFileSync(file, "utf8");

/** A row for each key that a variable sets. */
function variablesTable(): string {
  const all = Object.entries(variables);
  const rows = all.flatMap(([name, { key, ...how }]) => {
    if (!name.startsWith(`${variablePrefix}_`)) return [];
    const others = all
      .filter(([other, { key: sets }]) => sets === key && other !== name)
      .map(([other]) => `\`${other}\``);
    const also = others.length === 0 ? "" : `${others.join(", ")} `;
    return [`| \`${name}\` | ${also}| \`${key}\` | ${how.type === "any" ? how.expected : how.type} |`];
  });
  return ["| variable | also | key | its text |", "|---|---|---|---|", ...rows].join("\n");
}

/** The keys of an object and of the objects in it. */
function keysOf(schema: unknown): string[] {
  if (schema instanceof z.ZodOptional) return keysOf(schema.unwrap());
  if (schema instanceof z.ZodRecord) return keysOf(schema.valueType);
  if (schema instanceof z.ZodUnion) return schema.options.flatMap(keysOf);
  if (!(schema instanceof z.ZodObject)) return [];
  return Object.entries(schema.shape).flatMap(([key, value]) => [key, ...keysOf(value)]);
}

describe("docs/reference/configuration.md names", () => {
  it("every key", () => {
    expect([...new Set(keysOf(initSchema))].filter((key) => !new RegExp(`\\b${key}\\b`).test(page))).toEqual([]);
  });

  it("every router, every middleware and every environment variable", () => {
    const names = [...routerNames, ...allMiddlewareNames, ...Object.keys(variables), "DATABASE_URL", "NODE_ENV"];
    expect(names.filter((name) => !page.includes(`\`${name}\``))).toEqual([]);
  });

  it("C68 every environment variable as the schema has it", async () => {
    // `npm test -- packages/service/test/configuration-page -u` writes the table into the page.
    const [before, rest = ""] = page.split(/(?<=<!-- variables: .+ -->\n)/);
    const after = rest.slice(rest.indexOf("<!-- end of variables -->"));
    await expect(`${before}${variablesTable()}\n${after}`).toMatchFileSnapshot(file);
  });
});
