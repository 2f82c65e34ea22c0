import type { RequestHandler, Router } from "express";

/** The contents of the files of one module (contract C44). */
export interface ModuleParts<Schema = unknown> {
  /** By name: a handler or a list of them. */
  readonly hooks?: Readonly<Record<string, RequestHandler | readonly RequestHandler[]>>;
  readonly config?: Readonly<Record<string, unknown>>;
  readonly schemas?: Readonly<Record<string, Schema>>;
  readonly router?: Router | RequestHandler;
  /** The subscribers to changes, by name. */
  readonly events?: Readonly<Record<string, Subscriber>>;
}

/** Runs for a change of a row. */
export type Subscriber = (event: never, context: never) => unknown;
