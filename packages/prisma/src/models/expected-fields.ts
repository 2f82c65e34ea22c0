import type { StartupIssue } from "@servicekit/core";
import { nearestWord } from "@servicekit/core/internal";
import { isStored } from "./is-stored.js";
import type { Field, Model } from "./model.js";

/** What a package requires of a field of its own model. */
export interface ExpectedField {
  /** Such as `a DateTime`. */
  readonly expected: string;
  test(field: Field): boolean;
}

/** Whether a field is one value of a scalar type. */
export const isScalarOf = (field: Field, type: string): boolean =>
  field.kind === "scalar" && field.type === type && !field.isList;

const fits = (field: Field, min: number): boolean =>
  field.kind === "scalar" && (field.nativeType === undefined || Number(field.nativeType.args[0] ?? min) >= min);

/** A required String. */
export const textOf = (min: number): ExpectedField => ({
  expected: `a String of at least ${min} characters`,
  test: (field) => isScalarOf(field, "String") && field.isRequired && fits(field, min),
});

/** An optional String. */
export const optionalTextOf = (min: number): ExpectedField => ({
  expected: Number.isFinite(min) ? `a String? of at least ${min} characters` : "a String? without a length",
  test: (field) => isScalarOf(field, "String") && !field.isRequired && fits(field, min),
});

/**
 * Compares a model of the schema, whose rows a package creates, with the fields that the package writes.
 *
 * @param expected the fields by name
 * @param user what uses the fields, for the messages
 * @returns an issue for each field that is missing or of the wrong type, and for others that are required without a default
 */
export function expectedFieldIssues(
  model: Model,
  expected: Readonly<Record<string, ExpectedField>>,
  user: string,
): readonly StartupIssue[] {
  const issues = [...missingFieldIssues(model, expected, user)];
  for (const field of model.fields) {
    if (Object.hasOwn(expected, field.name) || !field.isRequired || field.isList) continue;
    if (field.kind === "relation" || field.kind === "computed") continue;
    if (isStored(field) && (field.hasDefault || field.isUpdatedAt)) continue;
    issues.push({
      where: `field ${model.name}.${field.name}`,
      message: "is required and has no default, so rows cannot be created.",
    });
  }
  return issues;
}

/**
 * Compares a model of the schema, whose rows clients create, with the fields that a package reads and changes.
 *
 * @param expected the fields by name
 * @param user what uses the fields, for the messages
 * @returns an issue for each field that is missing or of the wrong type
 */
export function missingFieldIssues(
  model: Model,
  expected: Readonly<Record<string, ExpectedField>>,
  user: string,
): readonly StartupIssue[] {
  const issues: StartupIssue[] = [];
  for (const [name, { expected: wanted, test }] of Object.entries(expected)) {
    const field = model.fieldsByName.get(name);
    if (field === undefined) {
      const others = [...model.fieldsByName.keys()].filter((other) => !Object.hasOwn(expected, other));
      const near = nearestWord(name, others);
      const hint = near === undefined ? "." : `. Did you mean ${near}?`;
      issues.push({ where: `model ${model.name}`, message: `requires a field ${name}, ${wanted}${hint}` });
    } else if (!test(field)) {
      issues.push({
        where: `field ${model.name}.${name}`,
        message: `must be ${wanted}; ${user} uses it.${fixOf(model, field)}`,
      });
    }
  }
  return issues;
}

const fixOf = ({ provider }: Model, field: Field): string =>
  provider === "mysql" && isScalarOf(field, "String") ? " In MySQL a String has 191 characters: add @db.LongText." : "";
