import type { ExpressHandler } from "@servicekit/router";
import type { NextFunction, Request, Response } from "express";
import type { OrmQuery } from "../request/request-state.js";
import type { HookName } from "./hook-names.js";

/** A row of unknown type. */
// biome-ignore lint/suspicious/noExplicitAny: a hook without a row type may look at any field, and rows of every type fit.
export type AnyRow = Record<string, any>;

/** The validated body that a before hook gets and may change. */
export type HookBody<Name extends HookName, Row extends object> = Name extends `${string}CreateMany`
  ? Partial<Row>[]
  : Name extends `${string}UpdateMany`
    ? Partial<Row> | (Partial<Row> & { id: unknown })[]
    : Name extends `${string}DeleteMany`
      ? { ids: unknown[] } | undefined
      : Name extends `${string}${"Create" | "Update"}One`
        ? Partial<Row>
        : unknown;

/** The value of `response.locals.data` in an after hook: what it sets is sent. */
export type HookData<Name extends HookName, Row extends object> = Name extends
  | `before${string}`
  | `${string}Delete${string}`
  ? undefined
  : Name extends `${string}Many`
    ? Row[]
    : Row;

/** `response.locals` of a hook; includes Express's own and yours. */
export interface HookLocals<Name extends HookName, Row extends object> extends Record<string, unknown> {
  data: HookData<Name, Row>;
  /** The member next to `data` in the response; `undefined` for a single row. */
  meta?: Readonly<Record<string, unknown>>;
}

interface HookForm<Name extends HookName, Row extends object> {
  // A method, because its parameters are bivariant: a hook of `Post` fits where hooks of any row are allowed.
  hook(
    request: Request<Record<string, string>, unknown, HookBody<Name, Row>, OrmQuery>,
    response: Response<unknown, HookLocals<Name, Row>>,
    next: NextFunction,
  ): unknown;
}

/**
 * A handler before or after the database operation of a generated route (contract C45), such as `Hook<"afterCreateOne",
 * Post>`. One that responds ends the request; an error goes to the error handler.
 */
export type Hook<Name extends HookName = HookName, Row extends object = AnyRow> = HookForm<Name, Row>["hook"];

/** The hooks of a model by name: one or a list of them, run in order. */
export type ModelHooks<Row extends object = AnyRow> = {
  readonly [Name in HookName]?: Hook<Name, Row> | ExpressHandler | readonly (Hook<Name, Row> | ExpressHandler)[];
};
