import type { ModelConfig } from "@servicekit/service";

/**
 * A supplier can be created with its logo: a form with a file, whose path is stored; JSON without a file still works.
 */
const logo = {
  type: "single",
  field: "logo",
  maxSize: 512 * 1024,
  allowedFileTypes: ["png", "jpg", "jpeg", "webp"],
  // A duplicate supplier leaves no file behind.
  deleteOnError: true,
} as const;

export default { uploads: { createOne: logo, updateOne: logo } } satisfies ModelConfig;
