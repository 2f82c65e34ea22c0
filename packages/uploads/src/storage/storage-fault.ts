import { isHttpError } from "@servicekit/core";
import { uploadErrors } from "../errors.js";

const full: ReadonlySet<unknown> = new Set(["ENOSPC", "EDQUOT", "EFBIG"]);
const away: ReadonlySet<unknown> = new Set([
  ...["EMFILE", "ENFILE", "EAGAIN", "EBUSY", "ENOMEM"],
  // A disk that became read-only or breaks, and a folder of somebody else: no fault of the request.
  ...["EROFS", "EACCES", "EPERM", "EIO", "ENODEV", "ESTALE"],
  // What Node says of a folder that cannot be made where nothing can be written.
  "ENOENT",
]);

/** The answer to a fault of the storage: 507 for a full disk, 503 for what passes or cannot be written; anything else stays a 500. */
export function toStorageFault(error: unknown): unknown {
  if (isHttpError(error)) return error;
  const code = codeOf(error);
  if (full.has(code)) return uploadErrors.InsufficientStorage(undefined, { cause: error });
  if (away.has(code))
    return uploadErrors.StorageUnavailable(undefined, { cause: error, headers: { "Retry-After": "1" } });
  return error;
}

/** The word by which Node and the S3 client tell a fault. */
export function codeOf(error: unknown): unknown {
  return typeof error === "object" && error !== null ? (error as { code?: unknown }).code : undefined;
}
