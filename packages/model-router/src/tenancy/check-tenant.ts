import type { IssueList } from "@servicekit/core/internal";
import type { Models } from "@servicekit/prisma";
import type { ModelConfig } from "../model-config/model-config.js";
import type { TenantConfig } from "./tenant-config.js";
import { hasField, type TenantModels } from "./tenant-models.js";

/**
 * Validates the configuration of tenants against the models: each model has the field, or is shared explicitly, because
 * a forgotten field would show the rows of all tenants.
 *
 * @param exempt the models that only the service itself uses
 */
export function checkTenant(
  { field, shared = [] }: TenantConfig,
  { fields, owned }: TenantModels,
  models: Models,
  configs: Readonly<Record<string, ModelConfig>>,
  exempt: readonly string[],
  issues: IssueList,
): void {
  if (owned.size === 0) {
    const names = [...new Set([...models.values()].flatMap((model) => [...model.fieldsByName.keys()]))];
    issues.unknown(
      "tenant.field",
      "field",
      field,
      names.filter((name) => isStored(models, name)),
    );
    return;
  }
  for (const name of shared) {
    const model = models.get(name);
    if (model === undefined) issues.unknown("tenant.shared", "model", name, [...models.keys()]);
    else if (hasField(model, field))
      issues.add("tenant.shared", `${name} has the field ${field}, so its rows belong to tenants.`);
  }
  const missing = [...models.keys()].filter(
    (name) => !fields.has(name) && !shared.includes(name) && !exempt.includes(name),
  );
  for (const name of missing) {
    issues.add("tenant", `${name} has no field ${field}. Add the field, or list the model in tenant.shared.`);
  }
  for (const name of owned) checkWritable(name);

  function checkWritable(name: string): void {
    for (const given of configs[name]?.writable ?? []) {
      const own = models.get(name)?.fieldsByName.get(given);
      const sets = own?.kind === "relation" ? own.relation.fields : [given];
      if (!sets.includes(field)) continue;
      issues.add(`models.${name}.writable`, `${given} sets the tenant of a row, which no body can set. Remove it.`);
    }
  }
}

const isStored = (models: Models, name: string): boolean => [...models.values()].some((model) => hasField(model, name));
