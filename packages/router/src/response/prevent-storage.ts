import type { ServerResponse } from "node:http";

const preventedKey = Symbol("servicekit.storagePrevented");

type Prevented = ServerResponse & { [preventedKey]?: boolean };

/**
 * Prevents that a response is stored, because it contains a secret: by caches (`Cache-Control: no-store`), and for the
 * `Idempotency-Key` of its request (contract C49). Call it before the response is sent.
 */
export function preventStorage(response: ServerResponse): void {
  response.setHeader("Cache-Control", "no-store");
  (response as Prevented)[preventedKey] = true;
}

/** Whether {@link preventStorage} was called. */
export const isStoragePrevented = (response: ServerResponse): boolean => (response as Prevented)[preventedKey] === true;
