import { findEntityTag, readEntityTags, weakTagsMessage } from "@servicekit/router/internal";
import type { Request, Response } from "express";
import { preconditionFailed } from "../errors.js";
import { readIfMatch } from "./tags.js";

/**
 * The tag of an answer by the setting `etag` of the application: none where it is off. Strong tags of rows stay as they
 * are, because `If-Match` compares them with the row.
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
 * Sets the `ETag` of an answer and holds the conditions of a GET or HEAD against it (contract C16; RFC 9110, 13.2.2).
 *
 * @param own the tag, unless the application sets another one
 * @param body what is sent
 * @returns whether the client has this answer already: 304 was sent
 * @throws {HttpError} 412 when `If-Match` names other tags
 */
export function answersNotModified(
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
  // The client's own spelling says which coding of the bytes it has.
  response.setHeader("ETag", tag.startsWith("W/") ? tag : known.replace(/^W\//, ""));
  response.vary("Accept-Encoding");
  response.statusCode = 304;
  response.end();
  return true;
}
