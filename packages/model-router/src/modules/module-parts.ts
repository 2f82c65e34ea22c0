import type { Schema } from "@servicekit/router";
import type { RequestHandler, Router } from "express";
import type { ModelConfig } from "../model-config/model-config.js";

/** What the files of one module give (contract C44). */
export interface ModuleParts {
  /** By name: a handler or a list of them. */
  readonly hooks?: Readonly<Record<string, RequestHandler | readonly RequestHandler[]>>;
  readonly config?: Readonly<Record<string, unknown>>;
  readonly schemas?: Readonly<Record<string, Schema>>;
  readonly router?: Router | RequestHandler;
}

/** The modules of a service. */
export interface LoadedModules {
  /** By the model's name. */
  readonly models: Readonly<Record<string, ModelConfig>>;
  /** The module `auth`. */
  readonly auth?: ModuleParts;
  /** The module `file-upload`. */
  readonly fileUpload?: ModuleParts;
}
