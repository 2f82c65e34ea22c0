import { type IssueList, nearestWord } from "@servicekit/core/internal";
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

/** The options of reading module schemas. */
type RowSchemaSettings = Pick<ModelRouterSettings, "resolver" | "validationOptions">;

const general: Readonly<Record<BodyOperation, SchemaName>> = {
  createOne: "create",
  createMany: "create",
  updateOne: "update",
  updateMany: "update",
};

/** The name of the schema that validates the bodies of an operation. */
const schemaName = (operation: BodyOperation, schemas: ModelConfig["schemas"]): SchemaName =>
  schemas?.[operation] === undefined ? general[operation] : operation;

/**
 * The fields that bodies of an operation may contain by the module's schema; `undefined` for all, and if the schema does
 * not reveal them.
 */
export function acceptedFields(
  operation: BodyOperation,
  schemas: ModelConfig["schemas"],
): ReadonlySet<string> | undefined {
  const schema = schemas?.[schemaName(operation, schemas)];
  if (schema === undefined) return undefined;
  const { catchall } = schema instanceof z.ZodObject ? schema.def : {};
  if (catchall !== undefined && !(catchall instanceof z.ZodNever)) return undefined;
  const keys = schemaKeys(schema);
  return keys && new Set(keys);
}

/** The validated schemas of a model's module: a key that bodies may not set is a startup issue. */
export function rowSchemas(
  { model }: Resource,
  schemas: ModelConfig["schemas"],
  settings: RowSchemaSettings,
  issues: IssueList,
): RowSchemas {
  const checked = new Set<string>();
  return (operation, names, guard, settled = new Set()) => {
    const name = schemaName(operation, schemas);
    const schema = schemas?.[name];
    if (schema === undefined) return undefined;
    const where = `models.${model.name}.schemas.${name}`;
    if (!checked.has(name)) {
      checked.add(name);
      if (!checkSchemaKind(where, schema, settings.resolver, issues)) return undefined;
      checkKeys(where, schema, names, model, issues);
    }
    const validate = makeValidator(rejectingUnknown(withoutSettled(schema, settled)), settings.validationOptions);
    return guardedSchema(validate, guard(), {
      model,
      names,
      keys: schemaKeys(schema) ?? [],
      name: `${name} of ${model.name}`,
    });
  };
}

/** The schemas of all modules, by the model's name. */
export function givenSchemas(resources: Resources, settings: ModelRouterSettings, issues: IssueList): GivenSchemas {
  return new Map(
    [...resources.values()].flatMap((resource): (readonly [string, RowSchemas])[] => {
      const { schemas } = settings.models[resource.model.name] ?? {};
      return schemas === undefined ? [] : [[resource.model.name, rowSchemas(resource, schemas, settings, issues)]];
    }),
  );
}

/** Whether a schema is of the configured kind and usable; otherwise an issue. */
export function checkSchemaKind(
  where: string,
  schema: Schema,
  resolver: Resolver | undefined,
  issues: IssueList,
): boolean {
  const kind = isZodSchema(schema) ? "zod" : "class-validator";
  const messages = isZodSchema(schema) ? [] : checkDtoClass(schema);
  if (resolver !== undefined && kind !== resolver) {
    messages.push(`This is ${kindWords[kind]}, but validation.resolver is ${resolver}.`);
  }
  for (const message of messages) issues.add(where, message);
  return messages.length === 0;
}

const kindWords: Readonly<Record<Resolver, string>> = { zod: "a Zod schema", "class-validator": "a class" };

function checkKeys(where: string, schema: Schema, known: readonly string[], model: Model, issues: IssueList): void {
  for (const key of schemaKeys(schema) ?? []) {
    if (known.includes(key)) continue;
    const field = model.fieldsByName.get(key);
    if (field === undefined) {
      const near = nearestWord(key, known);
      issues.add(where, `${model.name} has no field ${key}${near === undefined ? "." : `. Did you mean ${near}?`}`);
    } else {
      const why = isHidden(field) ? "is hidden" : "cannot be set by bodies";
      issues.add(where, `The field ${key} ${why}. Remove it, or allow it with writable.`);
    }
  }
}

/**
 * An object schema rejects unknown keys by default, as a class does (contract C12): Zod would drop them silently.
 * `z.looseObject` and `catchall` leave them to the derived schema.
 */
function rejectingUnknown(schema: Schema): Schema {
  return schema instanceof z.ZodObject && schema.def.catchall === undefined ? schema.strict() : schema;
}

/**
 * The schema without the fields that the place of a row determines, such as the key of its parent. Only a Zod object
 * can be reduced: any other schema requires everything, wherever a row is.
 */
function withoutSettled(schema: Schema, settled: ReadonlySet<string>): Schema {
  if (settled.size === 0 || !(schema instanceof z.ZodObject)) return schema;
  const names = Object.keys(schema.shape).filter((name) => settled.has(name));
  // A refinement of the object may read any of its keys.
  if (names.length === 0 || (schema.def.checks ?? []).length > 0) return schema;
  return schema.omit(Object.fromEntries(names.map((name) => [name, true as const])) as Record<string, never>);
}
