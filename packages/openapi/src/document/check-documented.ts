import type { StartupIssue } from "@servicekit/core";
import type { RouteTable } from "@servicekit/router";
import { isOfMode } from "../operation/request-body.js";
import type { ApiDocsSettings } from "../settings.js";

/**
 * The issues of `apidocs.strict`: generated routes with a body for which no module has a schema of the kind that the
 * mode documents (contract C47). Empty if it is off or if the models are documented.
 */
export function checkDocumented(table: RouteTable, settings: ApiDocsSettings): readonly StartupIssue[] {
  const { mode, strict } = settings;
  if (!strict || mode === "prisma") return [];
  return table.entries.flatMap(({ route }) => {
    const { documentation, operation = "", place } = route?.origin ?? {};
    if (documentation === undefined || place === undefined || !/^(create|update)/.test(operation)) return [];
    const given = documentation().moduleBody;
    if (given !== undefined && isOfMode(given.schema, mode)) return [];
    const kind = mode === "zod" ? "Zod schema" : "DTO class";
    return [{ where: place, message: `apidocs.strict requires a ${kind} for its body, and its module has none.` }];
  });
}
