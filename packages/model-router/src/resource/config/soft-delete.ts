import type { Model, StoredField } from "@servicekit/prisma";
import type { ResourceConfig, SoftDeleteOptions } from "./resource-config.js";

/** Which rows a request means: those that are not deleted, all, or only deleted ones. */
export type DeletedRows = "exclude" | "include" | "only";

/** Whether deletes of a model mark rows (contract C101). */
export const isSoftDeleted = (config: Pick<ResourceConfig, "softDelete"> | undefined): boolean =>
  config?.softDelete !== undefined && config.softDelete !== false;

/** The options of soft delete, with defaults; `undefined` for a model without it. */
export function softDeleteOptions(
  config: Pick<ResourceConfig, "softDelete"> | undefined,
): Required<SoftDeleteOptions> | undefined {
  const softDelete = config?.softDelete;
  if (softDelete === undefined || softDelete === false) return undefined;
  const { field = "deletedAt", keep = [] } = softDelete === true ? {} : softDelete;
  return { field, keep };
}

/** The field with the time of the deletion; `undefined` for a model without soft delete. */
export function deletedField(
  model: Model,
  config: Pick<ResourceConfig, "softDelete"> | undefined,
): StoredField | undefined {
  const options = softDeleteOptions(config);
  const field = options && model.fieldsByName.get(options.field);
  return field?.kind === "scalar" ? field : undefined;
}
