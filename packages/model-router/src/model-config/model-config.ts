import type { Schema, UploadsConfig } from "@servicekit/router";
import type { RequestHandler, Router } from "express";
import type { ResourceConfig } from "../resource/resource-config.js";
import type { AnyRow, ModelHooks } from "./hook.js";
import type { ModelAuth } from "./model-auth.js";
import type { SchemaName } from "./model-schemas.js";

/**
 * What one model's routes may be told (contract C44): in `service.init({ models: { Post: … } })`, or by the files of the
 * model's module.
 *
 * @typeParam Row a row of the model, such as the type that Prisma generates; types its hooks
 */
export interface ModelConfig<Row extends object = AnyRow> extends ResourceConfig {
  /** Who may do what (contract C30). */
  readonly auth?: ModelAuth;
  /** Files that come with a body (contract C44). */
  readonly uploads?: Partial<Readonly<Record<"createOne" | "updateOne", UploadsConfig>>>;
  /** Handlers before and after the database operation (contract C45). */
  readonly hooks?: ModelHooks<Row>;
  /** Validation in place of what is derived from the model (contract C12). */
  readonly schemas?: Partial<Readonly<Record<SchemaName, Schema>>>;
  /** More routes, mounted at the model's path before the generated ones. */
  readonly router?: Router | RequestHandler;
}

/** Types the configuration of a model, for the default export of `<model>.model.ts` (contract C44). */
export function defineModel<Row extends object = AnyRow>(config: ModelConfig<Row>): ModelConfig<Row> {
  return config;
}
