import type { IssueList } from "@servicekit/core/internal";
import type { Models } from "@servicekit/prisma";
import type { ModelConfig } from "../model-config/model-config.js";
import { checkTenant } from "./check-tenant.js";
import type { TenantConfig } from "./tenant-config.js";
import { findTenantModels, withReadonlyTenant } from "./tenant-models.js";
import { withTenantRules } from "./tenant-rules.js";

/** The models of a service and their configuration. */
export interface ConfiguredModels {
  readonly models: Models;
  readonly configs: Readonly<Record<string, ModelConfig>>;
}

/**
 * Applies tenants to the models (contract C100): a row rule, and a field that no body sets.
 *
 * @param exempt the models that only the service itself uses
 * @param issues receives models without the field that are not shared
 * @param before runs before each use of the rule, which waits for its promise
 */
export function applyTenant(
  tenant: TenantConfig,
  { models, configs }: ConfiguredModels,
  exempt: readonly string[],
  issues: IssueList,
  before?: () => Promise<void> | undefined,
): ConfiguredModels {
  const found = findTenantModels(models, tenant);
  checkTenant(tenant, found, models, configs, exempt, issues);
  return {
    models: withReadonlyTenant(models, found, tenant),
    configs: withTenantRules(configs, found, tenant, before),
  };
}
