import { type Models, type UniqueKey } from "@servicekit/prisma";
import { isHidden } from "@servicekit/prisma/internal";
import { readOperation } from "./is-offered.js";
import { type HidesField, markHidden } from "./mark-hidden.js";
import type { ResourceConfig } from "./resource-config.js";

/**
 * The models with the `hidden` fields of their configuration marked like those that the schema marks (contract C11), and
 * the relations to models that nobody can read (contract C64). Give the result to everything that shows models: the
 * database, authentication, documents and discovery.
 */
export function configuredModels(models: Models, configs: Readonly<Record<string, ResourceConfig>>): Models {
  const unread = new Set(
    [...models.values()].flatMap((model) =>
      readOperation(model, configs[model.name]) === undefined ? [model.name] : [],
    ),
  );
  const marked = markHidden(models, ({ name }, field) => {
    if (field.kind === "relation" && unread.has(field.type)) return true;
    return configs[name]?.hidden?.includes(field.name) === true;
  });
  return withKeys(marked, models);
}

/** The models with the fields that the application leaves out of every row marked as only to be written. */
export const omittedModels = (models: Models, isOmitted: HidesField): Models =>
  withKeys(markHidden(models, isOmitted, "writeonly"), models);

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

/** The key that names a row when the id is hidden: the first unique field, else the first unique fields (contract C7). */
function nextKey(keys: readonly UniqueKey[]): UniqueKey | undefined {
  const usable = keys.filter(({ fields }) => fields.every((field) => field.isRequired && !isHidden(field)));
  return usable.find(({ fields }) => fields.length === 1) ?? usable[0];
}
