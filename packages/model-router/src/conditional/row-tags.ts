import { createHash, hash } from "node:crypto";
import { httpErrors } from "@servicekit/core";
import { inSlices } from "@servicekit/core/internal";
import { withExactNumbers } from "@servicekit/prisma/internal";
import { type EntityTags, plainEntityTag, readEntityTags } from "@servicekit/router/internal";
import type { Resource } from "../resource/resource.js";
import type { Row } from "../resource/values/to-json.js";

/**
 * The strong tag of one row in its caller's view (contract C16): of the JSON of its visible fields, and of the sent
 * bytes if they differ, because a hook has changed the row. `If-Match` compares only the first part, because no hook
 * runs under a lock.
 *
 * @param shown the row in the response
 * @param text the complete response
 * @param names the fields that this caller may see, in the order of the schema
 * @returns `undefined` if a field is missing: the response contains less than the row
 */
export function rowTag(shown: Row, text: string, names: readonly string[]): string | undefined {
  const own: Record<string, unknown> = {};
  for (const name of names) {
    if (!Object.hasOwn(shown, name)) return undefined;
    own[name] = shown[name];
  }
  const plain = withExactNumbers(JSON.stringify({ data: own }));
  return plain === text ? textTag(text) : `"${digest(plain)}.${digest(text)}"`;
}

/** The same if the complete response is known to be the row, and nothing else. */
export const textTag = (text: string): string => `"${digest(text)}"`;

/** The weak tag of any other response. */
export const weakTag = (text: string): string => `W/"${digest(text)}"`;

/** The same for the bytes of a text. */
export const weakTagOfBytes = async (pieces: readonly Uint8Array[]): Promise<string> =>
  `W/${await strongTagOfBytes(pieces)}`;

/** {@link textTag} for the bytes of a text, which may be long: computed in slices. */
export async function strongTagOfBytes(pieces: readonly Uint8Array[]): Promise<string> {
  const digest = createHash("sha1");
  await inSlices(slicesOf(pieces), (slice) => digest.update(slice));
  return `"${digest.digest("base64url")}"`;
}

const sliceBytes = 1024 * 1024;

function* slicesOf(pieces: readonly Uint8Array[]): Generator<Uint8Array, void, undefined> {
  for (const piece of pieces)
    for (let start = 0; start < piece.length; start += sliceBytes) yield piece.subarray(start, start + sliceBytes);
}

const digest = (text: string): string => hash("sha1", text, "base64url");

/** The visible fields of a row, in the order of responses. */
export const shownNames = (own: Resource): readonly string[] => [...own.shown.findOne.names];

/**
 * Parses `If-Match`. A write with an invalid condition must not be executed.
 *
 * @returns `undefined` if the request has none
 * @throws {HttpError} 400 for a malformed one
 */
export function readIfMatch(text: string | undefined): EntityTags | undefined {
  if (text === undefined) return undefined;
  const tags = readEntityTags(text);
  if (tags !== undefined) return tags;
  const message = 'If-Match takes tags in double quotes, as in ETag, or *: "abc", "def".';
  const issue = { in: "headers", path: "/if-match", code: "InvalidValue", message } as const;
  throw httpErrors.ValidationError(message, { errors: [issue] });
}

/** Whether one of the tags is strong and of the same row: the condition of `If-Match`. */
export function matchesRow(tags: EntityTags, tag: string): boolean {
  if (tags === "*") return true;
  const wanted = rowPart(tag);
  return tags.some(
    (given) => given.startsWith('"') && (rowPart(given) === wanted || rowPart(plainEntityTag(given)) === wanted),
  );
}

/** A tag without its part about the bytes. */
const rowPart = (tag: string): string => tag.replace(/\.[^".]*"$/, '"');
