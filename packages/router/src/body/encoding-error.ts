import type { ValidationIssue } from "@servicekit/core";

/** The place of an unsupported content encoding. */
export const encodingError: ValidationIssue = {
  in: "headers",
  path: "/content-encoding",
  code: "UnsupportedMediaType",
  message: "The content encoding of the body is not supported.",
};
