import type { MiddlewaresConfig } from "@servicekit/service";

/** Disables the middleware that the hand-written application does not have: both targets do the same work. */
export const sameMiddlewares = {
  securityHeaders: false,
  requestLogger: false,
  cookieParser: false,
  compression: false,
  rateLimit: false,
} as const satisfies MiddlewaresConfig;
