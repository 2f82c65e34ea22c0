import { createRequire } from "node:module";
import { isInstalled, missingPackages } from "@servicekit/core/internal";
import type { DocumentObject, DtoClass } from "@servicekit/router";
import { rewriteReferences } from "./rewrite-references.js";
import type { SchemaCollector } from "./schema-collector.js";

interface Libraries {
  readonly toSchema: (target: DtoClass, options: object) => Readonly<Record<string, unknown>>;
  readonly options: object;
  readonly targetOf: (name: string) => DtoClass | undefined;
}

const prefix = "#/components/schemas/";

/** Loaded at the first class, so that it need not be installed otherwise. */
function loadLibraries(): Libraries {
  const name = "class-validator-jsonschema";
  if (!isInstalled(name, import.meta.url)) throw new Error(missingPackages({ names: [name], purpose: "Its schema" }));
  const require = createRequire(import.meta.url);
  const { targetConstructorToSchema } = require("class-validator-jsonschema");
  const { getMetadataStorage } = require("class-validator");
  const { defaultMetadataStorage } = require("class-transformer/cjs/storage.js");
  return {
    toSchema: targetConstructorToSchema,
    options: { classTransformerMetadataStorage: defaultMetadataStorage, refPointerPrefix: prefix },
    targetOf: (name) => {
      const targets: Iterable<unknown> = getMetadataStorage().validationMetadatas.keys();
      return [...targets].find((target): target is DtoClass => typeof target === "function" && target.name === name);
    },
  };
}

/** A class with class-validator decorators as a named component, with the classes that it references. */
export function fromClass(dto: DtoClass, collector: SchemaCollector, seen = new Map<string, string>()): DocumentObject {
  const known = seen.get(dto.name);
  if (known !== undefined) return { $ref: prefix + known };
  seen.set(dto.name, dto.name);
  const { toSchema, options, targetOf } = loadLibraries();
  const made = toSchema(dto, options);
  const schema = rewriteReferences({ additionalProperties: false, ...made }, (reference) => {
    const name = reference.slice(prefix.length);
    const target = targetOf(name);
    if (target === undefined) {
      collector.warn(`${dto.name}: the class ${name} that it references has no decorator and cannot be documented.`);
      return collector.add(name, { description: "This value cannot be documented." }).$ref as string;
    }
    return fromClass(target, collector, seen).$ref as string;
  });
  return collector.add(dto.name, schema);
}
