import type { StartupIssue } from "@servicekit/core";
import type { ModelConfig } from "@servicekit/model-router";
import { isRecorded } from "@servicekit/model-router/internal";
import type { Models } from "@servicekit/prisma";
import { capabilitiesOf, storedFields } from "@servicekit/prisma/internal";

/**
 * What the models and their configuration need and the database does not offer (contract C113): one entry each, with
 * what to do.
 *
 * @param models with the search of the configuration
 * @param settings those of the service
 */
export function providerIssues(
  models: Models,
  configs: Readonly<Record<string, ModelConfig>>,
  settings: { readonly webhooks: object | undefined },
): StartupIssue[] {
  const issues: StartupIssue[] = [];
  const withoutLog = [...models.values()].map(({ provider }) => capabilitiesOf(provider)).find((one) => !one.changeLog);
  if (settings.webhooks !== undefined && withoutLog !== undefined) {
    issues.push({ where: "webhooks", message: `${withoutLog.name} records no changes to send. Remove the block.` });
  }
  for (const model of models.values()) {
    const { name, provider, search } = model;
    const capabilities = capabilitiesOf(provider);
    for (const field of storedFields(model)) {
      const where = `model ${name}, field ${field.name}`;
      if (field.type === "Decimal" && !capabilities.exactDecimals) {
        const message = `is a Decimal, which ${capabilities.name} rounds. Store it as an Int or a BigInt in the smallest unit, or as a String.`;
        issues.push({ where, message });
      }
      const { default: from } = field;
      const isCounted = from !== undefined && "function" in from && from.function === "autoincrement";
      if (field.type === "BigInt" && isCounted && !capabilities.bigCounters) {
        issues.push({ where, message: `is a BigInt, which ${capabilities.name} does not count up. Make it an Int.` });
      }
    }
    if (search !== undefined && !capabilities.textSearch) {
      const message = `${capabilities.name} has no index for it. Remove it: \`search\` then reads the text fields.`;
      issues.push({ where: `models.${name}.search`, message });
    }
    if (isRecorded(configs[name] ?? {}) && !capabilities.changeLog) {
      const message = `${capabilities.name} does not number transactions, so changes are not recorded. Remove it.`;
      issues.push({ where: `models.${name}.changes`, message });
    }
  }
  return issues;
}
