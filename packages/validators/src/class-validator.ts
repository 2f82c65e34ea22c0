import { createRequire } from "node:module";
import { type FaultPlace, type FieldFault, fieldCode, isInstalled, missingPackages } from "@servicekit/errors";
import { isPlainObject, toJsonPointer } from "@servicekit/field-path";
import type { ValidationError } from "class-validator";
import type { DtoClass } from "./schema.js";
import { unknownField } from "./unknown-field.js";
import { mostFaults, type Validator } from "./validator.js";

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
    const inherited = inheritedNames(value, place);
    if (inherited.length > 0) return { valid: false, faults: inherited };
    const instance: object = transformer.plainToInstance(dto, value, transformOptions);
    const errors = await validator.validate(instance, settings);
    if (errors.length === 0) return { valid: true, value: instance };
    return { valid: false, faults: errors.slice(0, mostFaults).flatMap((error) => toFaults(error, [], place)) };
  };
}

/** Keys such as `toString`, which class-validator lets through unseen because every object has them. */
function inheritedNames(value: object, place: FaultPlace): FieldFault[] {
  const open: { readonly value: object; readonly path: readonly string[] }[] = [{ value, path: [] }];
  const faults: FieldFault[] = [];
  for (let at = open.pop(); at !== undefined; at = open.pop()) {
    for (const [key, inner] of Object.entries(at.value)) {
      const path = [...at.path, key];
      if (key in Object.prototype) faults.push(unknownField(path, place));
      if (typeof inner === "object" && inner !== null) open.push({ value: inner, path });
    }
  }
  return faults;
}

function toFaults(error: ValidationError, above: readonly string[], place: FaultPlace): FieldFault[] {
  const path = [...above, error.property];
  const inner = (error.children ?? []).flatMap((child) => toFaults(child, path, place));
  const own = Object.entries(error.constraints ?? {});
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
