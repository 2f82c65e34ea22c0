import type { IssueList } from "@servicekit/core/internal";
import type { ModelConfig } from "../model-config/model-config.js";
import type { Operation } from "../resource/config/operation.js";
import type { Resource } from "../resource/resource.js";
import type { ModelRouterSettings } from "../settings.js";

/** Adds the issues of a model that enables exports or imports without the operation of their route (contract C104). */
export function checkFiles(
  { model, identity }: Resource,
  config: ModelConfig,
  declared: readonly Operation[],
  { strict }: Pick<ModelRouterSettings, "strict">,
  issues: IssueList,
): void {
  if (strict === true) return;
  const where = (key: string): string => `models.${model.name}.${key}`;
  if (config.export === true && !declared.includes("findMany"))
    issues.add(where("export"), "An export requires the list. Enable findMany, or remove this key.");
  if (config.export === true && identity.length === 0)
    issues.add(where("export"), `${model.name} has no unique key, in whose order rows are exported. Remove this key.`);
  if (config.import === true && !declared.includes("createMany"))
    issues.add(where("import"), "An import requires bulk creates. Enable createMany, or remove this key.");
}
