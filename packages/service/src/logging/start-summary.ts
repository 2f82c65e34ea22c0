import type { RouteTable } from "@servicekit/router";
import type { ServiceSettings } from "../config/settings.js";

/** What a service that listens is asked for. */
export interface StartContext {
  readonly settings: ServiceSettings;
  readonly table: RouteTable;
  readonly isAuthenticated: boolean;
  readonly url: string;
}

/** What the log says of a service that begins to listen (contract C69). */
export function startSummary({ settings, table, isAuthenticated, url }: StartContext): object {
  const { apiDocs, disabledRouters, nodeEnv } = settings;
  const models = new Set(table.entries.flatMap(({ route }) => route?.origin.model ?? []));
  const hasDocs = apiDocs.enabled && !disabledRouters.has("api-docs");
  return {
    url,
    nodeEnv,
    models: models.size,
    routes: table.entries.filter(({ route }) => route !== undefined).length,
    documentation: hasDocs ? `${url}${apiDocs.endpoint}` : "off",
    authentication: isAuthenticated ? settings.authentication?.mode : "off: every route is open to everyone",
  };
}
