import path from "node:path";
import { StartError, type StartFault } from "@servicekit/core";
import { makeStartFault } from "@servicekit/core/internal";
import { findFaults } from "@servicekit/core/schema";
import { z } from "zod";
import { keepSound } from "./keep-sound.js";
import { valueUnder } from "./layer.js";
import { type ConfigObject, mergeLayers } from "./merge-layers.js";
import { findConfigFile } from "./sources/find-config-file.js";
import { importConfigFile } from "./sources/import-config-file.js";
import { type ArgumentTable, readArguments } from "./sources/read-arguments.js";
import { readEnvironment } from "./sources/read-environment.js";
import { type Environment, readVariables, type VariableTable } from "./sources/read-variables.js";
import { unknownVariables } from "./sources/schema-variables.js";

/** Where a configuration is told and what it must look like. */
export interface LoadConfigOptions<Shape extends z.ZodType> {
  /** Where the `.env` files lie and the search for the file begins: usually `process.cwd()`. */
  readonly directory: string;
  /** The file is `<baseName>.config.ts` or of another ending. */
  readonly baseName: string;
  readonly schema: Shape;
  /** The real environment: usually `process.env`. */
  readonly environment: Environment;
  /** Chooses the `.env` files. @default `NODE_ENV` of the environment, else `development` */
  readonly nodeEnv?: string;
  readonly variables?: VariableTable;
  /** What the names of this configuration's variables begin with, such as `SERVICE`: one that nobody knows is warned of. */
  readonly prefix?: string;
  /** The arguments of the command line without Node and the script: usually `process.argv.slice(2)`. */
  readonly argv?: readonly string[];
  readonly arguments?: ArgumentTable;
  /** What is said in code. */
  readonly init?: ConfigObject;
  /** What holds where nobody says anything, by the environment that was read. */
  readonly defaults?: (environment: Readonly<Record<string, string>>) => ConfigObject;
  /** Finds what a schema cannot see: what the whole, not yet checked, asks of the environment. */
  readonly check?: (config: ConfigObject, environment: Environment) => readonly StartFault[];
}

/** A configuration and where it came from. */
export interface LoadedConfig<Config> {
  readonly config: Config;
  /** The whole path of the configuration file, when there is one. */
  readonly file: string | undefined;
  /** The real environment with the `.env` files, `NODE_ENV` always in it. */
  readonly environment: Readonly<Record<string, string>>;
  /** What does no harm to the start and yet should be told, each in a sentence. */
  readonly warnings: readonly string[];
}

/** A configuration of which something may be wrong. */
export interface ReadConfig<Config> extends LoadedConfig<Config> {
  /** What is right of it. */
  readonly config: Config;
  /** Every fault of every source. */
  readonly faults: readonly StartFault[];
}

/**
 * Loads a configuration: arguments over the init object over the file over the environment over the defaults
 * (contract C38).
 *
 * @throws {StartError} that tells every fault of every source at once; a file that cannot be read or that fails is told
 * alone, because nothing is known of what it would say
 */
export async function loadConfig<Shape extends z.ZodType>(
  options: LoadConfigOptions<Shape>,
): Promise<LoadedConfig<z.output<Shape>>> {
  const { faults, ...loaded } = await readConfig(options);
  if (faults.length > 0) throw new StartError(faults);
  return loaded;
}

/**
 * Loads a configuration as {@link loadConfig} does, and goes on behind faults with what is right of it: for who has more to
 * check, and tells all faults together.
 *
 * @throws {StartError} for a file that cannot be read or that fails
 */
export async function readConfig<Shape extends z.ZodType>(
  options: LoadConfigOptions<Shape>,
): Promise<ReadConfig<z.output<Shape>>> {
  const { directory, baseName, schema, variables = {}, prefix, init } = options;
  const file = await findConfigFile(directory, baseName);
  const environment = await readEnvironment(directory, options.nodeEnv, options.environment);
  const told = file === undefined ? undefined : await importConfigFile(file);
  const named = readArguments(options.argv ?? [], options.arguments ?? {});
  const above = [named.value, init, told] as const;
  const surrounding = readVariables(environment, variables, mergeLayers(...above));
  const merged = mergeLayers(...above, surrounding.value, options.defaults?.(environment));

  const sources: Source[] = [
    ["the command line", named.value],
    ["the init object", init],
    [file === undefined ? "" : path.basename(file), told],
    ["the environment", surrounding.value],
  ];
  const checked = z.safeParse(schema, merged, { jitless: true });
  const unread = [...named.faults, ...surrounding.faults, ...(options.check?.(merged, environment) ?? [])];
  const faults = [
    ...unread,
    ...(checked.success ? [] : findFaults(merged, schema))
      .filter(({ where: key }) => !isUnread(key, unread, variables))
      .map((fault) => placed(fault, sources, variables, surrounding.told)),
  ];
  const unknown = prefix === undefined ? [] : unknownVariables(environment, prefix, variables);
  const warnings = [...unknown, ...surrounding.warnings];
  const config = checked.success ? checked.data : keepSound(merged, schema);
  if (config === undefined) throw new StartError(faults);
  return { config, faults, file, environment, warnings };
}

type Source = readonly [name: string, value: ConfigObject | undefined];

/** A key that is missing only because its variable could not be read is one fault, not two. */
function isUnread(key: string, unread: readonly StartFault[], variables: VariableTable): boolean {
  return unread.some(({ where: name }) => Object.hasOwn(variables, name) && variables[name]?.key === key);
}

/** Whether a key is a place or inside of it. */
const isUnder = (key: string, place: string): boolean => key === place || key.startsWith(`${place}.`);

/** The fault with the source that told the value, or with the variable that could tell what is missing. */
function placed(
  fault: StartFault,
  sources: readonly Source[],
  variables: VariableTable,
  told: ReadonlyMap<string, string>,
): StartFault {
  const source = sources.find(([, value]) => valueUnder(value, fault.where) !== undefined);
  if (source !== undefined) {
    const variable = [...told].find(([key]) => source === sources.at(-1) && isUnder(fault.where, key))?.[1];
    return { ...fault, source: variable === undefined ? source[0] : `the environment variable ${variable}` };
  }
  // Its first name where a key has several.
  const byKey = new Map(
    Object.entries(variables)
      .toReversed()
      .map(([name, { key }]) => [key, name]),
  );
  const names = [...byKey]
    .filter(([key]) => isUnder(key, fault.where))
    .map(([, name]) => name)
    .toReversed();
  const isTold = names.length === 0 || names.some((name) => fault.message.includes(name));
  if (isTold || fault.found !== "nothing") return fault;
  const setters = names.length === 1 ? `variable ${names[0]} sets` : `variables ${names.join(" and ")} set`;
  return makeStartFault({ ...fault, message: `${fault.message} The environment ${setters} it too.` });
}
