import type { Database } from "@servicekit/prisma";
import { setQuery } from "@servicekit/router/internal";
import type { Request, Response } from "express";
import type { Where } from "./resource/filter/where.js";
import type { KeyWhere } from "./resource/key.js";
import type { ListQuery } from "./resource/query/read-list-query.js";
import type { Row } from "./resource/values/to-json.js";

/** The options that step 4 puts into `request.query`, as Prisma takes them; hooks may change them. */
export interface OrmQuery {
  where: Where;
  orderBy?: readonly Where[];
  take?: number;
  skip?: number;
  select: Readonly<Record<string, unknown>>;
  cursor?: Where;
  distinct?: readonly string[];
}

/** The names of the fields that an answer may show of a row; none of a row that the caller may not read. */
export type ShownOfRow = (row: Row) => ReadonlySet<string>;

/** What the steps of a generated route leave for each other beside `request.query`. */
export interface ModelState {
  /** The row that the path names. */
  readonly key?: KeyWhere;
  readonly list?: ListQuery;
  /** What the request's filters and includes cost the database (contract C59). */
  readonly cost?: number;
  /** Body and query as they were before hooks; only where there are hooks. */
  readonly asked?: { readonly body: unknown; readonly query: unknown };
  /** The row rule of the operation, where one holds: rows outside are as if they did not exist (contract C30). */
  readonly rows?: Where | undefined;
  /** The row rule that rows must meet when they are written. */
  readonly left?: Where | undefined;
  /** What the answer of a write may show of its rows; `undefined` for all of it. */
  readonly shown?: ShownOfRow | undefined;
  /** JSON that the database made of what was read, in the place of `response.locals.data`; of a long list its bytes. */
  readonly json?: string | Buffer;
  /** Completes what was read by permitted rows of related models. */
  readonly fill?: (rows: readonly Row[], database: Database) => Promise<void>;
}

/** What an operation leaves in `response.locals` for the after hook and the sender. */
export interface ModelLocals {
  data?: Row | readonly Row[];
  meta?: Readonly<Record<string, unknown>>;
}

const state = Symbol("servicekit.modelState");

/**
 * Puts the options of step 4 into `request.query`, and keeps the rest for the operation.
 *
 * @param kept an object of this request alone: {@link addModelState} adds to it
 */
export function setModelQuery(request: Request, query: OrmQuery, kept: ModelState): void {
  setQuery(request, query);
  Object.defineProperty(request, state, { value: kept, configurable: true });
}

/** The options of step 4 as they stand now. */
export const modelQuery = (request: Request): OrmQuery => request.query as unknown as OrmQuery;

/** What step 4 kept. */
export function modelState(request: Request): ModelState {
  return (request as Request & { [state]?: ModelState })[state] ?? {};
}

/** Keeps something besides. */
export function addModelState(request: Request, more: ModelState): void {
  const kept = (request as Request & { [state]?: ModelState })[state];
  if (kept === undefined) Object.defineProperty(request, state, { value: { ...more }, configurable: true });
  else Object.assign(kept, more);
}

export const modelLocals = (response: Response): ModelLocals => response.locals as ModelLocals;
