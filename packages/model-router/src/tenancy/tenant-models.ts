import type { Model, Models } from "@servicekit/prisma";
import { isStored } from "@servicekit/prisma/internal";
import { markModel } from "../resource/config/hide-fields.js";
import type { TenantConfig } from "./tenant-config.js";

/** The models of a service by tenants. */
export interface TenantModels {
  /** The field that a rule compares with the tenant of the caller, by model; shared models have none. */
  readonly fields: ReadonlyMap<string, string>;
  /** The models with the field itself, which new rows get. */
  readonly owned: ReadonlySet<string>;
}

/**
 * Finds the field of the tenant in each model: the configured one, and in the model of the tenants the field that it
 * references.
 */
export function findTenantModels(models: Models, { field, shared = [] }: TenantConfig): TenantModels {
  const owned = [...models.values()].filter((model) => hasField(model, field) && !shared.includes(model.name));
  const fields = new Map(owned.map(({ name }) => [name, field]));
  for (const { fields: own } of owned) {
    for (const one of own) {
      if (one.kind !== "relation" || one.relation.fields.join() !== field) continue;
      const [reference] = one.relation.references;
      if (reference !== undefined && !fields.has(one.type) && !shared.includes(one.type))
        fields.set(one.type, reference);
    }
  }
  return { fields, owned: new Set(owned.map(({ name }) => name)) };
}

/** The same models, in which no body sets the tenant of a row. */
export const withReadonlyTenant = (models: Models, { owned }: TenantModels, tenant: TenantConfig): Models =>
  new Map(
    [...models].map(([name, model]) => [
      name,
      owned.has(name) ? markModel(model, (field) => field.name === tenant.field, "readonly") : model,
    ]),
  );

/** Whether a model has a stored field with this name. */
export function hasField({ fieldsByName }: Model, name: string): boolean {
  const field = fieldsByName.get(name);
  return field !== undefined && isStored(field) && !field.isList;
}
