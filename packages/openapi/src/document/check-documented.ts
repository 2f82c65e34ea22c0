import type { StartFault } from "@servicekit/core";
import type { RouteTable } from "@servicekit/router";
import { isOfMode } from "../operation/request-body.js";
import type { ApiDocsSettings } from "../settings.js";

/**
 * What `apidocs.strict` finds: generated routes with a body for which no module gives a schema of the kind that the mode
 * documents (contract C47). Nothing when it is off, or when the models are documented.
 */
export function checkDocumented(table: RouteTable, settings: ApiDocsSettings): readonly StartFault[] {
  const { mode, strict } = settings;
  if (!strict || mode === "prisma") return [];
  return table.entries.flatMap(({ route }) => {
    const { documentation, operation = "", place } = route?.origin ?? {};
    if (documentation === undefined || place === undefined || !/^(create|update)/.test(operation)) return [];
    const given = documentation().moduleBody;
    if (given !== undefined && isOfMode(given.schema, mode)) return [];
    const kind = mode === "zod" ? "Zod schema" : "DTO class";
    return [{ where: place, message: `apidocs.strict asks for a ${kind} of its body, and its module has none.` }];
  });
}
