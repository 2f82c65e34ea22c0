import { StartupError, type StartupIssue } from "@servicekit/core";
import { readProvider } from "../providers/provider.js";
import { FrozenMap } from "./frozen-map.js";
import { isStored } from "./is-stored.js";
import type { Model, Models, StoredField } from "./model.js";
import type { EnumData, ModelData, ModelsData } from "./models-data.js";
import { readField } from "./read-field.js";
import { resourceName } from "./resource-name.js";
import { chooseKey, readUniqueKeys } from "./unique-keys.js";

/**
 * Creates the frozen models of a service from the generator's output.
 *
 * @throws {StartupError} for data of another format, a misspelled annotation, an unknown relation, and two models with
 * one resource name: all issues together.
 */
export function readModels(data: ModelsData): Models {
  if (!isModelsData(data)) {
    const message =
      "this is not the output of servicekit-prisma. Pass `models` of the generated models.ts, and run `npx service generate` (or `prisma generate`) to write it.";
    throw new StartupError([{ where: "models", message }]);
  }
  const issues: StartupIssue[] = [];
  const enums = new Map(data.enums.map((entry) => [entry.name, entry]));
  const models = new Map(data.models.map((model) => [model.name, readModel(model, data, enums, issues)]));
  const byResource = new Map<string, string>();
  for (const { name, resource } of models.values()) {
    const other = byResource.get(resource);
    if (other !== undefined) {
      issues.push({ where: `model ${name}`, message: `has the resource name ${resource}, which ${other} also has.` });
    }
    byResource.set(resource, name);
  }
  if (issues.length > 0) throw new StartupError(issues);
  return new FrozenMap(models);
}

function readModel(
  model: ModelData,
  data: ModelsData,
  enums: ReadonlyMap<string, EnumData>,
  issues: StartupIssue[],
): Model {
  const fields = model.fields.map((field) => readField(field, model, data, enums, issues));
  const fieldsByName = new FrozenMap(fields.map((field) => [field.name, field] as const));
  const stored = (name: string): StoredField | undefined => {
    const field = fieldsByName.get(name);
    return isStored(field) ? field : undefined;
  };
  const uniqueKeys = readUniqueKeys(model, stored);
  return Object.freeze({
    name: model.name,
    delegate: model.name.charAt(0).toLowerCase() + model.name.slice(1),
    resource: resourceName(model.name),
    table: model.table ?? model.name,
    provider: readProvider(data.provider) ?? "postgresql",
    schema: model.schema,
    isView: model.isView ?? false,
    hasForeignKeys: data.relationMode === undefined,
    isCreatable: model.isCreatable ?? true,
    unsettable: Object.freeze([...(model.unsettable ?? [])]),
    documentation: model.documentation,
    fields: Object.freeze(fields),
    fieldsByName,
    key: chooseKey(uniqueKeys, model.keys[0]?.kind === "id"),
    uniqueKeys: Object.freeze(uniqueKeys),
  });
}

function isModelsData(data: unknown): data is ModelsData {
  if (typeof data !== "object" || data === null) return false;
  const { format, enums, models } = data as Partial<Record<keyof ModelsData, unknown>>;
  return format === 1 && Array.isArray(enums) && Array.isArray(models);
}
