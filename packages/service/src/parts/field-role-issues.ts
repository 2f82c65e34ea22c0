import { userRules } from "@servicekit/auth/settings";
import { type StartupIssue } from "@servicekit/core";
import { type IssueList, makeIssueList } from "@servicekit/core/internal";
import type { Models } from "@servicekit/prisma";
import type { ServiceSettings } from "../config/settings.js";
import type { ServiceModules } from "./open-modules.js";

/**
 * Roles of field rules that no user can have, if roles are an enum: no user would see their fields. The roles of
 * operations are checked against the same enum with the routes.
 */
export function fieldRoleIssues(
  { authentication }: ServiceSettings,
  { models: configs }: ServiceModules,
  models: Models,
): readonly StartupIssue[] {
  if (authentication?.mode !== "static") return [];
  const user = models.get(userRules.model);
  const roles = ["role", "roles"].flatMap((name) => user?.fieldsByName.get(name) ?? []);
  const known = roles.flatMap((field) => (field.kind === "enum" ? field.values : []));
  if (known.length === 0 || roles.some(({ kind }) => kind !== "enum")) return [];
  const issues: IssueList = makeIssueList();
  for (const [model, config] of Object.entries(configs)) {
    for (const role of Object.keys(config.auth?.fields ?? {})) {
      if (role !== "*" && !known.includes(role)) issues.unknown(`models.${model}.auth.fields`, "role", role, known);
    }
  }
  return issues.all;
}
