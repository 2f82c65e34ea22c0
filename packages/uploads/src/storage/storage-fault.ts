import { isHttpError } from "@servicekit/errors";
import { uploadErrors } from "../errors.js";

const full: ReadonlySet<unknown> = new Set(["ENOSPC", "EDQUOT", "EFBIG"]);
const busy: ReadonlySet<unknown> = new Set(["EMFILE", "ENFILE", "EAGAIN", "EBUSY", "ENOMEM"]);

/** The answer to a fault of the storage: 507 for a full disk, 503 for what passes; anything else stays a 500. */
export function toStorageFault(error: unknown): unknown {
  if (isHttpError(error)) return error;
  const code = codeOf(error);
  if (full.has(code)) return uploadErrors.InsufficientStorage(undefined, { cause: error });
  if (busy.has(code))
    return uploadErrors.StorageUnavailable(undefined, { cause: error, headers: { "Retry-After": "1" } });
  return error;
}

/** The word by which Node and the S3 client tell a fault. */
export function codeOf(error: unknown): unknown {
  return typeof error === "object" && error !== null ? (error as { code?: unknown }).code : undefined;
}
