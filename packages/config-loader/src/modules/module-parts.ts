import type { RequestHandler, Router } from "express";

/** The contents of the files of one module (contract C44). */
export interface ModuleParts<Schema = unknown> {
  /** By name: a handler or a list of them. */
  readonly hooks?: Readonly<Record<string, RequestHandler | readonly RequestHandler[]>>;
  readonly config?: Readonly<Record<string, unknown>>;
  readonly schemas?: Readonly<Record<string, Schema>>;
  readonly router?: Router | RequestHandler;
}
