import type { OperationName } from "./of-operation.js";

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
  /** The string fields that `search` uses. @default all visible ones but ids (contract C8) */
  readonly searchable?: readonly string[];
  /** The default query options of lists and reads, such as `{ findMany: { orderBy: { createdAt: "desc" } } }`. */
  readonly query?: ModelQueryDefaults;
}

/** The options of all resources. */
export interface ResourceSettings {
  /** By the model's name. */
  readonly models: Readonly<Record<string, ResourceConfig>>;
  readonly page: PageSize;
  /** Maximum number of items of one bulk request (contract C14). @default 1000 */
  readonly bulkItems: number;
}
