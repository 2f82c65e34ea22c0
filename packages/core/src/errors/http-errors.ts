import { defineErrors } from "./define-errors.js";

/** The errors of HTTP itself (RFC 9110, RFC 6585). Each package also has a table of its own. */
export const httpErrors = defineErrors({
  BadRequest: { status: 400, message: "The request cannot be understood.", place: { in: "body", path: "" } },
  ValidationError: { status: 400, message: "The request is not valid." },
  Unauthorized: { status: 401, message: "Sign in first." },
  Forbidden: { status: 403, message: "You do not have this permission." },
  NotFound: { status: 404, message: "No resource exists at this path." },
  MethodNotAllowed: { status: 405, message: "This path does not support the method." },
  NotAcceptable: {
    status: 406,
    message: "The response is JSON, which the Accept header excludes.",
    place: { in: "headers", path: "/accept" },
  },
  RequestTimeout: { status: 408, message: "The request did not arrive in time." },
  Conflict: { status: 409, message: "The request conflicts with the current state." },
  PreconditionFailed: { status: 412, message: "The resource has changed since it was read." },
  PayloadTooLarge: { status: 413, message: "The request is too large.", place: { in: "body", path: "" } },
  UriTooLong: { status: 414, message: "The URL is too long.", place: { in: "query", path: "" } },
  UnsupportedMediaType: {
    status: 415,
    message: "The body has a media type that this path does not accept.",
    place: { in: "headers", path: "/content-type" },
  },
  UnprocessableContent: { status: 422, message: "The request cannot be processed." },
  TooManyRequests: { status: 429, message: "Too many requests" },
  InternalServerError: { status: 500, message: "Something went wrong on the server." },
  NotImplemented: { status: 501, message: "This is not implemented." },
  ServiceUnavailable: { status: 503, message: "The service is temporarily unavailable." },
  Overloaded: { status: 503, message: "The service is overloaded." },
  GatewayTimeout: { status: 504, message: "The response took too long." },
});
