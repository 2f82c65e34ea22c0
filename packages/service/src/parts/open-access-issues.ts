import type { StartupIssue } from "@servicekit/core";
import type { IssueList } from "@servicekit/core/internal";
import type { ServiceSettings } from "../config/settings.js";
import type { ServiceModules } from "./open-modules.js";

const message =
  "Without the block `authentication`, permissions are not checked and these routes are open to everyone. Add the block (with enabled: false if this is intended), or remove auth.";

/**
 * Unenforced access rules prevent startup, as on a declared route (contract C30): `auth` of models, of the
 * documentation and of the module `file-upload` without a block `authentication`.
 */
export function openAccessIssues(
  { authentication, apiDocs }: ServiceSettings,
  { models, fileUpload }: ServiceModules,
  { all }: IssueList,
): StartupIssue[] {
  // An invalid block still counts as a block.
  if (authentication !== undefined || all.some(({ where }) => where.startsWith("authentication"))) return [];
  const names = Object.keys(models).filter((name) => models[name]?.auth !== undefined);
  if (fileUpload?.auth !== undefined) names.push("file-upload");
  const issues = names.map((name) => ({ where: `models.${name}.auth`, message }));
  return apiDocs.isGuarded ? [...issues, { where: "apidocs.auth", message }] : issues;
}
