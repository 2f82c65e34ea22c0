/**
 * The built-in routers by the names in `routers.disable` and `routers.replace`, in kebab-case or camelCase (contract
 * C51).
 */
export const routerNames = [
  "welcome-endpoint",
  "file-uploader",
  "auth-router",
  "model-router",
  "available-routes",
  "available-resources",
  "auth-actions",
  "api-docs",
  "studio",
  "health",
  "background",
] as const;

export type RouterName = (typeof routerNames)[number];

/** The built-in middlewares by the names in `middlewares.disable` and `middlewares.replace` (contract C51). */
export const middlewareNames = [
  "security-headers",
  "request-logger",
  "cors",
  "cookie-parser",
  "compression",
  "rate-limit",
  "server-json",
  "query-parser",
  "error-handler",
] as const;

export type MiddlewareName = (typeof middlewareNames)[number];

export type MiddlewareAlias = "global-rate-limit" | "json-body-parser" | "global-error-handler";

/** Synonyms of middlewares. */
const middlewareAliases: ReadonlyMap<string, MiddlewareName> = new Map<MiddlewareAlias, MiddlewareName>([
  ["global-rate-limit", "rate-limit"],
  ["json-body-parser", "server-json"],
  ["global-error-handler", "error-handler"],
]);

/** The router of a name in either spelling; `undefined` for an unknown one. */
export function readRouterName(name: string): RouterName | undefined {
  const kebab = toKebabCase(name);
  return routerNames.find((known) => known === kebab);
}

/** The middleware of a name in either spelling, including synonyms; `undefined` for an unknown one. */
export function readMiddlewareName(name: string): MiddlewareName | undefined {
  const kebab = toKebabCase(name);
  return middlewareNames.find((known) => known === kebab) ?? middlewareAliases.get(kebab);
}

/** Every accepted name of a middleware. */
export const allMiddlewareNames: readonly string[] = [...middlewareNames, ...middlewareAliases.keys()];

/** The configuration key of a middleware: `serverJson` for `server-json`. */
export const middlewareKey = (name: MiddlewareName): string =>
  name.replace(/-([a-z])/g, (_all, letter: string) => letter.toUpperCase());

const toKebabCase = (name: string): string => name.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`);
