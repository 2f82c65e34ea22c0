import type { IssueList } from "@servicekit/core/internal";
import type { ModelConfig } from "./model-config.js";

/**
 * Adds each default page size of a model above its maximum.
 *
 * @param limit the maximum of models without their own
 */
export function checkPages(models: Readonly<Record<string, ModelConfig>>, limit: number, issues: IssueList): void {
  for (const [name, config] of Object.entries(models)) {
    const { default: size, max = limit } = config.page ?? {};
    if (size === undefined || size <= max) continue;
    const maximum = config.page?.max === undefined ? "limits.page.max" : "its maximum";
    issues.add(
      `models.${name}.page.default`,
      `is greater than the maximum: found ${size}, and ${maximum} is ${max}. Set page.max of the model.`,
    );
  }
}
