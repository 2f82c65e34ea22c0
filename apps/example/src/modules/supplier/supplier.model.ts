import type { ModelConfig } from "@servicekit/service";

/** A supplier comes with its logo: a form with a file, whose path is stored; JSON without one is taken as ever. */
const logo = {
  type: "single",
  field: "logo",
  maxSize: 512 * 1024,
  allowedFileTypes: ["png", "jpg", "jpeg", "webp"],
  // A supplier that is there already leaves no file behind.
  deleteOnError: true,
} as const;

export default { uploads: { createOne: logo, updateOne: logo } } satisfies ModelConfig;
