import { defaultQueryLimits, type QueryLimits } from "@servicekit/query-parser";
import type { ModelConfig } from "./model-config/model-config.js";
import type { Resolver } from "./model-config/model-schemas.js";
import type { IncludeLimits, ResourceSettings } from "./resource/config/resource-config.js";

export { checkModelConfigs } from "./model-config/check-model-configs.js";
export type { ModelConfig } from "./model-config/model-config.js";

/** The settings of all generated routes. */
export interface ModelRouterSettings extends ResourceSettings {
  /** `true` registers no generated route, `"no-bulk"` omits the `/many` routes (contract C15). @default false */
  readonly strict: boolean | "no-bulk";
  /** By the model's name. */
  readonly models: Readonly<Record<string, ModelConfig>>;
  /** Maximum depth of `include`, and maximum number of rows of each to-many relation (contract C8). */
  readonly include: IncludeLimits;
  /** Maximum size of the JSON of one response in bytes (contract C88). @default 5242880 */
  readonly responseBytes: number;
  /** Maximum number of rows of one export (contract C104). @default 100000 */
  readonly exportRows: number;
  /** Maximum number of open event streams of a process (contract C111). @default 2000 */
  readonly eventStreams: number;
  /** The same of one user, or of one address without a user. @default 20 */
  readonly eventStreamsPerClient: number;
  /** The header with the surrogate keys of public responses of recorded models (contract C124). @default none */
  readonly surrogateKeyHeader?: "Surrogate-Key" | "Cache-Tag" | undefined;
  /** The limits of a query (contract C20). */
  readonly query: QueryLimits;
  /** The library of module schemas; without it, either (contract C12). */
  readonly resolver?: Resolver | undefined;
  /** Options for that library (contract C48). */
  readonly validationOptions?: Readonly<Record<string, unknown>> | undefined;
  /** Whether `field__op=value` is supported besides `field[op]=value`. @default true */
  readonly parseDoubleUnderscore: boolean;
  /** Whether lists and reads accept `prismaQueryOptions` (contract C22). @default false */
  readonly allowDangerousOrmQueryOptions: boolean;
}

/** The default settings of model routes. */
export const defaultModelRouterSettings: ModelRouterSettings = Object.freeze({
  strict: false,
  models: {},
  page: { default: 20, max: 100 },
  bulkItems: 1000,
  responseBytes: 5 * 1024 * 1024,
  exportRows: 100_000,
  eventStreams: 2_000,
  eventStreamsPerClient: 20,
  include: { depth: 3, rows: 100, total: 10_000 },
  query: defaultQueryLimits,
  parseDoubleUnderscore: true,
  allowDangerousOrmQueryOptions: false,
});
