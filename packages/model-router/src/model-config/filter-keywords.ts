import type { IssueList } from "@servicekit/core/internal";
import { type Models } from "@servicekit/prisma";
import { isHidden } from "@servicekit/prisma/internal";
import type { ModelConfig } from "./model-config.js";

const filterKeywords: ReadonlySet<string> = new Set(["AND", "OR", "NOT"]);

/** A field with the name of a filter keyword is ambiguous: it must be renamed or hidden. */
export function checkFilterKeywords(
  models: Models,
  configs: Readonly<Record<string, ModelConfig>>,
  issues: IssueList,
): void {
  for (const { name, fields } of models.values()) {
    const hidden: unknown = configs[name]?.hidden;
    for (const field of fields) {
      if (!filterKeywords.has(field.name) || isHidden(field)) continue;
      if (Array.isArray(hidden) && hidden.includes(field.name)) continue;
      const message = `The field ${field.name} has the name of a filter keyword. Rename it (@map preserves its column), or hide it: /// @hidden in the schema, or models.${name}.hidden.`;
      issues.add(`model ${name}`, message);
    }
  }
}
