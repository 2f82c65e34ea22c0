import { httpErrors } from "@servicekit/core";
import { isPlainObject } from "@servicekit/core/internal";
import type { Models } from "@servicekit/prisma";
import { callerOf } from "@servicekit/router";
import type { Request } from "express";
import type { RowRule } from "../model-config/model-auth.js";
import type { ModelConfig } from "../model-config/model-config.js";
import type { NewValues } from "../writes/write-scope.js";
import type { TenantConfig } from "./tenant-config.js";
import { findTenantModels, type TenantModels } from "./tenant-models.js";

/** The configuration of models with a row rule for the tenant, besides their own rule. */
export function withTenantRules(
  configs: Readonly<Record<string, ModelConfig>>,
  { fields }: TenantModels,
  tenant: TenantConfig,
  before?: () => Promise<void> | undefined,
): Readonly<Record<string, ModelConfig>> {
  const ruled = [...fields].map(([name, field]): readonly [string, ModelConfig] => {
    const config = configs[name] ?? {};
    const rule = tenantRule(field, tenant, before);
    const own = config.auth?.where;
    return [name, { ...config, auth: { ...config.auth, where: own === undefined ? rule : bothRules(rule, own) } }];
  });
  return { ...configs, ...Object.fromEntries(ruled) };
}

/**
 * The values that new rows get: the tenant of the caller; 403 for a caller without one. A superuser without one creates
 * rows of no tenant, if the field is optional.
 */
export function makeTenantValues(models: Models, tenant: TenantConfig): NewValues<Request> {
  const { owned } = findTenantModels(models, tenant);
  const names: ReadonlySet<string> = new Set([tenant.field]);
  return {
    names: ({ name }) => (owned.has(name) ? names : noNames),
    of(request, { name, fieldsByName }) {
      if (!owned.has(name)) return noValues;
      const value = tenantOf(request, tenant);
      if (value !== undefined) return { [tenant.field]: value };
      if (callerOf(request)?.isSuperUser === true && fieldsByName.get(tenant.field)?.isRequired === false)
        return noValues;
      throw httpErrors.Forbidden("Only a caller with a tenant can create this row.");
    },
  };
}

const noNames: ReadonlySet<string> = new Set();
const noValues = Object.freeze({});

function tenantOf(request: Request, { of }: TenantConfig): unknown {
  const caller = callerOf(request);
  return caller === undefined ? undefined : (of(caller) ?? undefined);
}

const tenantRule =
  (field: string, tenant: TenantConfig, before?: () => Promise<void> | undefined): RowRule =>
  (request) => {
    const value = tenantOf(request, tenant);
    if (value === undefined) return false;
    const rule = { [field]: value };
    return before?.()?.then(() => rule) ?? rule;
  };

/** Both rules together; an invalid result of the second is reported as that of a single rule. */
const bothRules =
  (first: RowRule, second: RowRule): RowRule =>
  async (request) => {
    const [one, other] = await Promise.all([first(request), second(request)]);
    if (one === false || other === true) return one;
    return isPlainObject(other) && Object.keys(other).length > 0 ? { AND: [one, other] } : other;
  };
