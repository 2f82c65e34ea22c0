import type { Request } from "express";
import { withheldFields } from "../access/granted-fields.js";
import { sees } from "../access/request-access.js";
import { acceptedFields } from "../module-schemas/row-schemas.js";
import type { WritableModel } from "../resource/body/writable-model.js";
import type { ModelRoutes } from "../steps/route-source.js";

/** Whether a body of the caller may set a field. */
export type IsRestorable = (request: Request, name: string) => boolean;

/** Determines the fields of recorded states that bodies of an operation may set. */
export function restorableFields(
  operation: "createOne" | "updateOne",
  { resource: { model }, config, source }: ModelRoutes,
): IsRestorable {
  const { users, access, writables } = source;
  const writable = writables.get(model.name) as WritableModel;
  const accepted = acceptedFields(operation, config.schemas);
  const withheld =
    access === undefined || users === undefined
      ? undefined
      : withheldFields(operation, model, { users, delegated: config.writable ?? [] });
  return (request, name) =>
    writable.fields.has(name) &&
    accepted?.has(name) !== false &&
    withheld?.(request).has(name) !== true &&
    sees(request, model, name);
}
