import type { FaultList } from "@servicekit/core/internal";
import { checkModelConfigs, configuredModels } from "@servicekit/model-router/internal";
import { type Models, readModels } from "@servicekit/prisma";
import type { Logger } from "pino";
import type { ServiceSettings } from "../config/settings.js";
import { fieldRoleFaults } from "./field-role-faults.js";
import { openAccessFaults } from "./open-access-faults.js";
import { closeKeyModel } from "./open-idempotency.js";
import { givenModules, moduleFaults, openModules, otherModuleNames, type ServiceModules } from "./open-modules.js";

/** The models, with what the configuration hides of them, and the modules that configure them. */
export async function readSchema(
  settings: ServiceSettings,
  logger: Logger,
  faults: FaultList,
): Promise<{ readonly models: Models; readonly modules: ServiceModules }> {
  const { database } = settings;
  const read = database === undefined ? undefined : await faults.during(() => readModels(database.models));
  // Without the models nobody knows which module belongs to one.
  if (database !== undefined && read === undefined)
    return { models: new Map(), modules: givenModules(settings, undefined) };
  const modules = closeKeyModel(
    (await faults.during(() => openModules(settings, read, logger))) ?? givenModules(settings, read),
    read,
  );
  faults.addAll(moduleFaults(modules));
  faults.addAll(openAccessFaults(settings, modules, faults));
  if (read === undefined) {
    // Without a database every name is unknown that is no module of the service.
    const { models: given } = givenModules(settings, undefined);
    await faults.during(() => checkModelConfigs(given, new Map(), otherModuleNames));
    return { models: new Map(), modules };
  }
  const before = faults.all.length;
  await faults.during(() => checkModelConfigs(modules.models, read, otherModuleNames));
  const isRight = faults.all.length === before;
  if (isRight) faults.addAll(fieldRoleFaults(settings, modules, read));
  return { models: isRight ? configuredModels(read, modules.models) : read, modules };
}
