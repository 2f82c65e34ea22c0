import { createRequire } from "node:module";
import type { ExpectedScalar, ExpectedValue } from "@servicekit/query-parser";
import type { ValidationMetadata } from "class-validator/types/metadata/ValidationMetadata.js";
import { type DtoClass, isDtoClass } from "./schema.js";

interface Libraries {
  readonly validator: typeof import("class-validator");
  readonly transformer: import("class-transformer/types/MetadataStorage.js").MetadataStorage;
}

function loadLibraries(): Libraries {
  const require = createRequire(import.meta.url);
  return {
    validator: require("class-validator"),
    transformer: require("class-transformer/cjs/storage.js").defaultMetadataStorage,
  };
}

/** Declared by reflect-metadata, which is only installed for classes. */
type WithMetadata = { getMetadata?(key: string, target: object, property: string): unknown };

const numeric = new Set(["isInt", "isNumber", "isPositive", "isNegative", "min", "max", "isDivisibleBy"]);

/** Decorators for values of several types. */
const untyped = new Set([
  ...["isDefined", "isEmpty", "isNotEmpty", "equals", "notEquals", "isNotIn", "isObject", "isNotEmptyObject"],
  ...["isInstance", "isDate", "minDate", "maxDate"],
]);

/** The conversion of class-transformer from plain values to instances. */
const plainToClass = 0;

/**
 * The types that a class with class-validator decorators accepts: by its decorators first, then by the types of its
 * properties, if TypeScript emits them. `@Transform` gets the text.
 */
export function expectedOfClass(dto: DtoClass, seen = new Map<DtoClass, ExpectedValue>()): ExpectedValue {
  const known = seen.get(dto);
  if (known !== undefined) return known;
  const { validator, transformer } = loadLibraries();
  const fields = new Map<string, ExpectedValue | undefined>();
  const made: ExpectedValue = { fields };
  seen.set(dto, made);
  const rules = validator.getMetadataStorage().getTargetValidationMetadatas(dto, "", true, false);
  for (const property of new Set(rules.map(({ propertyName }) => propertyName))) {
    const own = rules.filter(({ propertyName }) => propertyName === property);
    const name = transformer.findExposeMetadata(dto, property)?.options?.name ?? property;
    const isTransformed = transformer.findTransformMetadatas(dto, property, plainToClass).length > 0;
    fields.set(name, isTransformed ? scalar("text") : ofProperty(dto, property, own, seen));
  }
  return made;
}

function ofProperty(
  dto: DtoClass,
  property: string,
  rules: readonly ValidationMetadata[],
  seen: Map<DtoClass, ExpectedValue>,
): ExpectedValue | undefined {
  const { transformer } = loadLibraries();
  const designed = (Reflect as WithMetadata).getMetadata?.("design:type", dto.prototype as object, property);
  const typeMetadata = transformer.findTypeMetadata(dto, property);
  const type: unknown = typeMetadata?.typeFunction?.() ?? designed;
  const isList = designed === Array || rules.some(({ each, name }) => each || name === "isArray");
  if (!isList) return ofValue(rules, type, seen);
  const item = ofValue(
    rules.filter(({ each }) => each),
    type === Array ? undefined : type,
    seen,
  );
  return { list: { first: [], rest: item } };
}

function ofValue(
  rules: readonly ValidationMetadata[],
  type: unknown,
  seen: Map<DtoClass, ExpectedValue>,
): ExpectedValue | undefined {
  const { validator } = loadLibraries();
  const names = rules.flatMap(({ name }) => name ?? []);
  const chosen = rules.find(({ name }) => name === "isEnum" || name === "isIn");
  if (chosen !== undefined) return literals(chosen.constraints[0]);
  if (names.includes("isBoolean")) return scalar("boolean");
  if (names.some((name) => numeric.has(name))) return scalar("number");
  const isText = (name: string) => !untyped.has(name) && !/^(isArray|array[A-Z])/.test(name) && name in validator;
  if (names.some(isText)) return scalar("text");
  if (type === Boolean) return scalar("boolean");
  if (type === Number) return scalar("number");
  if (type === Date && names.includes("isDate")) return scalar("date");
  if (type === String || type === Date) return scalar("text");
  const isNested = rules.some(({ type: kind }) => kind === "nestedValidation");
  return isNested && isDtoClass(type) ? expectedOfClass(type, seen) : undefined;
}

const scalar = (kind: ExpectedScalar): ExpectedValue => ({ scalars: new Set([kind]) });

/** The values of a list, or of a TypeScript enum, which contains reverse mappings. */
function literals(values: unknown): ExpectedValue | undefined {
  if (typeof values !== "object" || values === null) return undefined;
  // A numeric enum maps back: `{ 0: "Low", Low: 0 }`.
  const given = Object.entries(values).flatMap(([key, value]) =>
    !Array.isArray(values) && /^-?\d/.test(key) ? [] : [value],
  );
  const known = given.filter((value) => ["string", "number", "boolean"].includes(typeof value));
  return { literals: new Map(known.map((value: string | number | boolean) => [String(value), value])) };
}
