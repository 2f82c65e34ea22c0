import type { FieldFault } from "@servicekit/core";

/** Where a body of an unknown encoding is at fault. */
export const encodingFault: FieldFault = {
  in: "headers",
  path: "/content-encoding",
  code: "UnsupportedMediaType",
  message: "The content encoding of the body is not taken.",
};
