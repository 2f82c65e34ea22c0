import { isHttpError } from "@servicekit/core";
import { uploadErrors } from "../errors.js";

const full: ReadonlySet<unknown> = new Set(["ENOSPC", "EDQUOT", "EFBIG"]);
const away: ReadonlySet<unknown> = new Set([
  ...["EMFILE", "ENFILE", "EAGAIN", "EBUSY", "ENOMEM"],
  // A disk that became read-only or fails, and a folder without permission: not an error of the request.
  ...["EROFS", "EACCES", "EPERM", "EIO", "ENODEV", "ESTALE"],
  // Node's error for a folder that cannot be created on a read-only disk.
  "ENOENT",
]);

/**
 * The response to an error of the storage: 507 for a full disk, 503 for a temporary or read-only one; anything else
 * stays a 500.
 */
export function toStorageError(error: unknown): unknown {
  if (isHttpError(error)) return error;
  const code = codeOf(error);
  if (full.has(code)) return uploadErrors.InsufficientStorage(undefined, { cause: error });
  if (away.has(code))
    return uploadErrors.StorageUnavailable(undefined, { cause: error, headers: { "Retry-After": "1" } });
  return error;
}

/** The error code of Node or the S3 client. */
export function codeOf(error: unknown): unknown {
  return typeof error === "object" && error !== null ? (error as { code?: unknown }).code : undefined;
}
