import { isSortable, operatorsOf } from "../conditions/operators-of.js";
import type { Model, Models } from "../model.js";
import { bodyTypes } from "./api-bodies.js";
import { filterType, shownType } from "./api-values.js";
import { resourceKey } from "./resource-key.js";
import { isShown, shownRelations } from "./shown-fields.js";

/**
 * The text of a TypeScript module of types alone: `Api`, what a client may ask of each model and send to it (contract
 * C74), by the name of its resource. It imports nothing. What a service's configuration hides or opens is not known here.
 */
export function writeApiModule(models: Models): string {
  const kinds = new Map<string, string>();
  const resources = [...models.values()].map((model) => resourceText(model, models, kinds));
  return [
    "// Written by servicekit-prisma from the Prisma schema: change the schema and generate again.\n\n",
    ...[...kinds].map(([operators, name]) => `type ${name} = ${operators};\n`),
    "\n/** The models of the service by the names of their resources, for `makeClient` of @servicekit/client. */\n",
    `export interface Api {\n${resources.join("")}}\n`,
  ].join("");
}

/** @param kinds the names of the unions of operators, by what they hold: many fields share one */
function resourceText(model: Model, models: Models, kinds: Map<string, string>): string {
  const stored = model.fields.filter(isShown);
  const filters = stored.flatMap((field) => {
    const operators = operatorsOf(field)
      .map((name) => JSON.stringify(name))
      .join(" | ");
    if (operators === "") return [];
    const kind = kinds.get(operators) ?? `Operators${kinds.size + 1}`;
    kinds.set(operators, kind);
    const unsorted = isSortable(field) ? "" : "; unsorted: true";
    return `      ${field.name}: { value: ${filterType(field)}; operators: ${kind}${unsorted} };\n`;
  });
  const relations = shownRelations(model, models).map(({ field, related }) => {
    const many = field.isList ? "; list: true" : field.isRequired ? "" : "; nullable: true";
    return `      ${field.name}: { to: ${JSON.stringify(resourceKey(related))}${many} };\n`;
  });
  const rows = stored.map(
    (field) => `${comment(field.documentation, "      ")}      ${field.name}: ${shownType(field)};\n`,
  );
  const { ref, create, update } = bodyTypes(model, models);
  const name = resourceKey(model);
  return [
    comment(model.documentation, "  "),
    `  ${/^\w+$/.test(name) ? name : JSON.stringify(name)}: {\n`,
    `    key: ${keyType(model)};\n`,
    `    row: {\n${rows.join("")}    };\n`,
    `    ref: ${ref};\n`,
    `    create: ${create};\n`,
    `    update: ${update};\n`,
    `    filters: {\n${filters.join("")}    };\n`,
    `    relations: {\n${relations.join("")}    };\n`,
    "  };\n",
  ].join("");
}

function keyType({ key }: Model): string {
  const [only, ...others] = key?.fields ?? [];
  if (only === undefined) return "never";
  if (others.length === 0) return filterType(only);
  return `readonly [${[only, ...others].map((field) => `${field.name}: ${filterType(field)}`).join(", ")}]`;
}

/** A comment of the schema; nothing in it ends the comment that it becomes. */
function comment(text: string | undefined, indent: string): string {
  if (text === undefined) return "";
  const lines = text.replaceAll("*/", "*\\/").split("\n");
  const [first = "", ...rest] = lines;
  if (rest.length === 0) return `${indent}/** ${first} */\n`;
  return `${indent}/**\n${lines.map((line) => `${indent} * ${line}`.trimEnd()).join("\n")}\n${indent} */\n`;
}
