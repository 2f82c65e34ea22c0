import { type FaultList, nearestWord } from "@servicekit/core/internal";
import { type Model } from "@servicekit/prisma";
import { isHidden } from "@servicekit/prisma/internal";
import { type Schema } from "@servicekit/router";
import { checkDtoClass, isZodSchema, makeValidator, schemaKeys } from "@servicekit/router/internal";
import { z } from "zod";
import type { ModelConfig } from "../model-config/model-config.js";
import type { Resolver, SchemaName } from "../model-config/model-schemas.js";
import type { BodyOperation, GivenSchemas, RowSchemas } from "../resource/body/body-schemas.js";
import type { Resource, Resources } from "../resource/resource.js";
import type { ModelRouterSettings } from "../settings.js";
import { guardedSchema } from "./guarded-schema.js";

/** What module schemas are read with. */
type RowSchemaSettings = Pick<ModelRouterSettings, "resolver" | "validationOptions">;

const general: Readonly<Record<BodyOperation, SchemaName>> = {
  createOne: "create",
  createMany: "create",
  updateOne: "update",
  updateMany: "update",
};

/** The schemas of a model's module, checked as they are used: a key that bodies may not set is a fault at start. */
export function rowSchemas(
  { model }: Resource,
  schemas: ModelConfig["schemas"],
  settings: RowSchemaSettings,
  faults: FaultList,
): RowSchemas {
  const checked = new Set<string>();
  return (operation, names, guard, settled = new Set()) => {
    const name = schemas?.[operation] === undefined ? general[operation] : operation;
    const schema = schemas?.[name];
    if (schema === undefined) return undefined;
    const where = `models.${model.name}.schemas.${name}`;
    if (!checked.has(name)) {
      checked.add(name);
      if (!checkSchemaKind(where, schema, settings.resolver, faults)) return undefined;
      checkKeys(where, schema, names, model, faults);
    }
    const validate = makeValidator(refusingUnknown(withoutSettled(schema, settled)), settings.validationOptions);
    return guardedSchema(validate, guard(), {
      model,
      names,
      keys: schemaKeys(schema) ?? [],
      name: `${name} of ${model.name}`,
    });
  };
}

/** The schemas of all modules, by the model's name. */
export function givenSchemas(resources: Resources, settings: ModelRouterSettings, faults: FaultList): GivenSchemas {
  return new Map(
    [...resources.values()].flatMap((resource): (readonly [string, RowSchemas])[] => {
      const { schemas } = settings.models[resource.model.name] ?? {};
      return schemas === undefined ? [] : [[resource.model.name, rowSchemas(resource, schemas, settings, faults)]];
    }),
  );
}

/** Whether a schema is of the configured kind and can be used; a fault otherwise. */
export function checkSchemaKind(
  where: string,
  schema: Schema,
  resolver: Resolver | undefined,
  faults: FaultList,
): boolean {
  const kind = isZodSchema(schema) ? "zod" : "class-validator";
  const messages = isZodSchema(schema) ? [] : checkDtoClass(schema);
  if (resolver !== undefined && kind !== resolver) {
    messages.push(`This is ${kindWords[kind]}, but validation.resolver says ${resolver}.`);
  }
  for (const message of messages) faults.add(where, message);
  return messages.length === 0;
}

const kindWords: Readonly<Record<Resolver, string>> = { zod: "a Zod schema", "class-validator": "a class" };

function checkKeys(where: string, schema: Schema, known: readonly string[], model: Model, faults: FaultList): void {
  for (const key of schemaKeys(schema) ?? []) {
    if (known.includes(key)) continue;
    const field = model.fieldsByName.get(key);
    if (field === undefined) {
      const near = nearestWord(key, known);
      faults.add(where, `${model.name} has no field ${key}${near === undefined ? "." : `; did you mean ${near}?`}`);
    } else {
      const why = isHidden(field) ? "is hidden" : "is not for bodies to set";
      faults.add(where, `The field ${key} ${why}; leave it out, or open it with writable.`);
    }
  }
}

/**
 * An object that says nothing of unknown keys refuses them, as a class does (contract C12): Zod drops them silently.
 * `z.looseObject` and `catchall` leave them to the model.
 */
function refusingUnknown(schema: Schema): Schema {
  return schema instanceof z.ZodObject && schema.def.catchall === undefined ? schema.strict() : schema;
}

/**
 * The schema without what the place of a row settles, such as the key of the row that it stands below. Only an object of
 * Zod's can be taken apart: any other schema asks for everything, wherever a row stands.
 */
function withoutSettled(schema: Schema, settled: ReadonlySet<string>): Schema {
  if (settled.size === 0 || !(schema instanceof z.ZodObject)) return schema;
  const names = Object.keys(schema.shape).filter((name) => settled.has(name));
  // What refines the object may look at any of its keys.
  if (names.length === 0 || (schema.def.checks ?? []).length > 0) return schema;
  return schema.omit(Object.fromEntries(names.map((name) => [name, true as const])) as Record<string, never>);
}
