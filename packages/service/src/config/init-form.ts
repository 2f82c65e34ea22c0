import { nearestWord, type StartFault } from "@servicekit/errors";
import type { RequestHandler } from "express";
import {
  allMiddlewareNames,
  middlewareKey,
  type RouterName,
  readMiddlewareName,
  readRouterName,
  routerNames,
} from "./names.js";
import type { MiddlewaresConfig, PlainRouter, ServiceConfig, ServiceInitConfig, Usable } from "./service-config.js";

/** A configuration in one form: the file's, with what only code can say beside it. */
export interface FileForm {
  /** In the form of the configuration file. */
  readonly config: ServiceConfig;
  readonly use: readonly Usable[];
  /** `middlewares.additional` of the init form. */
  readonly additionalMiddlewares: readonly RequestHandler[];
  readonly disabledRouters: ReadonlySet<RouterName>;
  readonly replacedRouters: ReadonlyMap<RouterName, RequestHandler | PlainRouter>;
  readonly configureApp: ServiceInitConfig["configureApp"];
  readonly configureServer: ServiceInitConfig["configureServer"];
  readonly faults: readonly StartFault[];
}

/** The names that the init form has for keys of `middlewares` in the file's form. */
const initNames = {
  globalRequestRateLimitOptions: "rateLimit",
  jsonBodyParserOptions: "serverJson",
  cookieParserParameters: "cookieParser",
  compressionOptions: "compression",
  queryParserOptions: "queryParser",
  cors: "cors",
} as const satisfies Partial<Record<keyof ServiceInitConfig, keyof MiddlewaresConfig>>;

/** The keys that only the init form has. */
export const initKeys = ["use", "configureApp", "configureServer", ...Object.keys(initNames)];

/**
 * Brings the init form into the file's form (contract C38): the init names of middlewares onto their keys, `disable` and
 * `replace` onto `false` and the handler. Both forms may be mixed; one setting told twice is a fault.
 */
export function readInitForm(init: ServiceInitConfig): FileForm {
  const faults: StartFault[] = [];
  const { use = [], configureApp, configureServer, ...rest } = init;
  const middlewares: Record<string, unknown> = {};
  const tell = (key: string, value: unknown, where: string): void => {
    if (value === undefined) return;
    if (middlewares[key] !== undefined)
      faults.push({ where, message: `middlewares.${key} is told in another way too.` });
    middlewares[key] = value;
  };
  const { additional: additionalMiddlewares = [], disable = [], replace = {}, ...plain } = rest.middlewares ?? {};
  for (const [key, value] of Object.entries(plain)) tell(key, value, `middlewares.${key}`);
  for (const [name, key] of Object.entries(initNames)) tell(key, Reflect.get(rest, name), name);
  for (const name of disable) {
    const known = readMiddlewareName(name);
    if (known === undefined) faults.push(unknownName("middlewares.disable", name, allMiddlewareNames));
    else tell(middlewareKey(known), false, `middlewares.disable (${name})`);
  }
  for (const [name, handler] of Object.entries(replace)) {
    const known = readMiddlewareName(name);
    if (known === undefined) faults.push(unknownName("middlewares.replace", name, allMiddlewareNames));
    else tell(middlewareKey(known), handler, `middlewares.replace.${name}`);
  }

  const {
    additional = [],
    disable: disableRouters = [],
    replace: replaceRouters = {},
    ...routers
  } = rest.routers ?? {};
  const disabledRouters = new Set<RouterName>();
  const replacedRouters = new Map<RouterName, RequestHandler | PlainRouter>();
  for (const name of disableRouters) {
    const known = readRouterName(name);
    if (known === undefined) faults.push(unknownName("routers.disable", name, routerNames));
    else disabledRouters.add(known);
  }
  for (const [name, router] of Object.entries(replaceRouters)) {
    const known = readRouterName(name);
    if (known === undefined) faults.push(unknownName("routers.replace", name, routerNames));
    else if (disabledRouters.has(known)) {
      faults.push({ where: `routers.replace.${name}`, message: "It is disabled too; choose one." });
    } else replacedRouters.set(known, router);
  }

  const config: Record<string, unknown> = { ...rest, middlewares, routers };
  for (const name of Object.keys(initNames)) delete config[name];
  if (Object.keys(middlewares).length === 0) delete config.middlewares;
  if (Object.keys(routers).length === 0) delete config.routers;
  return {
    config: config as ServiceConfig,
    use: [...use, ...additional],
    additionalMiddlewares,
    disabledRouters,
    replacedRouters,
    configureApp,
    configureServer,
    faults,
  };
}

function unknownName(where: string, name: string, known: readonly string[]): StartFault {
  const near = nearestWord(name, known);
  const hint = near === undefined ? "" : ` Did you mean ${near}?`;
  return { where, message: `There is no ${JSON.stringify(name)}; known are ${known.join(", ")}.${hint}` };
}
