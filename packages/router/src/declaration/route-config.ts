import type { RouteAuthentication } from "./authentication.js";
import type { BodyParserConfig } from "./body-parser.js";
import type { CompressionConfig } from "./compression.js";
import type { OpenApiConfig } from "./openapi.js";
import type { QueryParserConfig } from "./query-parser.js";
import type { RateLimitConfig } from "./rate-limit.js";
import type { UploadsConfig } from "./uploads.js";
import type { ValidationConfig } from "./validation.js";

/** Experimental keys; extensible by declaration merging. */
export interface ExperimentalConfig {
  readonly uploads?: UploadsConfig;
  readonly openapi?: OpenApiConfig | false;
}

/**
 * The first argument of a declared route. Extensible by declaration merging: a package with a step adds its key here.
 */
export interface RouteConfig {
  /** The path in Express's syntax, such as `/users/:id`. */
  readonly path: string;
  /** When true the route is not registered. */
  readonly disabled?: boolean;
  readonly authentication?: RouteAuthentication;
  readonly validation?: ValidationConfig;
  readonly rateLimit?: RateLimitConfig;
  readonly experimental?: ExperimentalConfig;
  /** `false` leaves `request.query` to Express. */
  readonly queryParser?: QueryParserConfig | false;
  readonly bodyParser?: BodyParserConfig;
  readonly compression?: CompressionConfig;
  /**
   * Whether a request with an `Idempotency-Key` is executed once, and its response replayed (contract C49). @default
   * false
   */
  readonly idempotency?: boolean;
  /** Whether AI agents may call it as a tool if the service has `mcp` (contract C75). @default false */
  readonly mcp?: boolean;
}
