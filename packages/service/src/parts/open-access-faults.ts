import type { StartFault } from "@servicekit/core";
import type { FaultList } from "@servicekit/core/internal";
import type { ServiceSettings } from "../config/settings.js";
import type { ServiceModules } from "./open-modules.js";

const message =
  "Nothing checks rights without a block authentication: these routes would be open to everyone. Give the block (with enabled: false it is off on purpose), or take auth out.";

/**
 * Rights that nobody would check stop the start, as they do on a declared route (contract C30): `auth` of models, of the
 * documentation and of the module `file-upload` without a block `authentication`.
 */
export function openAccessFaults(
  { authentication, apiDocs }: ServiceSettings,
  { models, fileUpload }: ServiceModules,
  { all }: FaultList,
): StartFault[] {
  // A block that is wrong is a block, though nothing of it is left.
  if (authentication !== undefined || all.some(({ where }) => where.startsWith("authentication"))) return [];
  const names = Object.keys(models).filter((name) => models[name]?.auth !== undefined);
  if (fileUpload?.auth !== undefined) names.push("file-upload");
  const faults = names.map((name) => ({ where: `models.${name}.auth`, message }));
  return apiDocs.isGuarded ? [...faults, { where: "apidocs.auth", message }] : faults;
}
