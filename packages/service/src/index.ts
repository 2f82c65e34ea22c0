import { service } from "./service.js";

export type { CloseTimes, Service } from "./assembly/service.js";
export type { CacheConfig } from "./config/cache.js";
export type { DebuggingConfig } from "./config/debugging.js";
export type { Environment } from "./config/environment.js";
export type { LimitsConfig } from "./config/limits.js";
export type { ModulesDirectory } from "./config/modules-directory.js";
export type {
  AuthModuleConfig,
  CorsConfig,
  DatabaseConfig,
  EmailConfig,
  FileUploadModuleConfig,
  MiddlewaresConfig,
  ModelsConfig,
  PlainRouter,
  PostgresAdapter,
  RequestConfig,
  ServiceConfig,
  ServiceInitConfig,
  Usable,
  ValidationSettingsConfig,
} from "./config/service-config.js";
export type { RuntimeEnvironment, ServiceSettings } from "./config/settings.js";
export type { ShutdownConfig } from "./config/shutdown.js";
export type { TimeoutsConfig } from "./config/timeouts.js";
export {
  type DefinedModel,
  type FieldName,
  type ModelName,
  type ModelTyping,
  type RoleName,
  type TypedModelConfig,
  type TypedModels,
  typedModels,
} from "./config/typed-models.js";
export { defineConfig } from "./define-config.js";
export { defineJob, type JobContext } from "./define-job.js";
export type { RunningService } from "./init-service.js";
export type { ContextOf, ServiceContext } from "./service-context.js";
export { service };
export default service;

export type { AuthHooks, AuthSchemas, ExternalCaller, Identify, IssuerClaims, TokenIssuer } from "@servicekit/auth";
export type { AuthConfig, AuthSettings } from "@servicekit/auth/settings";
export {
  defineErrors,
  HttpError,
  type HttpErrorOptions,
  httpErrors,
  isHttpError,
  type ProblemBody,
  StartupError,
  type StartupIssue,
  type ValidationIssue,
} from "@servicekit/core";
export { type AuthAction, listAuthActions } from "@servicekit/discovery";
export type { IdempotencyConfig } from "@servicekit/idempotency/settings";
export type {
  CreatedEvent,
  DeletedEvent,
  FailedJob,
  JobRetries,
  JobSender,
  QueueCounts,
  Queues,
  RowEvent,
  RowState,
  SendJobOptions,
  UpdatedEvent,
} from "@servicekit/jobs";
export type { Job, JobAttempt, JobDefinition, JobsConfig } from "@servicekit/jobs/settings";
export { UnrecoverableError } from "@servicekit/jobs/settings";
export { type Mail, MailError, type Mailer } from "@servicekit/mailer";
export type { McpConfig } from "@servicekit/mcp/settings";
export type { Operation, OperationName } from "@servicekit/model-router";
export {
  type AnyRow,
  defineModel,
  type Hook,
  isDryRun,
  type ModelAuth,
  type ModelConfig,
  type ModelHooks,
  type OperationAccess,
  type OrmQuery,
  type RowFilter,
  type RowRule,
  readableWhere,
  type TenantConfig,
} from "@servicekit/model-router";
export type { ApiDocsConfig, ApiDocsSettings } from "@servicekit/openapi/settings";
export type { Database, Delegate, Model, Models, ModelsData } from "@servicekit/prisma";
export {
  defaultQueryLimits,
  parseQuery,
  type QueryLimits,
  type QueryParserOptions,
  stringifyQuery,
  toOrmQuery,
} from "@servicekit/query-parser";
export {
  type AccessConfig,
  type AccessRule,
  type AuthenticationConfig,
  type Caller,
  callerOf,
  type DeclaredRoute,
  identityOf,
  preventStorage,
  type RouteConfig,
  type RouteHandler,
  ServiceRouter,
  sendJson,
  type UploadsConfig,
  userIdOf,
} from "@servicekit/router";
export type { FetchHandler } from "@servicekit/server";
export type { LoadSheddingConfig } from "@servicekit/server/settings";
export { traceHeaders } from "@servicekit/telemetry";
export type { MetricsConfig } from "@servicekit/telemetry/settings";
// Its types declare request.file and request.files.
export type { FileData, UploadedFile } from "@servicekit/uploads";
export type { FileUploadConfig, UploadSettings } from "@servicekit/uploads/settings";
export type { WebhookEndpointConfig, WebhooksConfig } from "@servicekit/webhooks/settings";
export type { NextFunction, RequestHandler, Response } from "express";
export type { Request } from "./request.js";
