import type { IssueList } from "@servicekit/core/internal";
import { operationAccess } from "../access/operation-access.js";
import { hasRowRule } from "../resource/config/has-row-rule.js";
import type { Operation } from "../resource/config/operation.js";
import type { ModelRoutes } from "../steps/route-source.js";

/** Adds the issues of a model whose responses depend on the caller, so that no cache may store them (contract C124). */
export function checkCache(
  { resource: { model }, config, source }: ModelRoutes,
  declared: readonly Operation[],
  issues: IssueList,
): void {
  if (config.cache === undefined || source.settings.strict === true) return;
  const where = `models.${model.name}.cache`;
  const reads = (["findMany", "findOne"] as const).filter((operation) => declared.includes(operation));
  if (reads.length === 0) issues.add(where, "No read is enabled. Enable findMany or findOne, or remove this key.");
  if (config.auth?.fields !== undefined)
    issues.add(where, `The fields of ${model.name} depend on the caller. Remove this key, or auth.fields.`);
  for (const operation of reads) {
    if (hasRowRule(operation, config))
      issues.add(where, `The rows of ${operation} depend on the caller. Remove this key, or the row rule.`);
    else if (source.access !== undefined && operationAccess(operation, model.resource, config.auth) !== false) {
      const fix = `Open it with auth: { ${operation}: false }, or remove this key.`;
      issues.add(where, `${operation} requires an authenticated caller. ${fix}`);
    }
  }
}
