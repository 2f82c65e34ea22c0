import type { Model, Models } from "@servicekit/orm";
import { schemaNames } from "../model-config/model-schemas.js";
import { authHookNames, fileUploadHookNames, modelHookNames } from "../pipeline/hook-names.js";

/** A folder that modules may have, and what its files may export. */
export interface ModuleTarget {
  /** The name of the folder, and of its files: the kebab-case name of a model, `auth` or `file-upload`. */
  readonly name: string;
  /** `undefined` for the modules of the service itself. */
  readonly model: Model | undefined;
  readonly hooks: readonly string[];
  readonly schemas: readonly string[];
}

const authSchemas = ["login", "signup", "updatePassword", "updateMe"];

/** All folders that modules may have; a model that is called like one of the service's has none. */
export function moduleTargets(models: Models): ReadonlyMap<string, ModuleTarget> {
  const ofModels = [...models.values()].map((model) => ({
    name: model.resource,
    model,
    hooks: modelHookNames,
    schemas: schemaNames,
  }));
  const ofService = [
    { name: "auth", model: undefined, hooks: authHookNames, schemas: authSchemas },
    { name: "file-upload", model: undefined, hooks: fileUploadHookNames, schemas: [] },
  ];
  return new Map([...ofModels, ...ofService].map((target) => [target.name, target]));
}
