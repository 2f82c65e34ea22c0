import { findEntityTag, readEntityTags, weakTagsMessage } from "@servicekit/router/internal";
import type { Request, Response } from "express";
import { preconditionFailed } from "../errors.js";
import { readIfMatch } from "./row-tags.js";

/**
 * The tag of a response by the application's setting `etag`: none if it is off. Strong tags of rows remain, because
 * `If-Match` compares them with the row.
 */
function tagBySetting({ app }: Request, tag: string, body: () => string | Buffer): string | undefined {
  const setting: unknown = app.get("etag");
  if (setting === "weak") return tag;
  if (setting === false) return undefined;
  if (!tag.startsWith("W/")) return tag;
  if (typeof setting === "function") return setting(body());
  return setting === "strong" ? tag.slice(2) : tag;
}

/**
 * Sets the `ETag` of a response and evaluates the conditions of a GET or HEAD (contract C16; RFC 9110, 13.2.2).
 *
 * @param own the tag, unless the application sets another one
 * @param body the response
 * @returns whether the client has this response: 304 was sent
 * @throws {HttpError} 412 if `If-Match` has other tags
 */
export function respondsNotModified(
  request: Request,
  response: Response,
  own: string,
  body: () => string | Buffer,
): boolean {
  const tag = tagBySetting(request, own, body);
  if (tag === undefined) return false;
  response.setHeader("ETag", tag);
  const { headers, method } = request;
  if (method !== "GET" && method !== "HEAD") return false;
  const match = readIfMatch(headers["if-match"]);
  if (match !== undefined && match !== "*") {
    const isSame =
      !tag.startsWith("W/") &&
      findEntityTag(
        match.filter((given) => given.startsWith('"')),
        tag,
      ) !== undefined;
    if (!isSame) throw preconditionFailed("/if-match", weakTagsMessage(match));
  }
  const given = headers["if-none-match"];
  const noneMatch = given === undefined ? undefined : readEntityTags(given);
  const known = noneMatch === undefined ? undefined : findEntityTag(noneMatch, tag);
  if (known === undefined) return false;
  // The client's own spelling contains the coding of its bytes.
  response.setHeader("ETag", tag.startsWith("W/") ? tag : known.replace(/^W\//, ""));
  response.vary("Accept-Encoding");
  response.statusCode = 304;
  response.end();
  return true;
}
