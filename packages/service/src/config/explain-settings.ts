import type { ConfigObject } from "@servicekit/config-loader";
import { isPlainObject } from "@servicekit/core/internal";
import { isHiddenAt } from "@servicekit/core/schema";
import { initSchema } from "./config-schema.js";
import { variables } from "./variables.js";

/** A documented key of the configuration. */
export interface ExplainedSetting {
  readonly key: string;
  /** The configured value or the default; `undefined` without one. */
  readonly value: unknown;
  /** Where the value was set, such as `service.config.ts` or `PORT (.env)`; `undefined` if it was not set. */
  readonly source: string | undefined;
  /** The environment variable that can set it, if text can represent its values. */
  readonly variable: string | undefined;
  /** Whether the value must not be printed. Of a URL only the password must not. */
  readonly isSecret: boolean;
}

/** The given configuration and its sources. */
export interface GivenConfig {
  readonly given: ConfigObject;
  readonly sourceOf: (key: string) => string | undefined;
  /** The variables with those of the `.env` files, and without them. */
  readonly environment: Environment;
  readonly realEnvironment: Environment;
}

type Environment = Readonly<Record<string, string | undefined>>;

/** Settings that only the environment has; their key is the name of the variable. */
const ofEnvironment = ["DATABASE_URL", "NODE_ENV"];

/** The documented keys whose defaults have another name in the settings. */
const settingsNames: readonly (readonly [key: string, name: string])[] = [
  ["apidocs", "apiDocs"],
  ["redis.url", "redisUrl"],
  ["limits.page", "modelRouter.page"],
  ["limits.include", "modelRouter.include"],
  ["limits.bulkItems", "modelRouter.bulkItems"],
  ["limits.exportRows", "modelRouter.exportRows"],
  ["limits.eventStreams", "modelRouter.eventStreams"],
  ["limits.eventStreamsPerClient", "modelRouter.eventStreamsPerClient"],
  ["limits.response", "modelRouter.responseBytes"],
  ["limits.urlBytes", "urlBytes"],
  ["limits.bytesPerSecond", "bytesPerSecond"],
  ["limits", "modelRouter.query"],
  ["request.parameters", ""],
  ["routers.strict", "modelRouter.strict"],
  ["modulesDirectory", "modulesDirectory.path"],
];

/** Contents that `service models` and the modules describe. */
const omitted = /^(models|database\.models)(\.|$)/;

/**
 * Lists every key that is set and every key that an environment variable can set, in alphabetical order; first those
 * that only the environment has.
 *
 * @param settings the full settings, for the defaults
 */
export function explainSettings(settings: object, config: GivenConfig): readonly ExplainedSetting[] {
  const { given, sourceOf, environment, realEnvironment } = config;
  const names = new Map<string, string>();
  // The first name of a key is the short one.
  for (const [name, { key }] of Object.entries(variables)) if (!names.has(key)) names.set(key, name);
  const keys = new Set([...leavesOf(given, ""), ...names.keys()].filter((key) => !omitted.test(key)));
  const outer = ofEnvironment.map((name) => {
    const isReal = Boolean(realEnvironment[name]);
    const source = isReal ? name : name === "NODE_ENV" ? undefined : `${name} (.env)`;
    return {
      key: name,
      value: environment[name],
      source: environment[name] ? source : undefined,
      variable: name,
      isSecret: false,
    };
  });
  const inner = [...keys].sort().flatMap((key) => {
    const configured = valueAt(given, key);
    if (isPlainObject(configured)) return [];
    const value = configured ?? defaultOf(settings, key);
    const isSecret = isHiddenAt(initSchema, key.split("."));
    return [{ key, value, source: sourceOf(key), variable: names.get(key), isSecret }];
  });
  return [...outer, ...inner];
}

function leavesOf(config: ConfigObject, prefix: string): string[] {
  return Object.entries(config).flatMap(([name, value]) => {
    const key = prefix === "" ? name : `${prefix}.${name}`;
    if (omitted.test(key) || value === undefined) return [];
    return isPlainObject(value) ? leavesOf(value as ConfigObject, key) : [key];
  });
}

function defaultOf(settings: object, key: string): unknown {
  const [place, name] = settingsNames.find(([one]) => key === one || key.startsWith(`${one}.`)) ?? [key, key];
  const value = valueAt(settings, `${name}${key.slice(place.length)}`.replace(/^\./, ""));
  return isPlainObject(value) ? undefined : value;
}

function valueAt(config: object, key: string): unknown {
  let value: unknown = config;
  for (const name of key.split(".")) {
    if (typeof value !== "object" || value === null || !Object.hasOwn(value, name)) return undefined;
    value = Reflect.get(value, name);
  }
  return value;
}
