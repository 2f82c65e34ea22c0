import { defineErrors } from "./define-errors.js";

/** The errors that belong to HTTP itself (RFC 9110, RFC 6585); each package has a table of its own besides. */
export const httpErrors = defineErrors({
  BadRequest: { status: 400, message: "The request cannot be understood.", place: { in: "body", path: "" } },
  ValidationError: { status: 400, message: "The request is not valid." },
  Unauthorized: { status: 401, message: "Sign in first." },
  Forbidden: { status: 403, message: "You may not do this." },
  NotFound: { status: 404, message: "There is nothing here." },
  MethodNotAllowed: { status: 405, message: "This path does not take this method." },
  NotAcceptable: {
    status: 406,
    message: "The answer is JSON, which the Accept header excludes.",
    place: { in: "headers", path: "/accept" },
  },
  RequestTimeout: { status: 408, message: "The request did not arrive in time." },
  Conflict: { status: 409, message: "The request conflicts with the present state." },
  PreconditionFailed: { status: 412, message: "The resource has changed since." },
  PayloadTooLarge: { status: 413, message: "The request is too large.", place: { in: "body", path: "" } },
  UriTooLong: { status: 414, message: "The URL is too long.", place: { in: "query", path: "" } },
  UnsupportedMediaType: {
    status: 415,
    message: "The body is in a format that this path does not take.",
    place: { in: "headers", path: "/content-type" },
  },
  UnprocessableContent: { status: 422, message: "The request cannot be carried out." },
  TooManyRequests: { status: 429, message: "Too many requests" },
  InternalServerError: { status: 500, message: "Something went wrong on the server." },
  NotImplemented: { status: 501, message: "This is not implemented." },
  ServiceUnavailable: { status: 503, message: "The service is not available at the moment." },
  Overloaded: { status: 503, message: "The service has more to do than it can." },
  GatewayTimeout: { status: 504, message: "The answer took too long." },
});
