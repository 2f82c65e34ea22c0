import type { ComputedFieldConfigs } from "./computed-config.js";
import type { Counting } from "./counting.js";
import type { OperationName } from "./of-operation.js";
import type { ResponseCacheConfig } from "./response-cache-config.js";

/** Names of fields, or of fields and relations, in the form of Prisma's `select` and `omit`. */
export type FieldNames = Readonly<Record<string, boolean>>;

/** One key of a default order: a field of the model itself. */
export type DefaultOrder = Readonly<Record<string, "asc" | "desc">>;

/** The restrictions of a read; a request may narrow them and never widen them. */
export interface DefaultReadOptions {
  /** A Prisma `where`, combined with the request's filter. */
  readonly where?: Readonly<Record<string, unknown>>;
  /** The selected fields, and the relations that are included by default; no others may be. */
  readonly select?: FieldNames;
  /** Excluded fields; cannot be combined with `select`. */
  readonly omit?: FieldNames;
}

/** The additional restrictions of a list. */
export interface DefaultListOptions extends DefaultReadOptions {
  /** The order without `sort`. @default by the id */
  readonly orderBy?: DefaultOrder | readonly DefaultOrder[];
  /** The default page size, and its maximum. */
  readonly take?: number;
}

/** Default query options of a model by operation (contract C44). */
export interface ModelQueryDefaults {
  readonly findMany?: DefaultListOptions;
  readonly findOne?: DefaultReadOptions;
}

/** The page size. */
export interface PageSize {
  /** @default 20 */
  readonly default: number;
  /** @default 100 */
  readonly max: number;
}

/** The limits of `include`. */
export interface IncludeLimits {
  /** @default 3 */
  readonly depth: number;
  /** Of each to-many relation. @default 100 */
  readonly rows: number;
  /** Maximum number of rows of all to-many relations together in one response (contract C20). @default 10000 */
  readonly total: number;
}

/** The options of soft delete (contract C101). */
export interface SoftDeleteOptions {
  /** The optional date of the deletion. @default "deletedAt" */
  readonly field?: string;
  /**
   * Relations with `onDelete: Cascade` whose rows stay when a row is deleted, because their model has no soft delete.
   *
   * @default none
   */
  readonly keep?: readonly string[];
}

/** The options of recorded changes (contract C106). */
export interface ChangeOptions {
  /**
   * Whether `GET /<models>/:id/history` returns the changes of a row, with the access rules of a read of one row
   * (contract C107). It names the users who made them. @default false
   */
  readonly history?: boolean;
  /**
   * Whether `GET /<models>/events` returns the changes of the rows of the list as server-sent events, with the access rules
   * of the list (contract C111). @default false
   */
  readonly events?: boolean;
  /** How long changes are stored. @default forever */
  readonly retention?: ChangeRetentionConfig;
}

/** How long the changes of a model are stored (contract C108); without a limit all remain. */
export interface ChangeRetentionConfig {
  /** Older changes are deleted, in days. */
  readonly days?: number;
  /** The number of changes of each row that remain: the latest. Maximum: 10,000. */
  readonly perRow?: number;
}

/** The configuration of one model that affects what clients can see, query and write. */
export interface ResourceConfig {
  /**
   * Enables or disables operations, by their names or by `read`, `write` and `all`: `false` omits the route, `true`
   * keeps a `/many` route that `"no-bulk"` omits (contract C15). A disabled operation is disabled through other models
   * too, unless the model is `reachable` (C57).
   */
  readonly operations?: Partial<Readonly<Record<OperationName, boolean>>>;
  /**
   * Whether relations of other models lead to the rows although operations are disabled: those have no route, but
   * callers with access may perform them through a relation (contract C57, C64). @default false
   */
  readonly reachable?: boolean;
  /**
   * Whether `GET /<models>/aggregate` returns counts, sums and other values of groups of rows, with the access rules of
   * the list. @default false
   */
  readonly aggregate?: boolean;
  /**
   * Whether clients may create or replace rows: `PUT /:id`, and `POST /many?onConflict=…` (contract C99). Both require
   * the right to create and the right to update. @default false
   */
  readonly upsert?: boolean;
  /**
   * Whether each write stores a change with the states of the row before and after it, in its transaction (contract
   * C106). Requires the model `Change` in the schema. @default false
   */
  readonly changes?: boolean | ChangeOptions;
  /**
   * Whether the list exports all matching rows: `GET /<models>` with `Accept: text/csv` or
   * `Accept: application/x-ndjson` (contract C104). @default false
   */
  readonly export?: boolean;
  /**
   * Whether `POST /<models>/many` also accepts `text/csv` and `application/x-ndjson`, and has the parameter `dryRun`
   * (contract C104). @default false
   */
  readonly import?: boolean;
  /** How long the responses of reads may be reused (contract C124). @default not at all */
  readonly cache?: ResponseCacheConfig;
  /**
   * Whether deletes set a date, `deletedAt` by default, in place of deleting the row. Such rows do not exist for any
   * request, until they are restored or deleted permanently (contract C101). @default false
   */
  readonly softDelete?: boolean | SoftDeleteOptions;
  /**
   * How lists count their rows, unless the request has the parameter `count` (contract C125): `"estimated"` by the planner of the
   * database, `"limited"` up to 10,000. @default "exact"
   */
  readonly count?: Counting;
  /** The page size. */
  readonly page?: Partial<PageSize>;
  /** Maximum number of items of one bulk request. */
  readonly bulkItems?: number;
  /** Maximum depth of `include` from this model, and maximum number of rows of each to-many relation (contract C8). */
  readonly include?: Partial<IncludeLimits>;
  readonly auth?: {
    /**
     * The visible and settable fields and relations by role name, `"*"` for everyone; those of all roles of a caller
     * are combined. A field in none of the caller's lists is hidden, including the id; a superuser sees all.
     */
    readonly fields?: Readonly<Record<string, readonly string[]>>;
  };
  /** Fields that never leave the service, like `/// @hidden` in the schema (contract C11). */
  readonly hidden?: readonly string[];
  /** Fields that bodies may not set, like `/// @readonly` in the schema (contract C11). */
  readonly readonly?: readonly string[];
  /**
   * Read-only fields that bodies may set, and relations through which bodies may create, update and delete (C11, C13).
   */
  readonly writable?: readonly string[];
  /** Fields of responses that are computed from stored fields of the row, by name (contract C102). */
  readonly computed?: ComputedFieldConfigs;
  /** The string fields that `search` uses. @default all visible ones but ids (contract C8) */
  readonly searchable?: readonly string[];
  /** Finds rows by an index of PostgreSQL in place of a scan of the text fields (contract C103). */
  readonly search?: SearchConfig;
  /** The default query options of lists and reads, such as `{ findMany: { orderBy: { createdAt: "desc" } } }`. */
  readonly query?: ModelQueryDefaults;
}

/** The search of a model by an index of PostgreSQL, which `service migrate new` adds to a migration. */
export interface SearchConfig {
  /** The text fields, the most important one first: a match in it ranks highest. */
  readonly fields: readonly string[];
  /** Words in any of their forms, or similar spellings, for names (with the extension `pg_trgm`). @default "fullText" */
  readonly mode?: "fullText" | "similarity";
  /** The text search configuration of PostgreSQL, such as `"english"`, for `fullText`. @default "simple" */
  readonly language?: string;
}

/** The options of all resources. */
export interface ResourceSettings {
  /** By the model's name. */
  readonly models: Readonly<Record<string, ResourceConfig>>;
  readonly page: PageSize;
  /** Maximum number of items of one bulk request (contract C14). @default 1000 */
  readonly bulkItems: number;
}
