import { isHttpError } from "@servicekit/core";
import { fromJsonPointer } from "@servicekit/core/internal";
import type { UniqueKey } from "@servicekit/prisma";

/** How often rows are looked up again because another request created or deleted them before the write. */
export const maxAttempts = 10;

/**
 * Whether a write failed because another request created or deleted a row after it was looked up.
 *
 * @param key the key of the lookup; another unique key with the same values is an error of the client
 */
export function isRace(error: unknown, { fields }: UniqueKey): boolean {
  if (!isHttpError(error)) return false;
  if (error.code === "NotFound") return true;
  const names = new Set(fields.map(({ name }) => name));
  const isOfKey = (path: string): boolean => path !== "" && names.has(fromJsonPointer(path).at(-1) ?? "");
  return error.code === "UniqueConstraint" && error.errors?.every(({ path }) => isOfKey(path)) === true;
}
