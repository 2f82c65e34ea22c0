// What only other packages of this repository use. Unstable: it changes without a major version.
export { isAnswerEnded, noteEnd } from "./answer-ended.js";
export { bindRoutes } from "./bind-routes.js";
export { fieldPointer, formErrors } from "./body/form-errors.js";
export { type FormReader, type IncomingFile, makeFormReader } from "./body/read-form.js";
export { handOnLongNumbers, roundedNumbers } from "./body/rounded-numbers.js";
export { scanJson } from "./body/scan-json.js";
export { setCaller } from "./caller.js";
export { routeName } from "./check-route-config.js";
export { declarationFaults } from "./check-routes.js";
export { addressOf, clientAddress, clientNetwork } from "./client-address.js";
export { closeMethods } from "./close-methods.js";
export { composeHandlers } from "./compose-handlers.js";
export { requiredAuthentication, toAccessRule } from "./declaration/authentication.js";
export { declaredValue } from "./declaration/declared-route.js";
export {
  type OperationAccess,
  type OperationRight,
  type OperationRights,
  type RowFilter,
  type RowRights,
  type RowRule,
  toAuthentication,
} from "./declaration/operation-access.js";
export { declareRoute } from "./declare-route.js";
export { type EntityTags, findEntityTag, plainEntityTag, readEntityTags, weakTagsMessage } from "./entity-tags.js";
export { hookHandlers, type LogFault } from "./hook-handlers.js";
export { watchHost } from "./host-requests.js";
export { joinRouters, type MountedRouter } from "./join-routers.js";
export { jsonFormatOf, toJsonText } from "./json-format.js";
export { makeIsForeign, makeNotFound } from "./not-found.js";
export { BoundedMemoryStore } from "./rate-limits/bounded-memory-store.js";
export { withFallback } from "./rate-limits/fallback-store.js";
export { makeRateLimiter } from "./rate-limits/rate-limiter.js";
export { matchOf, type RouteMatch } from "./request-match.js";
export { setQuery } from "./request-query.js";
export { sendJsonBytes, sendText } from "./send-json.js";
export { sendRefusal } from "./send-refusal.js";
export { unmountedRoutes } from "./unmounted-routers.js";
export { checkDtoClass } from "./validation/class-validator.js";
export { makeValidator } from "./validation/make-validator.js";
export { isDtoClass, isZodSchema } from "./validation/schema.js";
export { schemaKeys } from "./validation/schema-keys.js";
export { checkedAtOnce } from "./validation/zod.js";
