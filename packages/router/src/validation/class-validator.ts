import { createRequire } from "node:module";
import { type FaultPlace, type FieldFault } from "@servicekit/core";
import { fieldCode, isInstalled, isPlainObject, missingPackages, toJsonPointer } from "@servicekit/core/internal";
import type { ValidationError } from "class-validator";
import type { DtoClass } from "./schema.js";
import { unknownField } from "./unknown-field.js";
import { distinctFaults, mostFaults, soundKeys, type Validator } from "./validator.js";

interface Libraries {
  readonly validator: typeof import("class-validator");
  readonly transformer: typeof import("class-transformer");
}

/** Loads both libraries at the first class: who declares none need not install them. */
function loadLibraries(): Libraries {
  const require = createRequire(import.meta.url);
  return { validator: require("class-validator"), transformer: require("class-transformer") };
}

const packages = ["class-validator", "class-transformer", "reflect-metadata"];

/**
 * What keeps a class from validating: libraries that are not installed or not loaded, or a class without a decorator.
 * Without reflect-metadata the library that transforms does not know the types of nested values, and throws.
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
      `The class ${dto.name} needs reflect-metadata, which is not loaded: npm install reflect-metadata, and import "reflect-metadata" before the class.`,
    ];
  }
  const metadata = libraries.validator.getMetadataStorage();
  return metadata.getTargetValidationMetadatas(dto, "", false, false).length > 0
    ? []
    : [`The class ${dto.name} has no class-validator decorator, so it would accept nothing.`];
}

/** The properties of a class that its decorators speak of. */
export function dtoKeys(dto: DtoClass): readonly string[] {
  const metadata = loadLibraries().validator.getMetadataStorage().getTargetValidationMetadatas(dto, "", false, false);
  return [...new Set(metadata.map(({ propertyName }) => propertyName))];
}

/**
 * A validator of a class with class-validator decorators; a valid value becomes an instance. Unknown keys are refused
 * unless `options` say otherwise, of which `transformOptions` go to class-transformer; nothing can switch `forbidUnknownValues` off (contract C48, CVE-2019-18413).
 */
export function makeClassValidator(dto: DtoClass, options: Readonly<Record<string, unknown>> = {}): Validator {
  const { validator, transformer } = loadLibraries();
  const { transformOptions, ...given } = options as { readonly transformOptions?: object };
  const settings = { whitelist: true, forbidNonWhitelisted: true, ...given, forbidUnknownValues: true };
  return async (value, place) => {
    // A list would become a list of instances, and null would throw.
    if (!isPlainObject(value)) {
      return { valid: false, faults: [{ in: place, path: "", code: "InvalidType", message: "An object is needed." }] };
    }
    const inherited: FieldFault[] = [];
    const instance: object = transformer.plainToInstance(
      dto,
      withoutInherited(value, place, inherited),
      transformOptions,
    );
    const errors = await validator.validate(instance, settings);
    if (errors.length === 0 && inherited.length === 0) return { valid: true, value: instance };
    const faults = distinctFaults([...toFaults(errors, instance, [], place), ...inherited].slice(0, mostFaults));
    const sound = soundKeys(instance, faults);
    return { valid: false, faults, ...(sound === undefined ? {} : { sound }) };
  };
}

/** The value without keys such as `toString`, which class-validator lets through unseen because every object has them. */
function withoutInherited<Value>(value: Value, place: FaultPlace, faults: FieldFault[], above: FieldPath = []): Value {
  if (Array.isArray(value)) {
    return value.map((item, index) => withoutInherited(item, place, faults, [...above, String(index)])) as Value;
  }
  // A date that was read from a text, a file and their like are values of their own.
  if (!isPlainObject(value)) return value;
  const kept: [string, unknown][] = [];
  for (const [key, inner] of Object.entries(value)) {
    const path = [...above, key];
    if (key in Object.prototype) faults.push(unknownField(path, place));
    else kept.push([key, withoutInherited(inner, place, faults, path)]);
  }
  return Object.fromEntries(kept) as Value;
}

type FieldPath = readonly string[];

/** The errors of one object in the order in which its class declares the properties, unknown keys last. */
function toFaults(
  errors: readonly ValidationError[],
  target: unknown,
  above: FieldPath,
  place: FaultPlace,
): FieldFault[] {
  const declared = typeof target === "object" && target !== null ? dtoKeys(target.constructor as DtoClass) : [];
  const isUnknown = (error: ValidationError): boolean => error.constraints?.whitelistValidation !== undefined;
  const rankOf = (error: ValidationError): number => {
    if (isUnknown(error)) return declared.length;
    return Array.isArray(target) ? Number(error.property) : declared.indexOf(error.property);
  };
  const inOrder = errors.slice(0, mostFaults).sort((a, b) => rankOf(a) - rankOf(b));
  return inOrder.flatMap((error) => toFieldFaults(error, above, place));
}

function toFieldFaults(error: ValidationError, above: FieldPath, place: FaultPlace): FieldFault[] {
  const path = [...above, error.property];
  const inner = toFaults(error.children ?? [], error.value, path, place);
  // Decorators run from the last to the first: this is the order in which they are written.
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
