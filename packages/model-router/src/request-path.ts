import type { Request } from "express";

/** The last segment of the path as the client sent it, still percent-encoded (contract C7). */
export function rawLastSegment(request: Request): string {
  const path = request.url.split("?", 1)[0] ?? "";
  const trimmed = path.endsWith("/") ? path.slice(0, -1) : path;
  return trimmed.slice(trimmed.lastIndexOf("/") + 1);
}

/** The query of the request as the client sent it, without the question mark. */
export function rawSearch(request: Request): string {
  const at = request.url.indexOf("?");
  return at === -1 ? "" : request.url.slice(at + 1);
}
