import type { Database } from "@servicekit/prisma";
import type { TextSearch } from "@servicekit/prisma/internal";
import { setQuery } from "@servicekit/router/internal";
import type { Request, Response } from "express";
import type { DeletedRows } from "../resource/config/soft-delete.js";
import type { Where } from "../resource/filter/where.js";
import type { KeyWhere } from "../resource/key.js";
import type { ListQuery } from "../resource/query/read-list-query.js";
import type { Row } from "../resource/values/to-json.js";
import { rawSearch } from "./raw-path.js";

/** The options in `request.query` after the query was read, in Prisma's form; hooks may change them. */
export interface OrmQuery {
  where: Where;
  orderBy?: readonly Where[];
  take?: number;
  skip?: number;
  select: Readonly<Record<string, unknown>>;
  cursor?: Where;
  distinct?: readonly string[];
  /** Only rows that this finds (contract C103). */
  search?: TextSearch;
}

/** The names of the fields that a response may contain of a row; none of a row that the caller may not read. */
export type ShownOfRow = (row: Row) => ReadonlySet<string>;

/** What the steps of a generated route pass to each other besides `request.query`. */
export interface ModelState {
  /** The row identified by the path. */
  readonly key?: KeyWhere;
  readonly list?: ListQuery;
  /** What an aggregate reads: its filter, and the names of the relations to its groups. */
  readonly aggregated?: { readonly where: Where | undefined; readonly relations: readonly string[] };
  /** Which rows the request means; without it, those that are not deleted. */
  readonly deleted?: DeletedRows;
  /** Whether rows are deleted permanently. */
  readonly isPermanent?: boolean;
  /** The database cost of the request's filters and includes (contract C59). */
  readonly cost?: number;
  /** Body and query as they were before hooks; only if there are hooks. */
  readonly input?: { readonly body: unknown; readonly query: unknown };
  /** The row rule of the operation, if there is one: other rows do not exist for the caller (contract C30). */
  readonly rows?: Where | undefined;
  /** Checks the row before it is written, in the transaction of the write, which has locked it. */
  readonly precondition?: (database: Database) => Promise<void>;
  /** The row rule that rows must match when they are written. */
  readonly left?: Where | undefined;
  /** What the response of a write may contain of its rows; `undefined` for everything. */
  readonly shown?: ShownOfRow | undefined;
  /** JSON that the database created, in place of `response.locals.data`; bytes for a long list. */
  readonly json?: string | Buffer;
  /** Adds permitted rows of related models to the result. */
  readonly fill?: (rows: readonly Row[], database: Database) => Promise<void>;
}

/** What an operation sets in `response.locals` for the after hook and the sender. */
export interface ModelLocals {
  data?: Row | readonly Row[];
  meta?: Readonly<Record<string, unknown>>;
}

const state = Symbol("servicekit.modelState");

/**
 * Sets the options of the operation in `request.query`, and stores the rest for the operation.
 *
 * @param stored an object of this request alone: {@link addModelState} adds to it
 */
export function setModelQuery(request: Request, query: OrmQuery, stored: ModelState): void {
  setQuery(request, query);
  Object.defineProperty(request, state, { value: stored, configurable: true });
}

/** The current options of the operation. */
export const modelQuery = (request: Request): OrmQuery => request.query as unknown as OrmQuery;

/** The state that is stored for the operation. */
export function modelState(request: Request): ModelState {
  return (request as Request & { [state]?: ModelState })[state] ?? {};
}

/** Adds to the stored state. */
export function addModelState(request: Request, more: ModelState): void {
  const stored = (request as Request & { [state]?: ModelState })[state];
  if (stored === undefined) Object.defineProperty(request, state, { value: { ...more }, configurable: true });
  else Object.assign(stored, more);
}

/** Whether a read selects no fields: the response contains the complete row. */
export function isPlainRead(request: Request): boolean {
  const search = rawSearch(request);
  return search === "" || (modelState(request).deleted !== undefined && /^deleted=[a-z]+$/.test(search));
}

export const modelLocals = (response: Response): ModelLocals => response.locals as ModelLocals;
