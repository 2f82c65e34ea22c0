import { mostListItems } from "../field-rule.js";
import type { Models } from "../model.js";
import { noPathText } from "../path-text.js";
import { type GeneratedField, generatedBodies } from "./body-models.js";
import { checksText, type ValueCheck } from "./value-checks.js";
import { type WrittenRule, writtenRule } from "./written-rule.js";

/** What the text of a module gathers while it is written. */
interface Used {
  readonly checks: Set<ValueCheck>;
  /** Decorators of class-validator. */
  readonly decorators: Set<string>;
}

/**
 * The text of a TypeScript module with a class of each model's bodies for class-validator: `CreatePostDto` and
 * `UpdatePostDto` (contract C12). It imports nothing else, and says what the derived schemas say of the same fields.
 */
export function writeDtosModule(models: Models): string {
  const used: Used = { checks: new Set(), decorators: new Set() };
  const classes = generatedBodies(models).flatMap(({ model, mode, fields }) => {
    // A class without a decorator would accept nothing at all.
    if (fields.length === 0) return [];
    const name = `${mode === "create" ? "Create" : "Update"}${model.name}Dto`;
    if (fields.some(({ field }) => field.name === "constructor")) {
      return `\n// There is no class ${name}: a class cannot have a field named constructor.\n`;
    }
    const what = mode === "create" ? `the body of a new ${model.name} may hold` : `a body may change of ${model.name}`;
    const properties = fields.map((field) => propertyText(field, used)).join("\n");
    return `\n/** What ${what}. */\nexport class ${name} {\n${properties}}\n`;
  });
  const checks = checksText(used.checks);
  if (checks !== "") for (const name of ["ValidateBy", "type ValidationOptions"]) used.decorators.add(name);
  const names = [...used.decorators].sort((a, b) => a.replace("type ", "").localeCompare(b.replace("type ", "")));
  return [
    "// Written by servicekit-prisma from the Prisma schema: change the schema and generate again.\n",
    used.checks.has("isInet") ? 'import { isIPv4, isIPv6 } from "node:net";\n' : "",
    names.length === 0
      ? "export {};\n"
      : `import {\n${names.map((name) => `  ${name},\n`).join("")}} from "class-validator";\n`,
    ...classes,
    checks === "" ? "" : `\n${fits}\n${checks}`,
  ].join("");
}

/** A decorator of any check. */
const fits = `/** Asks a check of a property, or of each item of a list. */
function Fits(test: (value: unknown) => boolean, expected: string, options: ValidationOptions = {}): PropertyDecorator {
  const whose = options.each === true ? "each value of $property" : "$property";
  const validator = { validate: test, defaultMessage: () => \`\${whose} must be \${expected}\` };
  return ValidateBy({ name: "fits", validator }, options);
}
`;

function propertyText({ field, isOptional, isNullable, isPathText }: GeneratedField, used: Used): string {
  const written = writtenRule(field);
  const each = field.isList ? "{ each: true }" : undefined;
  const decorators = [
    ...presence(isOptional, isNullable),
    ...(field.isList ? ["IsArray()", `ArrayMaxSize(${mostListItems})`] : []),
    ...ownDecorators(written, each),
    ...(isPathText
      ? [`Fits((value) => !${noPathText}.test(String(value)), ${JSON.stringify("an id that a path can name")})`]
      : []),
  ];
  if (written.check !== undefined) {
    used.checks.add(written.check.name);
    const given = ["value", ...written.check.arguments].join(", ");
    const rest = each === undefined ? "" : `, ${each}`;
    decorators.push(`Fits((value) => ${written.check.name}(${given}), ${JSON.stringify(written.expected)}${rest})`);
  }
  for (const decorator of decorators) {
    const name = decorator.slice(0, decorator.indexOf("("));
    if (name !== "Fits") used.decorators.add(name);
  }
  const item = written.type.includes("|") && field.isList ? `(${written.type})` : written.type;
  const type = `${item}${field.isList ? "[]" : ""}${isNullable ? " | null" : ""}`;
  const lines = decorators.map((decorator) => `  @${decorator}\n`).join("");
  return `${lines}  ${field.name}${isOptional ? "?" : "!"}: ${type};\n`;
}

/** `IsOptional` would let null through where the column takes none. */
function presence(isOptional: boolean, isNullable: boolean): readonly string[] {
  const ways = [...(isOptional ? ["value !== undefined"] : []), ...(isNullable ? ["value !== null"] : [])];
  return ways.length === 0 ? [] : [`ValidateIf((_body, value) => ${ways.join(" && ")})`];
}

function ownDecorators({ rule, check }: WrittenRule, each: string | undefined): readonly string[] {
  const last = each === undefined ? "" : `, ${each}`;
  switch (rule.kind) {
    case "enum":
      return [`IsIn(${JSON.stringify(rule.values)}${last})`];
    case "boolean":
      return [`IsBoolean(${each ?? ""})`];
    case "integer":
      return rule.isBig ? [] : [`IsInt(${each ?? ""})`, `Min(${rule.min}${last})`, `Max(${rule.max}${last})`];
    case "float":
      return [`IsNumber({}${last})`];
    default:
      return check === undefined || rule.kind === "decimal" || rule.kind === "json" ? [] : [`IsString(${each ?? ""})`];
  }
}
