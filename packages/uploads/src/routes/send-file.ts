import { pipeline } from "node:stream/promises";
import { httpErrors } from "@servicekit/core";
import { findEntityTag, plainEntityTag, readEntityTags, weakTagsMessage } from "@servicekit/router/internal";
import type { Request, Response } from "express";
import { uploadErrors } from "../errors.js";
import { type FileKind, kindOf } from "../files/file-kinds.js";
import { extensionOf } from "../files/file-name.js";
import type { ReportIssue } from "../receiving/upload-session.js";
import type { UploadSettings } from "../settings.js";
import type { ByteRange, FoundFile } from "../storage/file-storage.js";
import { codeOf } from "../storage/storage-error.js";

/** The options of a download. */
export interface SendOptions {
  readonly name: string;
  readonly options: UploadSettings["serverStatic"];
  /** Whether access is restricted. */
  readonly isPrivate: boolean;
  readonly report: ReportIssue;
}

/**
 * Sends a stored file, complete or a range of it, or 304 (contract C34). A file that a browser could run is sent as a
 * download in an opaque origin.
 *
 * @throws {HttpError} 404, 412, 416
 */
export async function sendFile(
  request: Request,
  response: Response,
  file: FoundFile,
  { name, options, isPrivate, report }: SendOptions,
): Promise<void> {
  const { etag, lastModified, acceptRanges } = options;
  if (etag) response.setHeader("ETag", file.etag);
  if (lastModified) response.setHeader("Last-Modified", file.modified.toUTCString());
  checkIfMatch(request, file);
  const kind = kindOf(extensionOf(name));
  setGuards(response, kind, name);
  if (isKnown(request, file, options)) {
    setCacheControl(response, options, isPrivate);
    response.status(304).end();
    return;
  }
  const range = acceptRanges && request.method === "GET" ? readRange(request, file) : undefined;
  const body = request.method === "HEAD" ? undefined : await file.open(range);
  if (body === undefined && request.method !== "HEAD") throw uploadErrors.FileNotFound();

  const isText = /^text\/|json$|xml$/.test(kind.mediaType);
  response.statusCode = range === undefined ? 200 : 206;
  response.setHeader("Content-Type", isText ? `${kind.mediaType}; charset=utf-8` : kind.mediaType);
  if (acceptRanges) response.setHeader("Accept-Ranges", "bytes");
  setCacheControl(response, options, isPrivate);
  if (range !== undefined) response.setHeader("Content-Range", `bytes ${range.start}-${range.end}/${file.size}`);
  response.setHeader("Content-Length", range === undefined ? file.size : range.end - range.start + 1);
  options.setHeaders?.(response, name);
  if (body === undefined) {
    response.end();
    return;
  }
  try {
    await pipeline(body, response);
  } catch (error) {
    // The response has started: it was aborted by the client or by an error that only the log can contain.
    if (codeOf(error) !== "ERR_STREAM_PREMATURE_CLOSE") report(error, "a file could not be sent completely");
  }
}

/**
 * The headers that prevent a file from being run. Also on a 304, whose headers replace those of the stored response
 * (RFC 9111, section 3.2), because the default headers of a service differ.
 */
function setGuards(response: Response, { isInline }: FileKind, name: string): void {
  response.setHeader("X-Content-Type-Options", "nosniff");
  response.setHeader("Cross-Origin-Resource-Policy", "cross-origin");
  if (isInline) return;
  response.setHeader("Content-Disposition", `attachment; filename="${name}"`);
  response.setHeader("Content-Security-Policy", "sandbox; default-src 'none'");
}

function setCacheControl(response: Response, options: UploadSettings["serverStatic"], isPrivate: boolean): void {
  if (!options.cacheControl) return;
  const parts = [isPrivate ? "private" : "public", `max-age=${options.maxAge}`];
  if (options.immutable) parts.push("immutable");
  response.setHeader("Cache-Control", parts.join(", "));
}

/**
 * Whether the client has the current file (RFC 9110, sections 13.1.2 and 13.1.3). Express's `request.fresh` is false
 * for every request with `Cache-Control: no-cache`, as `fetch` sends it.
 */
function isKnown({ headers }: Request, file: FoundFile, options: UploadSettings["serverStatic"]): boolean {
  const known = headers["if-none-match"];
  if (known !== undefined) {
    if (!options.etag) return false;
    const tags = readEntityTags(known);
    return tags !== undefined && findEntityTag(tags, file.etag) !== undefined;
  }
  const since = options.lastModified ? Date.parse(headers["if-modified-since"] ?? "") : Number.NaN;
  // The header has no fractions of a second.
  return since >= Math.floor(file.modified.getTime() / 1000) * 1000;
}

/** RFC 9110, section 13.1.1. */
function checkIfMatch(request: Request, { etag }: FoundFile): void {
  const wanted = request.headers["if-match"];
  const tags = wanted === undefined ? "*" : (readEntityTags(wanted) ?? []);
  if (tags !== "*" && !tags.some((tag) => plainEntityTag(tag) === etag))
    throw httpErrors.PreconditionFailed(weakTagsMessage(tags));
}

/** One range; a request for several gets the complete file, which RFC 9110 (section 14.2) allows. */
function readRange(request: Request, file: FoundFile): ByteRange | undefined {
  const condition = request.headers["if-range"];
  if (condition !== undefined && condition !== file.etag && condition !== file.modified.toUTCString()) return undefined;
  const ranges = request.range(file.size, { combine: true });
  if (ranges === -1) {
    throw uploadErrors.RangeNotSatisfiable(undefined, { headers: { "Content-Range": `bytes */${file.size}` } });
  }
  if (ranges === undefined || ranges === -2 || ranges.type !== "bytes" || ranges.length !== 1) return undefined;
  return ranges[0];
}
