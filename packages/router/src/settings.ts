// The schemas of this package's options, for the validation of a configuration; imports only zod.
export { toBytes } from "./body/to-bytes.js";
export { accessRuleSchema, authenticationSchema } from "./declaration/authentication.js";
export { bodyParserSchema, jsonParserSchema } from "./declaration/body-parser.js";
export { compressionSchema } from "./declaration/compression.js";
export { operationRightsSchema, rowRightsSchema } from "./declaration/operation-access.js";
export {
  byName,
  count,
  handler,
  hook,
  milliseconds,
  router,
  type ShapeOf,
  size,
  text,
} from "./declaration/option-values.js";
export { queryParserSchema } from "./declaration/query-parser.js";
export {
  type RateLimitOptions,
  rateLimitSchema,
  readRateLimit,
  routeRateLimitSchema,
} from "./declaration/rate-limit.js";
export { imageSchema, uploadsSchema } from "./declaration/uploads.js";
export { schemaValue } from "./declaration/validation.js";
export { validationOptionsSchemas } from "./declaration/validation-options.js";
