import type { StartFault } from "@servicekit/core";
import { findFaults } from "@servicekit/core/schema";
import type { RequestHandler } from "express";
import { initSchema } from "./config-schema.js";
import { middlewareKey, readMiddlewareName } from "./names.js";
import type { MiddlewaresConfig, ServiceConfig, ServiceInitConfig, Usable } from "./service-config.js";

/** A configuration in one form: the file's, with what only code can say beside it. */
export interface FileForm {
  /** In the form of the configuration file. */
  readonly config: ServiceConfig;
  readonly use: readonly Usable[];
  /** `middlewares.additional` of the init form. */
  readonly additionalMiddlewares: readonly RequestHandler[];
  readonly configureApp: ServiceInitConfig["configureApp"];
  readonly configureServer: ServiceInitConfig["configureServer"];
  /** Under the keys that the init form has. */
  readonly faults: readonly StartFault[];
}

/** The name that the init form has for a key of `fileUpload` in the file's form (specification, "fileUpload"). */
const serverStaticName = "fileUpload.serverStaticOptions";

/** The names that the init form has for keys of `middlewares` in the file's form. */
const initNames = {
  globalRequestRateLimitOptions: "rateLimit",
  jsonBodyParserOptions: "serverJson",
  cookieParserParameters: "cookieParser",
  compressionOptions: "compression",
  queryParserOptions: "queryParser",
  cors: "cors",
} as const satisfies Partial<Record<keyof ServiceInitConfig, keyof MiddlewaresConfig>>;

/** What only code can say. */
const codeKeys = [
  "use",
  "configureApp",
  "configureServer",
  "middlewares.additional",
  "middlewares.disable",
  "middlewares.replace",
];

/**
 * Brings the init form into the file's form (contract C38): the init names of middlewares onto their keys, `disable` and
 * `replace` onto `false` and the handler. Both forms may be mixed; one setting told twice is a fault.
 */
export function readInitForm(init: ServiceInitConfig): FileForm {
  const faults: StartFault[] = [];
  // Read on in spite of faults, so that those of the other sources are told with them.
  const { use, configureApp, configureServer, ...rest } = objectOf(init);
  const { additional, disable, replace, ...plain } = objectOf(rest.middlewares);
  const middlewares: Record<string, unknown> = {};
  const tell = (key: string, value: unknown, path: string): void => {
    if (value === undefined) return;
    if (middlewares[key] !== undefined) {
      faults.push({ where: path, source: initSource, message: `middlewares.${key} is told in another way too.` });
    }
    middlewares[key] = value;
  };
  for (const [key, value] of Object.entries(plain)) tell(key, value, `middlewares.${key}`);
  for (const [name, key] of Object.entries(initNames)) tell(key, rest[name], name);
  for (const [index, name] of listOf<string>(disable).entries()) {
    const known = readMiddlewareName(String(name));
    if (known !== undefined) tell(middlewareKey(known), false, `middlewares.disable.${index}`);
  }
  for (const [name, handler] of Object.entries(objectOf(replace))) {
    const known = readMiddlewareName(name);
    if (known !== undefined) tell(middlewareKey(known), handler, `middlewares.replace.${name}`);
  }

  const config: Record<string, unknown> = { ...rest };
  const { serverStaticOptions, ...fileUpload } = objectOf(rest.fileUpload);
  if (serverStaticOptions !== undefined) {
    if (fileUpload.serverStatic !== undefined) {
      const message = "fileUpload.serverStatic is told in another way too.";
      faults.push({ where: serverStaticName, source: initSource, message });
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
    faults: [...faults, ...wrongKeys(init)],
  };
}

/** What `loadConfig` calls the object that is given in code. */
export const initSource = "the init object";

const itsInitName = "This is its name in service.init; here it is";

/** Where a key of the init form belongs that stands in a file; `undefined` for other keys. */
export function placeOfInitKey(path: string): string | undefined {
  if (codeKeys.includes(path)) return "Only service.init takes it.";
  if (path === serverStaticName) return `${itsInitName} fileUpload.serverStatic.`;
  if (Object.hasOwn(initNames, path)) {
    return `${itsInitName} middlewares.${Reflect.get(initNames, path)}.`;
  }
  return undefined;
}

/** What is wrong under the names that it was told by; what is missing may stand in another source. */
function wrongKeys(init: unknown): readonly StartFault[] {
  return findFaults(init, initSchema)
    .filter(({ found }) => found !== "nothing")
    .map((fault) => ({ ...fault, source: initSource }));
}

const objectOf = (value: unknown): Readonly<Record<string, unknown>> =>
  typeof value === "object" && value !== null ? { ...value } : {};

const listOf = <Item>(value: unknown): readonly Item[] => (Array.isArray(value) ? value : []);
