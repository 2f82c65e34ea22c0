import type { IssueList } from "@servicekit/core/internal";
import { checkModelConfigs, configuredModels } from "@servicekit/model-router/internal";
import { type Models, readModels } from "@servicekit/prisma";
import type { Logger } from "pino";
import type { ServiceSettings } from "../config/settings.js";
import { fieldRoleIssues } from "./field-role-issues.js";
import { openAccessIssues } from "./open-access-issues.js";
import { closeKeyModel } from "./open-idempotency.js";
import { givenModules, moduleIssues, openModules, otherModuleNames, type ServiceModules } from "./open-modules.js";

/** The models, with the fields that the configuration hides, and their modules. */
export async function readSchema(
  settings: ServiceSettings,
  logger: Logger,
  issues: IssueList,
): Promise<{ readonly models: Models; readonly modules: ServiceModules }> {
  const { database } = settings;
  const read = database === undefined ? undefined : await issues.during(() => readModels(database.models));
  // Without the models, the modules of models are unknown.
  if (database !== undefined && read === undefined)
    return { models: new Map(), modules: givenModules(settings, undefined) };
  const modules = closeKeyModel(
    (await issues.during(() => openModules(settings, read, logger, issues))) ?? givenModules(settings, read),
    read,
  );
  issues.addAll(moduleIssues(modules));
  issues.addAll(openAccessIssues(settings, modules, issues));
  if (read === undefined) {
    // Without a database every name is unknown except the modules of the service.
    const { models: given } = givenModules(settings, undefined);
    await issues.during(() => checkModelConfigs(given, new Map(), otherModuleNames));
    return { models: new Map(), modules };
  }
  const before = issues.all.length;
  await issues.during(() => checkModelConfigs(modules.models, read, otherModuleNames));
  const isRight = issues.all.length === before;
  if (isRight) issues.addAll(fieldRoleIssues(settings, modules, read));
  return { models: isRight ? configuredModels(read, modules.models) : read, modules };
}
