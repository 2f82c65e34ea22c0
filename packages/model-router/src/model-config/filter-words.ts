import type { FaultList } from "@servicekit/core/internal";
import { type Models } from "@servicekit/prisma";
import { isHidden } from "@servicekit/prisma/internal";
import type { ModelConfig } from "./model-config.js";

const filterWords: ReadonlySet<string> = new Set(["AND", "OR", "NOT"]);

/** A field that is called like a word of filters could not be told from it: it is renamed, or nobody filters by it. */
export function checkFilterWords(
  models: Models,
  configs: Readonly<Record<string, ModelConfig>>,
  faults: FaultList,
): void {
  for (const { name, fields } of models.values()) {
    const hidden: unknown = configs[name]?.hidden;
    for (const field of fields) {
      if (!filterWords.has(field.name) || isHidden(field)) continue;
      if (Array.isArray(hidden) && hidden.includes(field.name)) continue;
      const message = `The field ${field.name} bears a word of filters. Rename it (@map keeps its column), or hide it: /// @hidden in the schema, or models.${name}.hidden.`;
      faults.add(`model ${name}`, message);
    }
  }
}
