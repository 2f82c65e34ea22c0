import type { IssueList } from "@servicekit/core/internal";
import type { Models } from "@servicekit/prisma";
import { declarationIssues } from "@servicekit/router/internal";
import type { ServiceSettings } from "../config/settings.js";
import { sortUsed } from "../config/sort-used.js";
import type { ServiceModules } from "./open-modules.js";

/**
 * The remaining checks of a failing startup (contract C38): the user model and the declared routes are validated, and
 * nothing is opened.
 */
export async function checkDependentIssues(
  settings: ServiceSettings,
  { models, modules }: { readonly models: Models; readonly modules: ServiceModules },
  issues: IssueList,
): Promise<void> {
  const { authentication, use } = settings;
  if (authentication?.enabled === true && settings.database !== undefined) {
    const { readUserModel } = await import("@servicekit/auth/internal");
    await issues.during(() => readUserModel(models, authentication));
  }
  const usable = use.filter((item) => ["function", "object"].includes(typeof item) && item !== null);
  const routers = [...sortUsed(usable).routers, ...Object.values(modules.models).map(({ router }) => router)];
  for (const router of routers) if (router !== undefined) issues.addAll(declarationIssues(router));
}
