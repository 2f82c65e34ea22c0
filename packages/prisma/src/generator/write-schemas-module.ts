import { mostListItems } from "../field-rule.js";
import type { Models } from "../model.js";
import { noPathText, pathTextRule } from "../path-text.js";
import { type GeneratedField, generatedBodies } from "./body-models.js";
import { checksText, type ValueCheck } from "./value-checks.js";
import { writtenRule } from "./written-rule.js";

/**
 * The text of a TypeScript module with a Zod schema of each model's bodies: `PostCreate` and `PostUpdate` (contract C12).
 * It imports nothing but Zod, and says what the derived schemas say of the same fields; values stay as they came.
 */
export function writeSchemasModule(models: Models): string {
  const used = new Set<ValueCheck>();
  const bodies = generatedBodies(models).map(({ model, mode, fields }) => {
    const name = `${model.name}${mode === "create" ? "Create" : "Update"}`;
    const what = mode === "create" ? `the body of a new ${model.name} may hold` : `a body may change of ${model.name}`;
    const lines = fields.map((field) => `  ${field.field.name}: ${fieldText(field, used)},\n`).join("");
    return [
      `\n/** What ${what}. */\n`,
      `export const ${name} = z.strictObject({\n${lines}});\n`,
      `export type ${name} = z.infer<typeof ${name}>;\n`,
    ].join("");
  });
  const checks = checksText(used);
  return [
    "// Written by servicekit-prisma from the Prisma schema: change the schema and generate again.\n",
    used.has("isInet") ? 'import { isIPv4, isIPv6 } from "node:net";\n' : "",
    'import { z } from "zod";\n',
    ...bodies,
    checks === "" ? "" : `\n${checks}`,
  ].join("");
}

function fieldText({ field, isOptional, isNullable, isPathText }: GeneratedField, used: Set<ValueCheck>): string {
  const { rule, check, expected } = writtenRule(field);
  let text = bareText(rule);
  if (check !== undefined) {
    used.add(check.name);
    const given = ["value", ...check.arguments].join(", ");
    text += `.refine((value) => ${check.name}(${given}), ${JSON.stringify(`Expected ${expected}.`)})`;
  }
  if (rule.kind === "text" && rule.maxCharacters !== undefined) text += `.meta({ maxLength: ${rule.maxCharacters} })`;
  if (isPathText) text += pathText;
  if (field.isList) text = `z.array(${text}).max(${mostListItems})`;
  return `${text}${isNullable ? ".nullable()" : ""}${isOptional ? ".optional()" : ""}`;
}

/** Refuses what no path can name, and shows it in a document. */
const pathText = [
  `.refine((value) => !${noPathText}.test(value), ${JSON.stringify(pathTextRule)})`,
  `.meta({ not: { pattern: ${JSON.stringify(noPathText.source)} } })`,
].join("");

function bareText(rule: ReturnType<typeof writtenRule>["rule"]): string {
  switch (rule.kind) {
    case "enum":
      return `z.enum(${JSON.stringify(rule.values)})`;
    case "boolean":
      return "z.boolean()";
    case "integer":
      return rule.isBig ? "z.union([z.string(), z.number()])" : `z.int().min(${rule.min}).max(${rule.max})`;
    case "float":
      return "z.number()";
    case "decimal":
      return "z.union([z.string(), z.number()])";
    case "json":
      return "z.unknown()";
    default:
      return "z.string()";
  }
}
