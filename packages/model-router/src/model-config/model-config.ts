import type { Schema, UploadsConfig } from "@servicekit/router";
import type { RequestHandler, Router } from "express";
import type { ResourceConfig } from "../resource/config/resource-config.js";
import type { AnyRow, ModelHooks } from "./hook.js";
import type { ModelAuth } from "./model-auth.js";
import type { SchemaName } from "./model-schemas.js";

/**
 * The configuration of one model's routes (contract C44): in `service.init({ models: { Post: … } })`, or in the files
 * of the model's module.
 *
 * @typeParam Row a row of the model, such as the type that Prisma generates; types its hooks
 */
export interface ModelConfig<Row extends object = AnyRow> extends ResourceConfig {
  /** The access rules (contract C30). */
  readonly auth?: ModelAuth;
  /** Files in a body (contract C44). */
  readonly uploads?: Partial<Readonly<Record<"createOne" | "updateOne", UploadsConfig>>>;
  /** Handlers before and after the database operation (contract C45). */
  readonly hooks?: ModelHooks<Row>;
  /** Validation in place of the schemas derived from the model (contract C12). */
  readonly schemas?: Partial<Readonly<Record<SchemaName, Schema>>>;
  /** Additional routes, mounted at the model's path before the generated ones. */
  readonly router?: Router | RequestHandler;
}

/** Types the configuration of a model, for the default export of `<model>.model.ts` (contract C44). */
export function defineModel<Row extends object = AnyRow>(config: ModelConfig<Row>): ModelConfig<Row> {
  return config;
}
