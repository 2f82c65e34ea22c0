import { type Models, type UniqueKey } from "@servicekit/prisma";
import { isHidden } from "@servicekit/prisma/internal";
import { type HidesField, hideFields, markModel } from "./hide-fields.js";
import { readOperation } from "./is-offered.js";
import type { ResourceConfig } from "./resource-config.js";
import { softDeleteOptions } from "./soft-delete.js";

/**
 * The models with the `hidden` fields of their configuration, like those annotated in the schema (contract C11), and
 * the relations to unreadable models (contract C64). Pass the result to everything that shows models: the database,
 * authentication, documents and discovery.
 */
export function configuredModels(models: Models, configs: Readonly<Record<string, ResourceConfig>>): Models {
  const unread = new Set(
    [...models.values()].flatMap((model) =>
      readOperation(model, configs[model.name]) === undefined ? [model.name] : [],
    ),
  );
  const marked = hideFields(models, ({ name }, field) => {
    if (field.kind === "relation" && unread.has(field.type)) return true;
    return configs[name]?.hidden?.includes(field.name) === true;
  });
  return withReadonlyDates(withSearch(withKeys(marked, models), configs), configs);
}

/** The models with the searches of their configuration (contract C103). */
function withSearch(models: Models, configs: Readonly<Record<string, ResourceConfig>>): Models {
  if (Object.values(configs).every(({ search }) => search === undefined)) return models;
  return new Map(
    [...models].map(([name, model]) => {
      const { search } = configs[name] ?? {};
      if (search === undefined) return [name, model];
      const { fields, mode = "fullText", language = "simple" } = search;
      return [name, Object.freeze({ ...model, search: Object.freeze({ mode, language, fields }) })];
    }),
  );
}

/** No body sets the time of a deletion (contract C101). */
const withReadonlyDates = (models: Models, configs: Readonly<Record<string, ResourceConfig>>): Models =>
  new Map(
    [...models].map(([name, model]) => {
      const options = softDeleteOptions(configs[name]);
      return [
        name,
        options === undefined ? model : markModel(model, (field) => field.name === options.field, "readonly"),
      ];
    }),
  );

/** The models with the fields that the application's client omits from every row as write-only. */
export const omittedModels = (models: Models, isOmitted: HidesField): Models =>
  withKeys(hideFields(models, isOmitted, "writeonly"), models);

/** A model whose key is hidden gets its next one. */
function withKeys(marked: Models, models: Models): Models {
  return new Map(
    [...marked.values()].map((model) => {
      const hadKey = models.get(model.name)?.key !== undefined;
      if (model.key !== undefined || !hadKey) return [model.name, model];
      return [model.name, Object.freeze({ ...model, key: nextKey(model.uniqueKeys) })];
    }),
  );
}

/** The key of a row if the id is hidden: the first unique field, otherwise the first unique fields (contract C7). */
function nextKey(keys: readonly UniqueKey[]): UniqueKey | undefined {
  const usable = keys.filter(({ fields }) => fields.every((field) => field.isRequired && !isHidden(field)));
  return usable.find(({ fields }) => fields.length === 1) ?? usable[0];
}
