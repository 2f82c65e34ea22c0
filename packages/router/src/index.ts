export { isAnswerEnded, noteEnd } from "./answer-ended.js";
export { type BoundRoutes, bindRoutes, type RoutePipeline } from "./bind-routes.js";
export { toHttpError } from "./body/foreign-errors.js";
export { handOnLongNumbers, roundedNumbers } from "./body/rounded-numbers.js";
export { scanJson } from "./body/scan-json.js";
export { type Caller, callerOf, identityOf, setCaller, userIdOf } from "./caller.js";
export { checkRouteConfig, routeName } from "./check-route-config.js";
export { checkRoutes, declarationFaults } from "./check-routes.js";
export { addressOf, clientAddress, clientNetwork } from "./client-address.js";
export { closeMethods } from "./close-methods.js";
export { composeHandlers } from "./compose-handlers.js";
export {
  type AccessConfig,
  type AccessRule,
  type AuthenticationConfig,
  type RouteAuthentication,
  requiredAuthentication,
  toAccessRule,
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
export {
  type BodyView,
  type DeclaredRoute,
  declaredKeys,
  declaredValue,
  type RouteMethod,
  type RouteOrigin,
} from "./declaration/declared-route.js";
export type {
  DocumentedContent,
  DocumentedResponse,
  DocumentedSchema,
  OpenApiConfig,
} from "./declaration/openapi.js";
export {
  type OperationAccess,
  type OperationRight,
  type OperationRights,
  type RowFilter,
  type RowRights,
  type RowRule,
  toAuthentication,
} from "./declaration/operation-access.js";
export type { ParamsOf } from "./declaration/params-of.js";
export type { QueryParserConfig } from "./declaration/query-parser.js";
export type { RateLimitConfig, RateLimitOptions } from "./declaration/rate-limit.js";
export type { ExperimentalConfig, RouteConfig } from "./declaration/route-config.js";
export type { DocumentedError, DocumentObject, RouteDocumentation } from "./declaration/route-documentation.js";
export type { PlainHandler, RouteHandler, TypedHandler } from "./declaration/route-handler.js";
export type { UploadsConfig } from "./declaration/uploads.js";
export type { ValidationConfig } from "./declaration/validation.js";
export { callerPlace } from "./declaration-place.js";
export { declareRoute, type RouteInput } from "./declare-route.js";
export { type HandlerRole, markRole } from "./direct-dispatch.js";
export { type EntityTags, findEntityTag, plainEntityTag, readEntityTags, weakTagsMessage } from "./entity-tags.js";
export { type ErrorHandlerSettings, makeErrorHandler } from "./error-handler.js";
export { type HeldStoreOptions, heldStore, type RateLimitStore } from "./held-store.js";
export { hookHandlers, type LogFault } from "./hook-handlers.js";
export { type HostRequests, watchHost } from "./host-requests.js";
export { type JsonFormat, jsonFormatOf, toJsonText } from "./json-format.js";
export { type ConstantHeaders, headersAtOnce, knownHeader } from "./known-headers.js";
export { makeApp } from "./make-app.js";
export { type Gate, type HttpServerOptions, makeServer } from "./make-server.js";
export { type MountedRoutes, mountRoutes } from "./mount-routes.js";
export type { MayEnter } from "./nearest-path.js";
export { type IsForeign, makeIsForeign, makeNotFound, type NotFoundOptions } from "./not-found.js";
export { makeRateLimiter, type RateLimiterOptions } from "./rate-limiter.js";
export { matchOf, type RouteMatch } from "./request-match.js";
export type { PathParams } from "./request-path.js";
export { setQuery } from "./request-query.js";
export type { RouteStep } from "./route-step.js";
export { type FoundRoute, makeRouteTable, type RouteEntry, type RouteTable } from "./route-table.js";
export { sendJson, sendJsonBytes, sendText } from "./send-json.js";
export { sendRefusal } from "./send-refusal.js";
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
export { unmountedRoutes } from "./unmounted-routers.js";
export { checkDtoClass } from "./validation/class-validator.js";
export { makeValidator } from "./validation/make-validator.js";
export {
  type DtoClass,
  isDtoClass,
  isZodSchema,
  type OutputOf,
  type Schema,
  type ZodSchema,
} from "./validation/schema.js";
export { schemaKeys } from "./validation/schema-keys.js";
export type { Validator, Verdict } from "./validation/validator.js";
export { checkedAtOnce } from "./validation/zod.js";
