// Used only by other packages of this repository. Unstable: it changes without a major version.

export { bindRoutes } from "./application/bind-routes.js";
export { watchHost } from "./application/host-requests.js";
export { makeIdleServer, serveApp } from "./application/make-server.js";
export { type IsForeignRouter, makeIsForeignRouter, makeNotFound } from "./application/not-found.js";
export { fieldPointer, formErrors } from "./body/form-errors.js";
export { type JsonTextReader, makeJsonTextReader } from "./body/json-text-reader.js";
export { type FormReader, type IncomingFile, makeFormReader } from "./body/read-form.js";
export { readJsonLines } from "./body/read-json-lines.js";
export { passLongNumbers, roundedNumbers } from "./body/rounded-numbers.js";
export { scanJson } from "./body/scan-json.js";
export { requiredAuthentication, toAccessRule } from "./declaration/authentication.js";
export { routeName } from "./declaration/check-route-config.js";
export { type BodyFormat, declaredValue } from "./declaration/declared-route.js";
export {
  type OperationAccess,
  type OperationRight,
  type OperationRights,
  type RowFilter,
  type RowRights,
  type RowRule,
  toAuthentication,
} from "./declaration/operation-access.js";
export { composeHandlers } from "./pipeline/compose-handlers.js";
export { hookHandlers, type LogError } from "./pipeline/hook-handlers.js";
export { matchOf, type RouteMatch } from "./pipeline/request-match.js";
export { BoundedMemoryStore } from "./rate-limits/bounded-memory-store.js";
export { withFallback } from "./rate-limits/fallback-store.js";
export { makeRateLimiter } from "./rate-limits/rate-limiter.js";
export { accountIdOf, setCaller } from "./request/caller.js";
export { addressOf, clientAddress, clientNetwork } from "./request/client-address.js";
export {
  type EntityTags,
  findEntityTag,
  plainEntityTag,
  readEntityTags,
  weakTagsMessage,
} from "./request/entity-tags.js";
export { type PlaceIssues, setIssuePlaces } from "./request/issue-places.js";
export { preferredType } from "./request/preferred-type.js";
export { readCookie } from "./request/read-cookie.js";
export { setQuery } from "./request/request-query.js";
export { jsonFormatOf, toJsonText } from "./response/json-format.js";
export { isStoragePrevented } from "./response/prevent-storage.js";
export { isResponseEnded, recordEnd } from "./response/response-ended.js";
export { sendJsonBytes, sendText } from "./response/send-json.js";
export { sendRejection } from "./response/send-rejection.js";
export { acceptsEvents, recordedStatus, sendStreamRetry } from "./response/stream-retry.js";
export { declarationIssues } from "./routers/check-routes.js";
export { declareRoute } from "./routers/declare-route.js";
export { hiddenBodyParserIssues, mayHideRouters, unboundBodyParser } from "./routers/hidden-routes.js";
export { joinRouters, type MountedRouter } from "./routers/join-routers.js";
export { defaultJsonValues } from "./steps/make-body-parser.js";
export { closeMethods } from "./table/close-methods.js";
export { unmountedRoutes } from "./table/unmounted-routers.js";
export { checkDtoClass } from "./validation/class-validator.js";
export { makeValidator } from "./validation/make-validator.js";
export { rejection } from "./validation/rejection.js";
export { isDtoClass, isZodSchema } from "./validation/schema.js";
export { schemaKeys } from "./validation/schema-keys.js";
export { checkedSynchronously } from "./validation/zod.js";
