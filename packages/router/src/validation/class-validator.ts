import { createRequire } from "node:module";
import { type IssuePlace, type ValidationIssue } from "@servicekit/core";
import { fieldCode, isInstalled, isPlainObject, missingPackages, toJsonPointer } from "@servicekit/core/internal";
import type { ValidationError } from "class-validator";
import type { DtoClass } from "./schema.js";
import { unknownField } from "./unknown-field.js";
import { distinctIssues, maxIssues, type Validator, validKeysOf } from "./validator.js";

interface Libraries {
  readonly validator: typeof import("class-validator");
  readonly transformer: typeof import("class-transformer");
}

/** Loads both libraries with the first class, so that they need not be installed otherwise. */
function loadLibraries(): Libraries {
  const require = createRequire(import.meta.url);
  return { validator: require("class-validator"), transformer: require("class-transformer") };
}

const packages = ["class-validator", "class-transformer", "reflect-metadata"];

/**
 * Why a class cannot validate: libraries that are not installed or not loaded, or a class without a decorator. Without
 * reflect-metadata class-transformer cannot determine the types of nested values, and throws.
 */
export function checkDtoClass(dto: DtoClass): string[] {
  let libraries: Libraries;
  try {
    libraries = loadLibraries();
  } catch {
    const names = packages.filter((name) => !isInstalled(name, import.meta.url));
    return [missingPackages({ names, purpose: `The class ${dto.name}` })];
  }
  if (!("getMetadata" in Reflect)) {
    return [
      `The class ${dto.name} requires reflect-metadata, which is not loaded. Run npm install reflect-metadata, and import "reflect-metadata" before the class.`,
    ];
  }
  const metadata = libraries.validator.getMetadataStorage();
  return metadata.getTargetValidationMetadatas(dto, "", false, false).length > 0
    ? []
    : [`The class ${dto.name} has no class-validator decorator, so it would reject every field.`];
}

/** The properties with decorators of a class. */
export function dtoKeys(dto: DtoClass): readonly string[] {
  const metadata = loadLibraries().validator.getMetadataStorage().getTargetValidationMetadatas(dto, "", false, false);
  return [...new Set(metadata.map(({ propertyName }) => propertyName))];
}

/**
 * A validator of a class with class-validator decorators; a valid value becomes an instance. Unknown keys are rejected
 * unless `options` allow them; `transformOptions` are passed to class-transformer; `forbidUnknownValues` cannot be
 * disabled (contract C48, CVE-2019-18413).
 */
export function makeClassValidator(dto: DtoClass, options: Readonly<Record<string, unknown>> = {}): Validator {
  const { validator, transformer } = loadLibraries();
  const { transformOptions, ...given } = options as { readonly transformOptions?: object };
  const settings = { whitelist: true, forbidNonWhitelisted: true, ...given, forbidUnknownValues: true };
  return async (value, place) => {
    // A list would become a list of instances, and null would throw.
    if (!isPlainObject(value)) {
      return {
        valid: false,
        issues: [{ in: place, path: "", code: "InvalidType", message: "An object is required." }],
      };
    }
    const inherited: ValidationIssue[] = [];
    const instance: object = transformer.plainToInstance(
      dto,
      withoutInherited(value, place, inherited),
      transformOptions,
    );
    const errors = await validator.validate(instance, settings);
    if (errors.length === 0 && inherited.length === 0) return { valid: true, value: instance };
    const issues = distinctIssues([...toIssues(errors, instance, [], place), ...inherited].slice(0, maxIssues));
    const validKeys = validKeysOf(instance, issues);
    return { valid: false, issues, ...(validKeys === undefined ? {} : { validKeys }) };
  };
}

/** The value without keys such as `toString`, which class-validator ignores because every object has them. */
function withoutInherited<Value>(
  value: Value,
  place: IssuePlace,
  issues: ValidationIssue[],
  above: FieldPath = [],
): Value {
  if (Array.isArray(value)) {
    return value.map((item, index) => withoutInherited(item, place, issues, [...above, String(index)])) as Value;
  }
  // A converted date, a file and similar are complete values.
  if (!isPlainObject(value)) return value;
  const entries: [string, unknown][] = [];
  for (const [key, inner] of Object.entries(value)) {
    const path = [...above, key];
    if (key in Object.prototype) issues.push(unknownField(path, place));
    else entries.push([key, withoutInherited(inner, place, issues, path)]);
  }
  return Object.fromEntries(entries) as Value;
}

type FieldPath = readonly string[];

/** The errors of one object in the order of the class's properties, unknown keys last. */
function toIssues(
  errors: readonly ValidationError[],
  target: unknown,
  above: FieldPath,
  place: IssuePlace,
): ValidationIssue[] {
  const declared = typeof target === "object" && target !== null ? dtoKeys(target.constructor as DtoClass) : [];
  const isUnknown = (error: ValidationError): boolean => error.constraints?.whitelistValidation !== undefined;
  const rankOf = (error: ValidationError): number => {
    if (isUnknown(error)) return declared.length;
    return Array.isArray(target) ? Number(error.property) : declared.indexOf(error.property);
  };
  const inOrder = errors.slice(0, maxIssues).sort((a, b) => rankOf(a) - rankOf(b));
  return inOrder.flatMap((error) => toValidationIssues(error, above, place));
}

function toValidationIssues(error: ValidationError, above: FieldPath, place: IssuePlace): ValidationIssue[] {
  const path = [...above, error.property];
  const inner = toIssues(error.children ?? [], error.value, path, place);
  // Decorators run from the last to the first: this is their order in the source.
  const own = Object.entries(error.constraints ?? {}).reverse();
  if (own.some(([code]) => code === "whitelistValidation")) {
    const { target } = error;
    return [unknownField(path, place, target === undefined ? [] : dtoKeys(target.constructor as DtoClass)), ...inner];
  }
  if (own.length > 0 && error.value === undefined) {
    return [{ in: place, path: toJsonPointer(path), code: "RequiredValue", message: "This is required." }];
  }
  return [
    ...own.map(([code, message]) => ({ in: place, path: toJsonPointer(path), code: fieldCode(code), message })),
    ...inner,
  ];
}
