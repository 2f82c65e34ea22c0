import type { RouteTable } from "@servicekit/router";
import type { ServiceSettings } from "../config/settings.js";

/** The properties of a listening service. */
export interface StartContext {
  readonly settings: ServiceSettings;
  readonly table: RouteTable;
  readonly isAuthenticated: boolean;
  readonly url: string;
}

/** The log lines of a service that starts to listen (contract C69). */
export function startSummary({ settings, table, isAuthenticated, url }: StartContext) {
  const { apiDocs, disabledRouters, nodeEnv } = settings;
  const models = new Set(table.entries.flatMap(({ route }) => route?.origin.model ?? []));
  const hasDocs = apiDocs.enabled && !disabledRouters.has("api-docs");
  return {
    url,
    nodeEnv,
    models: models.size,
    routes: table.entries.filter(({ route }) => route !== undefined).length,
    studio: settings.studio && !disabledRouters.has("studio") ? `${url}/api/studio` : "off",
    documentation: hasDocs ? `${url}${apiDocs.endpoint}` : "off",
    authentication: isAuthenticated ? settings.authentication?.mode : "off: every route is open to everyone",
  };
}
