import { isPlainObject } from "@servicekit/core/internal";
import type { Model, Models } from "../models/model.js";

/** Whether a query filters or sorts by a computed field with SQL, which Prisma Client cannot. */
export type ComparesComputed = (model: Model, args: object) => boolean;

const never: ComparesComputed = () => false;

/** Creates the check of a database; it reads no query if no model has such fields. */
export function makeComparesComputed(models: Models): ComparesComputed {
  if (comparableFields(models).length === 0) return never;
  return (model, args) => {
    const { where, orderBy } = args as { readonly where?: unknown; readonly orderBy?: unknown };
    return compares(where, model, models) || compares(orderBy, model, models);
  };
}

/** The computed fields with SQL, as `Model.field`. */
export const comparableFields = (models: Models): readonly (readonly [model: string, field: string])[] =>
  [...models.values()].flatMap(({ name, fields }) =>
    fields.flatMap((field) =>
      field.kind === "computed" && field.comparable !== undefined ? [[name, field.name] as const] : [],
    ),
  );

/** The words of Prisma around conditions of the same model have no fields of their own. */
function compares(clause: unknown, model: Model, models: Models): boolean {
  if (Array.isArray(clause)) return clause.some((one) => compares(one, model, models));
  if (!isPlainObject(clause)) return false;
  return Object.entries(clause).some(([key, value]) => {
    const field = model.fieldsByName.get(key);
    if (field?.kind === "computed") return true;
    if (field === undefined) return compares(value, model, models);
    const target = field.kind === "relation" ? models.get(field.type) : undefined;
    return target !== undefined && compares(value, target, models);
  });
}
