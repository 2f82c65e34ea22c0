export type { BoundRoutes, RoutePipeline } from "./application/bind-routes.js";
export { type ErrorHandlerSettings, makeErrorHandler } from "./application/error-handler.js";
export { makeApp } from "./application/make-app.js";
export { type Gate, type HttpServerOptions, makeServer } from "./application/make-server.js";
export { type MountedRoutes, mountRoutes } from "./application/mount-routes.js";
export type {
  AccessConfig,
  AccessRule,
  AuthenticationConfig,
  RouteAuthentication,
} from "./declaration/authentication.js";
export type {
  BodyParserConfig,
  BodyParserEntry,
  JsonParserOptions,
  MediaTypes,
  MultipartParserOptions,
  RawParserOptions,
  TextParserOptions,
  UrlencodedParserOptions,
} from "./declaration/body-parser.js";
export type { CompressionConfig, CompressionOptions } from "./declaration/compression.js";
export type { BodyView, DeclaredRoute, RouteMethod, RouteOrigin } from "./declaration/declared-route.js";
export type { DocumentedContent, DocumentedResponse, DocumentedSchema, OpenApiConfig } from "./declaration/openapi.js";
export type { QueryParserConfig } from "./declaration/query-parser.js";
export type { RateLimitConfig, RateLimitOptions } from "./declaration/rate-limit.js";
export type { ExperimentalConfig, RouteConfig } from "./declaration/route-config.js";
export type { DocumentedError, DocumentObject, RouteDocumentation } from "./declaration/route-documentation.js";
export type { ExpressHandler, RouteHandler, TypedHandler } from "./declaration/route-handler.js";
export type { UploadsConfig } from "./declaration/uploads.js";
export type { ValidationConfig } from "./declaration/validation.js";
export type { RouteStep } from "./pipeline/route-step.js";
export type { RateLimitStore } from "./rate-limits/fallback-store.js";
export type { RateLimiterOptions } from "./rate-limits/rate-limiter.js";
export { type Caller, callerOf, identityOf, userIdOf } from "./request/caller.js";
export type { PathParams } from "./request/request-path.js";
export { preventStorage } from "./response/prevent-storage.js";
export { sendJson } from "./response/send-json.js";
export {
  type DeclaringVerb,
  type RouteDeclaration,
  ServiceRouter,
  type ServiceRouterConstructor,
} from "./routers/service-router.js";
export { type BodyParserSettings, makeBodyParserStep } from "./steps/body-parser.js";
export { type CompressionSettings, makeCompressionStep } from "./steps/compression.js";
export { makeQueryParserStep, type QueryParserSettings } from "./steps/query-parser.js";
export { makeRateLimitStep, type RateLimitSettings } from "./steps/rate-limit.js";
export { makeValidationStep, type ValidationSettings } from "./steps/validation.js";
export { type FoundRoute, makeRouteTable, type RouteEntry, type RouteTable } from "./table/route-table.js";
export type { DtoClass, OutputOf, Schema, ZodSchema } from "./validation/schema.js";
export type { ValidationResult, Validator } from "./validation/validator.js";
