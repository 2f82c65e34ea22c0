import type { MiddlewaresConfig } from "@servicekit/service";

/** Leaves out of the service what the application by hand has not: both sides do the same work. */
export const sameMiddlewares = {
  securityHeaders: false,
  requestLogger: false,
  cookieParser: false,
  compression: false,
  rateLimit: false,
} as const satisfies MiddlewaresConfig;
