import type { FaultList } from "@servicekit/core/internal";
import type { Models } from "@servicekit/prisma";
import { declarationFaults } from "@servicekit/router/internal";
import type { ServiceSettings } from "../config/settings.js";
import { sortUsed } from "../config/sort-used.js";
import type { ServiceModules } from "./open-modules.js";

/**
 * What can still be said of a start that fails already (contract C38): the user model and the declared routes are looked at, and nothing is opened.
 */
export async function checkBehindFaults(
  settings: ServiceSettings,
  { models, modules }: { readonly models: Models; readonly modules: ServiceModules },
  faults: FaultList,
): Promise<void> {
  const { authentication, use } = settings;
  if (authentication?.enabled === true && settings.database !== undefined) {
    const { readUserModel } = await import("@servicekit/auth/internal");
    await faults.during(() => readUserModel(models, authentication));
  }
  const usable = use.filter((item) => ["function", "object"].includes(typeof item) && item !== null);
  const routers = [...sortUsed(usable).routers, ...Object.values(modules.models).map(({ router }) => router)];
  for (const router of routers) if (router !== undefined) faults.addAll(declarationFaults(router));
}
