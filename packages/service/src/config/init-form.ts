import type { StartupIssue } from "@servicekit/core";
import { findIssues } from "@servicekit/core/schema";
import type { RequestHandler } from "express";
import { initSchema } from "./config-schema.js";
import { middlewareKey, readMiddlewareName } from "./names.js";
import type { MiddlewaresConfig, ServiceConfig, ServiceInitConfig, Usable } from "./service-config.js";

/** A configuration in one form: the file's, with code-only keys. */
export interface FileForm {
  /** In the form of the configuration file. */
  readonly config: ServiceConfig;
  readonly use: readonly Usable[];
  /** `middlewares.additional` of the init form. */
  readonly additionalMiddlewares: readonly RequestHandler[];
  readonly configureApp: ServiceInitConfig["configureApp"];
  readonly configureServer: ServiceInitConfig["configureServer"];
  /** Under the keys of the init form. */
  readonly issues: readonly StartupIssue[];
}

/** The name in the init form of a key of `fileUpload` in the file's form (specification, "fileUpload"). */
const serverStaticName = "fileUpload.serverStaticOptions";

/** The names in the init form of keys of `middlewares` in the file's form. */
const initNames = {
  globalRequestRateLimitOptions: "rateLimit",
  jsonBodyParserOptions: "serverJson",
  cookieParserParameters: "cookieParser",
  compressionOptions: "compression",
  queryParserOptions: "queryParser",
  cors: "cors",
} as const satisfies Partial<Record<keyof ServiceInitConfig, keyof MiddlewaresConfig>>;

/** The code-only keys. */
const codeKeys = [
  "use",
  "configureApp",
  "configureServer",
  "middlewares.additional",
  "middlewares.disable",
  "middlewares.replace",
];

/**
 * Converts the init form into the file's form (contract C38): init names of middlewares to their keys, `disable` and
 * `replace` to `false` and the handler. Both forms may be mixed; one setting in both is an issue.
 */
export function readInitForm(init: ServiceInitConfig): FileForm {
  const issues: StartupIssue[] = [];
  // Continues despite issues, so that those of the other sources are reported with them.
  const { use, configureApp, configureServer, ...rest } = objectOf(init);
  const { additional, disable, replace, ...plain } = objectOf(rest.middlewares);
  const middlewares: Record<string, unknown> = {};
  const set = (key: string, value: unknown, path: string): void => {
    if (value === undefined) return;
    if (middlewares[key] !== undefined) {
      issues.push({ where: path, source: initSource, message: `middlewares.${key} is also set elsewhere.` });
    }
    middlewares[key] = value;
  };
  for (const [key, value] of Object.entries(plain)) set(key, value, `middlewares.${key}`);
  for (const [name, key] of Object.entries(initNames)) set(key, rest[name], name);
  for (const [index, name] of listOf<string>(disable).entries()) {
    const known = readMiddlewareName(String(name));
    if (known !== undefined) set(middlewareKey(known), false, `middlewares.disable.${index}`);
  }
  for (const [name, handler] of Object.entries(objectOf(replace))) {
    const known = readMiddlewareName(name);
    if (known !== undefined) set(middlewareKey(known), handler, `middlewares.replace.${name}`);
  }

  const config: Record<string, unknown> = { ...rest };
  const { serverStaticOptions, ...fileUpload } = objectOf(rest.fileUpload);
  if (serverStaticOptions !== undefined) {
    if (fileUpload.serverStatic !== undefined) {
      const message = "fileUpload.serverStatic is also set elsewhere.";
      issues.push({ where: serverStaticName, source: initSource, message });
    }
    config.fileUpload = { ...fileUpload, serverStatic: serverStaticOptions };
  }
  for (const name of Object.keys(initNames)) delete config[name];
  if (Object.keys(middlewares).length === 0) delete config.middlewares;
  else config.middlewares = middlewares;
  return {
    config: config as ServiceConfig,
    use: listOf(use),
    additionalMiddlewares: listOf(additional),
    configureApp: configureApp as ServiceInitConfig["configureApp"],
    configureServer: configureServer as ServiceInitConfig["configureServer"],
    issues: [...issues, ...wrongKeys(init)],
  };
}

/** The name of the object in code for `loadConfig`. */
export const initSource = "the init object";

const itsInitName = "This is its name in service.init; here it is";

/** The place of an init-form key in a file; `undefined` for other keys. */
export function placeOfInitKey(path: string): string | undefined {
  if (codeKeys.includes(path)) return "This key is only allowed in service.init.";
  if (path === serverStaticName) return `${itsInitName} fileUpload.serverStatic.`;
  if (Object.hasOwn(initNames, path)) {
    return `${itsInitName} middlewares.${Reflect.get(initNames, path)}.`;
  }
  return undefined;
}

/** The issues under the names that were used. Missing values may be in another source, unless they belong to a list. */
function wrongKeys(init: unknown): readonly StartupIssue[] {
  return findIssues(init, initSchema)
    .filter(({ found, where }) => found !== "nothing" || isInList(where))
    .map((issue) => ({ ...issue, source: initSource }));
}

/** Sources replace lists as a whole. */
const isInList = (where: string): boolean => /\.\d+(\.|$)/.test(where);

const objectOf = (value: unknown): Readonly<Record<string, unknown>> =>
  typeof value === "object" && value !== null ? { ...value } : {};

const listOf = <Item>(value: unknown): readonly Item[] => (Array.isArray(value) ? value : []);
