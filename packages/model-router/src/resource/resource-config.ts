import type { OperationWord } from "./of-operation.js";

/** Names of fields, or of fields and relations, in the form of Prisma's `select` and `omit`. */
export type FieldNames = Readonly<Record<string, boolean>>;

/** One key of a default order: a field of the model itself. */
export type DefaultOrder = Readonly<Record<string, "asc" | "desc">>;

/** What a read is held to; a request may narrow it and never widen it. */
export interface DefaultReadOptions {
  /** A Prisma `where`; it holds besides what the request asks for. */
  readonly where?: Readonly<Record<string, unknown>>;
  /** The fields that are shown, and the relations that are included unless the request says which; no others may be. */
  readonly select?: FieldNames;
  /** Fields that are not shown; excludes `select`. */
  readonly omit?: FieldNames;
}

/** What a list is held to besides. */
export interface DefaultListOptions extends DefaultReadOptions {
  /** The order where the request gives no `sort`. @default by the id */
  readonly orderBy?: DefaultOrder | readonly DefaultOrder[];
  /** The rows of a page where the request gives no `limit`, and the most that it may ask for. */
  readonly take?: number;
}

/** Default query options of a model by operation (contract C44). */
export interface ModelQueryDefaults {
  readonly findMany?: DefaultListOptions;
  readonly findOne?: DefaultReadOptions;
}

/** How many rows a page has. */
export interface PageSize {
  /** @default 20 */
  readonly default: number;
  /** @default 100 */
  readonly max: number;
}

/** How far `include` goes. */
export interface IncludeLimits {
  /** @default 3 */
  readonly depth: number;
  /** Of each to-many relation. @default 100 */
  readonly rows: number;
  /** Of all to-many relations together that one answer may make the database read (contract C20). @default 10000 */
  readonly total: number;
}

/** What is said of one model that changes what clients can see, ask and write of it. */
export interface ResourceConfig {
  /**
   * Opens or closes operations, by their names or by `read`, `write` and `all`: `false` leaves the route out, `true` keeps a `/many` route that `"no-bulk"` leaves
   * out (contract C15). What is closed is closed by way of other models too, unless the model is `reachable` (C57).
   */
  readonly operations?: Partial<Readonly<Record<OperationWord, boolean>>>;
  /**
   * Whether relations of other models lead to the rows although operations are closed: those that are closed have no
   * route, but whoever has the right may do them through a relation (contract C57, C64). @default false
   */
  readonly reachable?: boolean;
  /** Rows of a page. */
  readonly page?: Partial<PageSize>;
  /** The most items of one bulk request. */
  readonly bulkItems?: number;
  /** How deep `include` goes from this model, and how many rows it brings of each to-many relation (contract C8). */
  readonly include?: Partial<IncludeLimits>;
  readonly auth?: {
    /**
     * The fields and relations that a role sees and sets, by the role's name, `"*"` for everyone; those of all roles of a
     * caller add up. What no list of his names is hidden from him, the id too; a superuser sees all.
     */
    readonly fields?: Readonly<Record<string, readonly string[]>>;
  };
  /** Fields that never leave the service, as `/// @hidden` in the schema (contract C11). */
  readonly hidden?: readonly string[];
  /** Fields that bodies may not set, as `/// @readonly` in the schema (contract C11). */
  readonly readonly?: readonly string[];
  /** Read-only fields that bodies may set after all, and relations that bodies may create, update and delete (C11, C13). */
  readonly writable?: readonly string[];
  /** The string fields that `search` looks into. @default all visible ones but ids (contract C8) */
  readonly searchable?: readonly string[];
  /** The query options that lists and reads are held to, such as `{ findMany: { orderBy: { createdAt: "desc" } } }`. */
  readonly query?: ModelQueryDefaults;
}

/** What all resources are made with. */
export interface ResourceSettings {
  /** By the model's name. */
  readonly models: Readonly<Record<string, ResourceConfig>>;
  readonly page: PageSize;
  /** The most items of one bulk request (contract C14). @default 1000 */
  readonly bulkItems: number;
}
