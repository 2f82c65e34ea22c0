import { type FaultList, makeFaultList } from "@servicekit/errors";
import { isObject } from "@servicekit/field-path";
import type { Model, Models } from "@servicekit/orm";
import { operationNames } from "@servicekit/resource";
import { isDtoClass, isZodSchema } from "@servicekit/router";
import { checkAuth } from "./check-auth.js";
import { defaultFaults } from "./default-faults.js";
import { checkFilterWords } from "./filter-words.js";
import { modelHookNames } from "./hook-names.js";
import { checkNames, eachKey, type KeyCheck } from "./key-check.js";
import type { ModelConfig } from "./model-config.js";
import { schemaNames } from "./model-schemas.js";

/**
 * Holds the models' configuration against the models.
 *
 * @param others what may stand beside models, for the message
 * @throws {StartError} that names each unknown model, key, operation, field and hook with the nearest known one, and each
 * value of a wrong type, all at once (contract C44)
 */
export function checkModelConfigs(
  configs: Readonly<Record<string, ModelConfig>>,
  models: Models,
  others: readonly string[] = [],
): void {
  const faults = makeFaultList();
  checkFilterWords(models, configs, faults);
  for (const [name, config] of Object.entries(configs)) {
    const model = models.get(name);
    if (model === undefined) faults.unknown("models", "model", name, [...models.keys(), ...others]);
    checkModelConfig(`models.${name}`, config, model, faults);
  }
  faults.throwIfAny();
}

/**
 * Checks the configuration of one model.
 *
 * @param model `undefined` for a name that no model has: then fields are not looked at
 */
export function checkModelConfig(where: string, config: unknown, model: Model | undefined, faults: FaultList): void {
  if (!isObject(config)) {
    faults.wrong(where, "an object", config);
    return;
  }
  for (const [key, value] of Object.entries(config)) {
    if (!Object.hasOwn(checks, key)) faults.unknown(where, "key", key, Object.keys(checks));
    else if (value !== undefined) checks[key as keyof ModelConfig](`${where}.${key}`, value, model, faults);
  }
}

const checks: Readonly<Record<keyof ModelConfig, KeyCheck>> = {
  operations: (where, value, _model, faults) =>
    eachKey(where, value, "operation", operationNames, faults, (inner, open) => {
      if (typeof open !== "boolean") faults.wrong(inner, "true or false", open);
    }),
  reachable: (where, value, _model, faults) => {
    if (typeof value !== "boolean") faults.wrong(where, "true or false", value);
  },
  page: counts("default", "max"),
  bulkItems: (where, value, _model, faults) => checkCount(where, value, faults),
  include: counts("depth", "rows", "total"),
  auth: checkAuth,
  hidden: fieldNames("field", (model) => model.fields.map(({ name }) => name)),
  readonly: fieldNames("field", (model) => model.fields.map(({ name }) => name)),
  writable: fieldNames("field", (model) => model.fields.map(({ name }) => name)),
  searchable: fieldNames("string field", (model) =>
    model.fields.filter((field) => field.type === "String" && !field.isList).map(({ name }) => name),
  ),
  query: (where, value, model, faults) =>
    eachKey(where, value, "reading operation", ["findMany", "findOne"], faults, (inner, options, operation) => {
      if (model === undefined) return;
      for (const [at, message] of defaultFaults(options, operation === "findMany", model))
        faults.add(`${inner}${at}`, message);
    }),
  // What stands in it is checked with the declarations of all routes.
  uploads: (where, value, _model, faults) =>
    eachKey(where, value, "operation with a body for one row", ["createOne", "updateOne"], faults, (inner, uploads) => {
      if (!isObject(uploads)) faults.wrong(inner, "an object, as experimental.uploads takes it", uploads);
    }),
  hooks: (where, value, _model, faults) =>
    eachKey(where, value, "hook", modelHookNames, faults, (inner, hook) => {
      const isHook = [hook].flat(Number.POSITIVE_INFINITY).every((one) => typeof one === "function");
      if (!isHook) faults.wrong(inner, "a function or a list of functions", hook);
    }),
  schemas: (where, value, _model, faults) =>
    eachKey(where, value, "schema", schemaNames, faults, (inner, schema) => {
      if (!isZodSchema(schema) && !isDtoClass(schema)) {
        faults.wrong(inner, "a Zod schema or a class with class-validator decorators", schema);
      }
    }),
  router: (where, value, _model, faults) => {
    const isRouter = typeof value === "function" || (isObject(value) && typeof value.handle === "function");
    if (!isRouter) faults.wrong(where, "a router", value);
  },
};

function counts(...known: readonly string[]): KeyCheck {
  return (where, value, _model, faults) =>
    eachKey(where, value, "key", known, faults, (inner, count) => checkCount(inner, count, faults));
}

function checkCount(where: string, value: unknown, faults: FaultList): void {
  if (!Number.isSafeInteger(value) || (value as number) < 1) faults.wrong(where, "a whole number of at least 1", value);
}

function fieldNames(what: string, known: (model: Model) => readonly string[]): KeyCheck {
  return (where, value, model, faults) => checkNames(where, value, what, model && known(model), faults);
}
