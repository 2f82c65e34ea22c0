import { StartupError, type StartupIssue } from "@servicekit/core";
import { isPlainObject } from "@servicekit/core/internal";
import type { ComputedField, Model, Models, ScalarField, ScalarType } from "@servicekit/prisma";
import { isStored, type ResultField, SqlColumn, SqlExpression, sqlTemplate } from "@servicekit/prisma/internal";
import { z } from "zod";
import type { ComputedFieldConfig, ComputedFieldConfigs } from "./computed-config.js";
import type { ResourceConfig } from "./resource-config.js";

/**
 * The models with their computed fields (contract C102): those of the configuration, and those that the Prisma client
 * adds to its rows. Pass the result to `makeDatabase`, which computes them, and to `makeModelRouter`.
 *
 * @param resultFieldsOf the fields that `$extends({ result })` adds to a model
 * @throws {StartupError} for a field of the configuration that neither the configuration nor the client computes
 */
export function computedModels(
  models: Models,
  configs: Readonly<Record<string, ResourceConfig>>,
  resultFieldsOf: (model: Model) => readonly ResultField[] = () => [],
): Models {
  const issues: StartupIssue[] = [];
  const made = new Map(
    [...models.values()].map((model) => {
      const fields = fieldsOf(model, configs[model.name]?.computed ?? {}, resultFieldsOf(model), issues);
      return [model.name, fields.length === 0 ? model : withFields(model, fields)] as const;
    }),
  );
  if (issues.length > 0) throw new StartupError(issues);
  return made;
}

function fieldsOf(
  model: Model,
  configs: ComputedFieldConfigs,
  results: readonly ResultField[],
  issues: StartupIssue[],
): readonly ComputedField[] {
  const configured = Object.entries(configs).flatMap(([name, config]) => {
    const { compute } = config;
    const computed =
      compute === undefined
        ? results.find((result) => result.name === name)
        : { needs: config.needs ?? [], compute: (row: Readonly<Record<string, unknown>>) => compute(row) };
    if (computed !== undefined) {
      const field = makeField(name, config, computed);
      return [config.sql === undefined ? field : withSql(field, config, model, issues)];
    }
    const message = `Add needs and compute, because the Prisma client has no field ${name} of ${model.name} either.`;
    issues.push({ where: `models.${model.name}.computed.${name}`, message });
    return [];
  });
  const added = results.filter(({ name }) => !Object.hasOwn(configs, name));
  return [...configured, ...added.map((result) => makeField(result.name, { type: z.unknown() }, result))];
}

function makeField(
  name: string,
  { type }: ComputedFieldConfig,
  { needs, compute }: Pick<ResultField, "needs" | "compute">,
): ComputedField {
  const schema = valueSchema(type);
  const { description, ...document } = schema;
  return Object.freeze<ComputedField>({
    kind: "computed",
    name,
    column: "",
    ...nearestType(schema),
    documentation: typeof description === "string" ? description : undefined,
    annotations: Object.freeze({ hidden: false, readonly: true, writeonly: false, writable: false, visible: false }),
    schema: document,
    needs,
    compute,
  });
}

/** The field with its SQL; errors are added to the issues. */
function withSql(
  field: ComputedField,
  config: ComputedFieldConfig,
  model: Model,
  issues: StartupIssue[],
): ComputedField {
  const where = `models.${model.name}.computed.${field.name}.sql`;
  const type = comparableTypes[field.type];
  if (type === undefined || field.isList) {
    const message = `Remove sql, or use a type of texts, numbers, booleans or date-times: ${field.name} has no order.`;
    issues.push({ where, message });
    return field;
  }
  try {
    const expression = config.sql?.({ column: (name) => columnOf(name, field, model), sql: sqlTemplate });
    if (!(expression instanceof SqlExpression)) throw new TypeError("Return the result of the template sql.");
    return Object.freeze({ ...field, comparable: comparableField(field, type, expression) });
  } catch (error) {
    issues.push({ where, message: error instanceof Error ? error.message : String(error) });
    return field;
  }
}

function columnOf(name: string, { needs }: ComputedField, { fieldsByName }: Model): SqlColumn {
  const field = fieldsByName.get(name);
  if (!needs.includes(name) || field === undefined || !isStored(field))
    throw new TypeError(`The column ${name} is not in needs: ${needs.join(", ")}.`);
  return new SqlColumn(field.column);
}

/** The types as which values are compared, by the type of the field. */
const comparableTypes: Readonly<Partial<Record<ScalarType, ScalarType>>> = {
  String: "String",
  Int: "Float",
  Float: "Float",
  Boolean: "Boolean",
  DateTime: "DateTime",
};

const comparableField = (
  { name, isRequired, documentation, annotations }: ComputedField,
  type: ScalarType,
  expression: SqlExpression,
): ScalarField =>
  Object.freeze<ScalarField>({
    ...{ kind: "scalar", type, name, column: "", expression, isList: false, isRequired, documentation, annotations },
    ...{ isId: false, isUnique: false, isUpdatedAt: false, hasDefault: false, isForeignKey: false },
    ...{ default: undefined, nativeType: undefined },
  });

type ValueSchema = Readonly<Record<string, unknown>>;

/**
 * The JSON Schema of a value in responses.
 *
 * @throws {Error} if the Zod schema is not one of JSON, or recursive
 */
export function valueSchema(type: z.ZodType): ValueSchema {
  const { $schema: _, ...schema } = z.toJSONSchema(type, {
    io: "output",
    cycles: "throw",
    reused: "inline",
    // Without the names of schemas, each is written where it is used.
    override: ({ jsonSchema }) => tidy(jsonSchema as Record<string, unknown>),
    metadata: { get: (one: z.ZodType) => withoutId(one), has: (one: z.ZodType) => z.globalRegistry.has(one) } as never,
  }) as ValueSchema;
  return schema;
}

/** Removes a pattern that repeats the format, and the bounds of every integer. */
function tidy(schema: Record<string, unknown>): void {
  if (schema.format !== undefined) delete schema.pattern;
  if (schema.minimum === Number.MIN_SAFE_INTEGER) delete schema.minimum;
  if (schema.maximum === Number.MAX_SAFE_INTEGER) delete schema.maximum;
}

function withoutId(type: z.ZodType): object | undefined {
  const { id: _, ...metadata } = z.globalRegistry.get(type) ?? {};
  return metadata;
}

/** The type of a stored field that is nearest to a JSON Schema. */
function nearestType(schema: ValueSchema): Pick<ComputedField, "type" | "isList" | "isRequired"> {
  const choices = Array.isArray(schema.anyOf) ? (schema.anyOf as readonly ValueSchema[]) : [schema];
  const types = choices.flatMap(({ type }) => (type === undefined ? [undefined] : [type].flat()));
  const isRequired = !types.includes("null") && types.every((type) => type !== undefined);
  const [only = {}, ...others] = choices.filter(({ type }) => type !== "null");
  if (others.length > 0) return { type: "Json", isList: false, isRequired };
  if (only.type === "array" && isPlainObject(only.items) && !Array.isArray(only.items.anyOf))
    return { type: scalarOf(only.items), isList: true, isRequired };
  return { type: scalarOf(only), isList: false, isRequired };
}

function scalarOf({ type: types, format }: ValueSchema): ScalarType {
  const [type, ...others] = [types].flat().filter((one) => one !== "null");
  if (others.length > 0) return "Json";
  if (type === "string") return format === "date-time" ? "DateTime" : "String";
  if (type === "integer") return "Int";
  if (type === "number") return "Float";
  return type === "boolean" ? "Boolean" : "Json";
}

function withFields(model: Model, computed: readonly ComputedField[]): Model {
  const fields = Object.freeze([...model.fields, ...computed]);
  return Object.freeze({ ...model, fields, fieldsByName: new Map(fields.map((field) => [field.name, field])) });
}
