import path from "node:path";
import { StartupError, type StartupIssue } from "@servicekit/core";
import { makeStartupIssue } from "@servicekit/core/internal";
import { findIssues } from "@servicekit/core/schema";
import { z } from "zod";
import { dropInvalid } from "./drop-invalid.js";
import { valueUnder } from "./layer.js";
import { type ConfigObject, mergeLayers } from "./merge-layers.js";
import { findConfigFile } from "./sources/find-config-file.js";
import { importConfigFile } from "./sources/import-config-file.js";
import { type ArgumentTable, readArguments } from "./sources/read-arguments.js";
import { readEnvironment } from "./sources/read-environment.js";
import { type Environment, readVariables, type VariableTable } from "./sources/read-variables.js";
import { unknownVariables } from "./sources/schema-variables.js";

/** The sources of a configuration and its schema. */
export interface LoadConfigOptions<Shape extends z.ZodType> {
  /** The folder of the `.env` files and the start of the search for the file: usually `process.cwd()`. */
  readonly directory: string;
  /** The file is `<baseName>.config.ts`, or has another supported extension. */
  readonly baseName: string;
  readonly schema: Shape;
  /** The real environment: usually `process.env`. */
  readonly environment: Environment;
  /** Selects the `.env` files. @default `NODE_ENV` of the environment, otherwise `development` */
  readonly nodeEnv?: string;
  readonly variables?: VariableTable;
  /** The prefix of this configuration's variables, such as `SERVICE`. Unknown variables with it cause a warning. */
  readonly prefix?: string;
  /** The command-line arguments without Node and the script: usually `process.argv.slice(2)`. */
  readonly argv?: readonly string[];
  readonly arguments?: ArgumentTable;
  /** The configuration in code. */
  readonly init?: ConfigObject;
  /** The defaults, by the environment that was read. */
  readonly defaults?: (environment: Readonly<Record<string, string>>) => ConfigObject;
  /** Finds issues that a schema cannot: what the full, not yet validated configuration requires of the environment. */
  readonly check?: (config: ConfigObject, environment: Environment) => readonly StartupIssue[];
}

/** A configuration and its sources. */
export interface LoadedConfig<Config> {
  readonly config: Config;
  /** The full path of the configuration file, if there is one. */
  readonly file: string | undefined;
  /** The real environment with the `.env` files; `NODE_ENV` is always set. */
  readonly environment: Readonly<Record<string, string>>;
  /** Warnings that do not prevent startup, each as a sentence. */
  readonly warnings: readonly string[];
}

/** A configuration that may be invalid. */
export interface ReadConfig<Config> extends LoadedConfig<Config> {
  /** Its valid part. */
  readonly config: Config;
  /** Every issue of every source. */
  readonly issues: readonly StartupIssue[];
  /** The values of all sources, merged, before validation. */
  readonly given: ConfigObject;
  /** Where a key was set, such as `service.config.ts` or `PORT (.env)`; `undefined` if no source sets it. */
  readonly sourceOf: (key: string) => string | undefined;
}

/**
 * Loads a configuration: arguments over the init object over the file over the environment over the defaults (contract
 * C38).
 *
 * @throws {StartupError} with every issue of every source. A file that cannot be read or that fails is reported alone,
 * because its values are unknown.
 */
export async function loadConfig<Shape extends z.ZodType>(
  options: LoadConfigOptions<Shape>,
): Promise<LoadedConfig<z.output<Shape>>> {
  const { issues, config, file, environment, warnings } = await readConfig(options);
  if (issues.length > 0) throw new StartupError(issues);
  return { config, file, environment, warnings };
}

/**
 * Loads a configuration as {@link loadConfig} does, but returns issues together with the valid part, so that a caller
 * with more checks can report all issues together.
 *
 * @throws {StartupError} for a file that cannot be read or that fails
 */
export async function readConfig<Shape extends z.ZodType>(
  options: LoadConfigOptions<Shape>,
): Promise<ReadConfig<z.output<Shape>>> {
  const { directory, baseName, schema, variables = {}, prefix, init } = options;
  const file = await findConfigFile(directory, baseName);
  const environment = await readEnvironment(directory, options.nodeEnv, options.environment);
  const fromFile = file === undefined ? undefined : await importConfigFile(file);
  const named = readArguments(options.argv ?? [], options.arguments ?? {});
  const above = [named.value, init, fromFile] as const;
  const surrounding = readVariables(environment, variables, mergeLayers(...above));
  const merged = mergeLayers(...above, surrounding.value, options.defaults?.(environment));

  const sources: Source[] = [
    ["the command line", named.value],
    ["the init object", init],
    [file === undefined ? "" : path.basename(file), fromFile],
    ["the environment", surrounding.value],
  ];
  const checked = z.safeParse(schema, merged, { jitless: true });
  const unread = [...named.issues, ...surrounding.issues, ...(options.check?.(merged, environment) ?? [])];
  const issues = [
    ...unread,
    ...(checked.success ? [] : findIssues(merged, schema))
      .filter(({ where: key }) => !isUnread(key, unread, variables))
      .map((issue) => placed(issue, sources, variables, surrounding.setBy)),
  ];
  const unknown = prefix === undefined ? [] : unknownVariables(environment, prefix, variables);
  const warnings = [...unknown, ...surrounding.warnings];
  const config = checked.success ? checked.data : dropInvalid(merged, schema);
  if (config === undefined) throw new StartupError(issues);
  const sourceOf = (key: string): string | undefined => {
    const source = findSource(key, sources);
    const name = variableOf(key, source === sources.at(-1) ? surrounding.setBy : new Map());
    if (name === undefined) return source?.[0];
    return isSet(options.environment[name]) ? name : `${name} (.env)`;
  };
  return { config, issues, file, environment, warnings, given: merged, sourceOf };
}

const isSet = (text: string | undefined): boolean => text !== undefined && text.trim() !== "";

/** The highest source that sets a key. */
const findSource = (key: string, sources: readonly Source[]): Source | undefined =>
  sources.find(([, value]) => valueUnder(value, key) !== undefined);

/** The variable that sets a key or a block around it. */
const variableOf = (key: string, setBy: ReadonlyMap<string, string>): string | undefined =>
  [...setBy].find(([place]) => isUnder(key, place))?.[1];

type Source = readonly [name: string, value: ConfigObject | undefined];

/** A key that is missing only because its variable could not be read is one issue, not two. */
function isUnread(key: string, unread: readonly StartupIssue[], variables: VariableTable): boolean {
  return unread.some(({ where: name }) => Object.hasOwn(variables, name) && variables[name]?.key === key);
}

/** Whether a key is at a place or inside it. */
const isUnder = (key: string, place: string): boolean => key === place || key.startsWith(`${place}.`);

/** The issue with the source that set the value, or with the variable that can set what is missing. */
function placed(
  issue: StartupIssue,
  sources: readonly Source[],
  variables: VariableTable,
  setBy: ReadonlyMap<string, string>,
): StartupIssue {
  const source = findSource(issue.where, sources);
  if (source !== undefined) {
    const variable = source === sources.at(-1) ? variableOf(issue.where, setBy) : undefined;
    return { ...issue, source: variable === undefined ? source[0] : `the environment variable ${variable}` };
  }
  // Its first name if a key has several.
  const byKey = new Map(
    Object.entries(variables)
      .toReversed()
      .map(([name, { key }]) => [key, name]),
  );
  const names = [...byKey]
    .filter(([key]) => isUnder(key, issue.where))
    .map(([, name]) => name)
    .toReversed();
  const isNamed = names.length === 0 || names.some((name) => issue.message.includes(name));
  if (isNamed || issue.found !== "nothing") return issue;
  const setters = names.length === 1 ? `variable ${names[0]} sets` : `variables ${names.join(" and ")} set`;
  return makeStartupIssue({ ...issue, message: `${issue.message} The environment ${setters} it too.` });
}
