import { service } from "./service.js";

export type { ModulesDirectory } from "./config/modules-directory.js";
export type {
  CorsConfig,
  DatabaseConfig,
  DebuggingConfig,
  EmailConfig,
  LimitsConfig,
  MiddlewaresConfig,
  PlainRouter,
  PostgresAdapter,
  RateLimitOptions,
  RequestConfig,
  ServiceConfig,
  ServiceInitConfig,
  TimeoutsConfig,
  Usable,
  ValidationSettingsConfig,
} from "./config/service-config.js";
export type { Service } from "./create-service.js";
export { defineConfig } from "./define-config.js";
export type { RunningService } from "./init-service.js";
export type { Environment, ServiceSettings, Surroundings } from "./settings.js";
export { service };
export default service;

export type { AuthConfig, AuthSettings } from "@servicekit/auth/settings";
export {
  defineErrors,
  type FieldFault,
  HttpError,
  type HttpErrorOptions,
  httpErrors,
  isHttpError,
  type ProblemBody,
  StartError,
  type StartFault,
} from "@servicekit/errors";
export { type Mail, MailError, type Mailer } from "@servicekit/mailer";
export type { ModelAuth, ModelConfig, Operation, RowRule } from "@servicekit/model-router";
export type { ApiDocsConfig, ApiDocsSettings } from "@servicekit/openapi/settings";
export type { Database, Delegate, Model, Models, ModelsData } from "@servicekit/orm";
export {
  defaultQueryLimits,
  parseQuery,
  type QueryLimits,
  type QueryParserOptions,
  stringifyQuery,
  toOrmQuery,
} from "@servicekit/query-parser";
export {
  type AuthenticationConfig,
  type Caller,
  callerOf,
  type DeclaredRoute,
  type RouteConfig,
  type RouteHandler,
  ServiceRouter,
  sendJson,
} from "@servicekit/router";
export type { FileUploadConfig, UploadSettings } from "@servicekit/uploads/settings";
export type { NextFunction, Request, RequestHandler, Response } from "express";
