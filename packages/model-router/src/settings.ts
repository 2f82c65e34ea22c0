import { nearestWord, StartError, type StartFault } from "@servicekit/errors";
import type { Models } from "@servicekit/orm";
import { defaultQueryLimits, type QueryLimits } from "@servicekit/query-parser";
import { type Operation, operationNames } from "./operations/operation.js";

/** What one model's routes may be told (contract C44). */
export interface ModelConfig {
  /**
   * Opens or closes single operations: `false` leaves the route out, `true` keeps a `/many` route that `"no-bulk"` leaves
   * out (contract C15).
   */
  readonly operations?: Partial<Readonly<Record<Operation, boolean>>>;
  /** Rows of a page. */
  readonly page?: Partial<PageSize>;
  /** The most items of one bulk request. */
  readonly bulkItems?: number;
}

/** How many rows a page has. */
export interface PageSize {
  /** @default 20 */
  readonly default: number;
  /** @default 100 */
  readonly max: number;
}

/** The settings of all generated routes. */
export interface ModelRouterSettings {
  /** `true` registers no generated route, `"no-bulk"` leaves out the `/many` routes (contract C15). @default false */
  readonly strict: boolean | "no-bulk";
  /** By the model's name. */
  readonly models: Readonly<Record<string, ModelConfig>>;
  readonly page: PageSize;
  /** The most items of one bulk request (contract C14). @default 1000 */
  readonly bulkItems: number;
  /** How deep `include` goes, and how many rows it brings of each to-many relation (contract C8). */
  readonly include: { readonly depth: number; readonly rows: number };
  /** The limits of a query (contract C20). */
  readonly query: QueryLimits;
  /** Whether `field__op=value` is read besides `field[op]=value`. @default true */
  readonly parseDoubleUnderscore: boolean;
}

/** The settings of model routes when nothing is configured. */
export const defaultModelRouterSettings: ModelRouterSettings = Object.freeze({
  strict: false,
  models: {},
  page: { default: 20, max: 100 },
  bulkItems: 1000,
  include: { depth: 3, rows: 100 },
  query: defaultQueryLimits,
  parseDoubleUnderscore: true,
});

/**
 * Holds the models' configuration against the models.
 *
 * @throws {StartError} that names each unknown model, key and operation with the nearest known one (contract C44)
 */
export function checkModelConfigs(configs: Readonly<Record<string, ModelConfig>>, models: Models): void {
  const faults: StartFault[] = [];
  const unknown = (where: string, what: string, word: string, known: Iterable<string>): void => {
    const near = nearestWord(word, known);
    faults.push({
      where,
      message: `There is no ${what} ${word}${near === undefined ? "" : `; did you mean ${near}?`}`,
    });
  };
  for (const [name, config] of Object.entries(configs)) {
    if (!models.has(name)) unknown("models", "model", name, models.keys());
    for (const key of Object.keys(config)) {
      if (!configKeys.includes(key)) unknown(`models.${name}`, "key", key, configKeys);
    }
    for (const key of Object.keys(config.operations ?? {})) {
      if (!operationNames.includes(key as Operation)) {
        unknown(`models.${name}.operations`, "operation", key, operationNames);
      }
    }
  }
  if (faults.length > 0) throw new StartError(faults);
}

const configKeys: readonly string[] = ["operations", "page", "bulkItems"] satisfies (keyof ModelConfig)[];
