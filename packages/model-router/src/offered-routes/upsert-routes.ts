import type { IssueList } from "@servicekit/core/internal";
import { settableKeys } from "../resource/body/settable-keys.js";
import type { WritableModel } from "../resource/body/writable-model.js";
import type { Operation } from "../resource/config/operation.js";
import type { ModelRouterSettings } from "../settings.js";

/** Which routes of a model create or replace rows (contract C99): `PUT /:id`, and `POST /many` with `onConflict`. */
export interface UpsertRoutes {
  readonly one: boolean;
  readonly many: boolean;
}

/**
 * The upsert routes of a model, and the issues of a configuration that enables them without the operations that they need.
 *
 * @param declared the operations with routes: an upsert consists of a create and an update
 * @param userModel the model of users, whose rows no request replaces: its fields grant rights
 */
export function upsertRoutes(
  writable: WritableModel,
  declared: readonly Operation[],
  { strict, models }: Pick<ModelRouterSettings, "strict" | "models">,
  userModel: string | undefined,
  issues: IssueList,
): UpsertRoutes {
  const { name } = writable.resource.model;
  if (models[name]?.upsert !== true || strict === true) return { one: false, many: false };
  const where = `models.${name}.upsert`;
  if (name === userModel) issues.add(where, "Rows of users cannot be replaced. Remove this key.");
  const has = (...operations: readonly Operation[]): boolean => operations.every((one) => declared.includes(one));
  const routes = {
    one: has("createOne", "updateOne"),
    many: has("createMany", "updateMany") && settableKeys(writable).length > 0,
  };
  if (!routes.one && !routes.many) {
    issues.add(
      where,
      `${name} needs createOne and updateOne, or createMany, updateMany and a unique key. Enable them, or remove this key.`,
    );
  }
  return routes;
}
