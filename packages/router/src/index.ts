export type { BoundRoutes, RoutePipeline } from "./bind-routes.js";
export { type Caller, callerOf, identityOf, userIdOf } from "./caller.js";
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
export type { PlainHandler, RouteHandler, TypedHandler } from "./declaration/route-handler.js";
export type { UploadsConfig } from "./declaration/uploads.js";
export type { ValidationConfig } from "./declaration/validation.js";
export { type ErrorHandlerSettings, makeErrorHandler } from "./error-handler.js";
export { makeApp } from "./make-app.js";
export { type Gate, type HttpServerOptions, makeServer } from "./make-server.js";
export { type MountedRoutes, mountRoutes } from "./mount-routes.js";
export type { RateLimitStore } from "./rate-limits/fallback-store.js";
export type { RateLimiterOptions } from "./rate-limits/rate-limiter.js";
export type { PathParams } from "./request-path.js";
export type { RouteStep } from "./route-step.js";
export { type FoundRoute, makeRouteTable, type RouteEntry, type RouteTable } from "./route-table.js";
export { sendJson } from "./send-json.js";
export {
  type DeclaringVerb,
  type RouteDeclaration,
  ServiceRouter,
  type ServiceRouterConstructor,
} from "./service-router.js";
export { type BodyParserSettings, makeBodyParserStep } from "./steps/body-parser.js";
export { type CompressionSettings, makeCompressionStep } from "./steps/compression.js";
export { makeQueryParserStep, type QueryParserSettings } from "./steps/query-parser.js";
export { makeRateLimitStep, type RateLimitSettings } from "./steps/rate-limit.js";
export { makeValidationStep, type ValidationSettings } from "./steps/validation.js";
export type { DtoClass, OutputOf, Schema, ZodSchema } from "./validation/schema.js";
export type { Validator, Verdict } from "./validation/validator.js";
