import { userRules } from "@servicekit/auth/settings";
import { changeModelName } from "@servicekit/changes/settings";
import type { IssueList } from "@servicekit/core/internal";
import { keyModelName } from "@servicekit/idempotency/settings";
import { positionModelName } from "@servicekit/jobs/settings";
import {
  applyTenant,
  checkModelConfigs,
  checkTenantOf,
  configuredModels,
  watchTenant,
} from "@servicekit/model-router/internal";
import { type Models, readModels } from "@servicekit/prisma";
import { deliveryModelName, webhookModelName } from "@servicekit/webhooks/settings";
import type { Logger } from "pino";
import type { ServiceSettings } from "../config/settings.js";
import { closeOwnModels } from "./close-own-models.js";
import { fieldRoleIssues } from "./field-role-issues.js";
import { openAccessIssues } from "./open-access-issues.js";
import { givenModules, moduleIssues, openModules, otherModuleNames, type ServiceModules } from "./open-modules.js";
import type { TenantCheck } from "./tenant-columns.js";
import { withWebhooks } from "./webhook-modules.js";

/** The models, with the fields that the configuration hides, and their modules. */
export async function readSchema(
  settings: ServiceSettings,
  logger: Logger,
  issues: IssueList,
  tenantCheck?: TenantCheck,
): Promise<{ readonly models: Models; readonly modules: ServiceModules }> {
  const { database } = settings;
  const read = database === undefined ? undefined : await issues.during(() => readModels(database.models));
  // Without the models, the modules of models are unknown.
  if (database !== undefined && read === undefined)
    return { models: new Map(), modules: givenModules(settings, undefined) };
  const given =
    (await issues.during(() => openModules(settings, read, logger, issues))) ?? givenModules(settings, read);
  const closed = closeOwnModels([...writtenModels, webhookModelName], given, read);
  const modules = (await issues.during(() => withWebhooks(settings, closed, read))) ?? closed;
  issues.addAll(moduleIssues(modules));
  issues.addAll(openAccessIssues(settings, modules, issues));
  if (read === undefined) {
    // Without a database every name is unknown except the modules of the service.
    const { models: named } = givenModules(settings, undefined);
    await issues.during(() => checkModelConfigs(named, new Map(), otherModuleNames));
    return { models: new Map(), modules };
  }
  const before = issues.all.length;
  await issues.during(() => checkModelConfigs(modules.models, read, otherModuleNames));
  const isRight = issues.all.length === before;
  if (!isRight) return { models: read, modules };
  issues.addAll(fieldRoleIssues(settings, modules, read));
  const { models, configs } = withTenants(
    settings,
    { models: read, configs: modules.models },
    logger,
    issues,
    tenantCheck,
  );
  return { models: configuredModels(models, configs), modules: { ...modules, models: configs } };
}

/** The models that only the service itself writes, besides those of authentication. */
const writtenModels = [keyModelName, changeModelName, positionModelName, deliveryModelName] as const;

/** The models that only the service itself uses. */
const ownModels: readonly string[] = [...userRules.ownModels, ...writtenModels];

/** The models with the rule and the read-only field of their tenants, if there are tenants. */
function withTenants(
  { tenant, authentication }: ServiceSettings,
  configured: Parameters<typeof applyTenant>[1],
  logger: Logger,
  issues: IssueList,
  tenantCheck: TenantCheck | undefined,
): ReturnType<typeof applyTenant> {
  if (tenant === undefined) return configured;
  if (authentication === undefined)
    issues.add("tenant", "Tenants are those of callers. Add the block `authentication`, or remove this one.");
  const user = configuredModels(configured.models, configured.configs).get(userRules.model);
  // Other callers have other fields.
  const { enabled = false, accounts = false, issuers = [], identify } = authentication ?? {};
  if (user !== undefined && enabled && accounts && issuers.length === 0 && identify === undefined)
    checkTenantOf(tenant, user, issues);
  const watched = watchTenant(tenant, (message) => logger.warn(message));
  return applyTenant(watched, configured, ownModels, issues, tenantCheck?.beforeRule);
}
