import type { Request } from "express";

/** The last segment of the path as the client sent it, still percent-encoded (contract C7). */
export function rawLastSegment(request: Request): string {
  const path = request.url.split("?", 1)[0] ?? "";
  const trimmed = path.endsWith("/") ? path.slice(0, -1) : path;
  return trimmed.slice(trimmed.lastIndexOf("/") + 1);
}

/**
 * The segment with the key of a row.
 *
 * @param suffix that of the route, such as `/:id/restore`
 */
export function rawKey(request: Request, suffix: string): string {
  if (!suffix.startsWith("/:id/")) return rawLastSegment(request);
  const path = request.url.split("?", 1)[0] ?? "";
  const segments = (path.endsWith("/") ? path.slice(0, -1) : path).split("/");
  return segments.at(1 - suffix.split("/").length) ?? "";
}

/** The query of the request as the client sent it, without the question mark. */
export function rawSearch(request: Request): string {
  const at = request.url.indexOf("?");
  return at === -1 ? "" : request.url.slice(at + 1);
}
