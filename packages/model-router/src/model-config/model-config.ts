import type { Schema, UploadsConfig } from "@servicekit/router";
import type { RequestHandler, Router } from "express";
import type { Operation } from "../operations/operation.js";
import type { AnyRow, ModelHooks } from "../pipeline/hook.js";
import type { ModelQueryDefaults } from "../query/default-options.js";
import type { ModelAuth } from "./model-auth.js";
import type { SchemaName } from "./model-schemas.js";

/**
 * What one model's routes may be told (contract C44): in `service.init({ models: { Post: … } })`, or by the files of the
 * model's module.
 *
 * @typeParam Row a row of the model, such as the type that Prisma generates; types its hooks
 */
export interface ModelConfig<Row extends object = AnyRow> {
  /**
   * Opens or closes single operations: `false` leaves the route out, `true` keeps a `/many` route that `"no-bulk"` leaves
   * out (contract C15).
   */
  readonly operations?: Partial<Readonly<Record<Operation, boolean>>>;
  /** Rows of a page. */
  readonly page?: Partial<PageSize>;
  /** The most items of one bulk request. */
  readonly bulkItems?: number;
  /** How deep `include` goes from this model, and how many rows it brings of each to-many relation (contract C8). */
  readonly include?: Partial<IncludeLimits>;
  /** Who may do what (contract C30). */
  readonly auth?: ModelAuth;
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
  /** Files that come with a body (contract C44). */
  readonly uploads?: Partial<Readonly<Record<"createOne" | "updateOne", UploadsConfig>>>;
  /** Handlers before and after the database operation (contract C45). */
  readonly hooks?: ModelHooks<Row>;
  /** Validation in place of what is derived from the model (contract C12). */
  readonly schemas?: Partial<Readonly<Record<SchemaName, Schema>>>;
  /** More routes, mounted at the model's path before the generated ones. */
  readonly router?: Router | RequestHandler;
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

/** Types the configuration of a model, for the default export of `<model>.model.ts` (contract C44). */
export function defineModel<Row extends object = AnyRow>(config: ModelConfig<Row>): ModelConfig<Row> {
  return config;
}
