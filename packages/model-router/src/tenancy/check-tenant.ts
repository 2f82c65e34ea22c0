import type { IssueList } from "@servicekit/core/internal";
import type { Model, Models } from "@servicekit/prisma";
import { isHidden, storedFields } from "@servicekit/prisma/internal";
import type { ModelConfig } from "../model-config/model-config.js";
import { callerKeys, findMissingReads } from "./missing-reads.js";
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

/**
 * Validates what `tenant.of` reads of a caller, if each caller has an account of the service: a misspelt field would hide
 * all rows.
 *
 * @param user the model of the users
 */
export function checkTenantOf({ of }: TenantConfig, user: Model, issues: IssueList): void {
  const fields = storedFields(user).filter((field) => !isHidden(field));
  const names = fields.map(({ name }) => name);
  // A value that converts to every type.
  const caller = { id: 1, roles: [], isSuperUser: false, user: Object.fromEntries(names.map((name) => [name, "1"])) };
  const { ofCaller, ofUser } = findMissingReads(of, caller);
  for (const name of ofCaller) {
    if (names.includes(name)) issues.add("tenant.of", `A caller has no ${name}. Did you mean caller.user.${name}?`);
    else issues.unknown("tenant.of", "key of a caller", name, callerKeys);
  }
  for (const name of ofUser) {
    if (user.fieldsByName.has(name) && user.fieldsByName.get(name)?.kind !== "relation")
      issues.add("tenant.of", `caller.user has no ${name}, because this field of ${user.name} is hidden.`);
    else issues.unknown("tenant.of", `field of ${user.name}`, name, names);
  }
}

const isStored = (models: Models, name: string): boolean => [...models.values()].some((model) => hasField(model, name));
