import { createHash } from "node:crypto";
import { httpErrors } from "@servicekit/errors";
import type { Resource, Row } from "@servicekit/resource";

/**
 * The strong tag of one row as its caller sees it (contract C16): of the JSON of its visible fields, and where the bytes
 * that are sent differ from that, since a hook has added to the row, of those bytes too. The first part is what
 * `If-Match` is held against: no hook runs under a lock.
 *
 * @param shown what the answer shows of the row
 * @param text the whole answer
 * @param names the fields that this caller sees, in the order of the schema
 * @returns `undefined` when a field is missing: the answer shows less than the row
 */
export function rowTag(shown: Row, text: string, names: readonly string[]): string | undefined {
  const own: Record<string, unknown> = {};
  for (const name of names) {
    if (!Object.hasOwn(shown, name)) return undefined;
    own[name] = shown[name];
  }
  const plain = JSON.stringify({ data: own });
  return plain === text ? `"${digest(plain)}"` : `"${digest(plain)}.${digest(text)}"`;
}

/** The weak tag of any other answer. */
export const weakTag = (text: string): string => `W/"${digest(text)}"`;

const digest = (text: string): string => createHash("sha1").update(text).digest("base64url");

/** The fields of a row that are seen, in the order of the schema. */
export const shownNames = (own: Resource): readonly string[] => [...own.shown.findOne.fields.keys()];

/** What stands in `If-Match` or `If-None-Match`: any representation, or these tags. */
export type TagList = "*" | readonly string[];

/**
 * Reads a list of entity tags (RFC 9110, 8.8.3).
 *
 * @returns `undefined` when the text is none
 */
export function readTags(text: string): TagList | undefined {
  if (text.trim() === "*") return "*";
  const tags: string[] = [];
  const item = /[\t ]*((?:W\/)?"[\x21\x23-\x7e\x80-\xff]*")?[\t ]*(,|$)/y;
  for (let isOpen = true; isOpen; ) {
    const match = item.exec(text);
    if (match === null) return undefined;
    if (match[1] !== undefined) tags.push(match[1]);
    isOpen = match[2] === ",";
  }
  return tags.length === 0 ? undefined : tags;
}

/**
 * Reads `If-Match`. A write whose condition cannot be understood must not be done.
 *
 * @returns `undefined` when the request has none
 * @throws {HttpError} 400 for a malformed one
 */
export function readIfMatch(text: string | undefined): TagList | undefined {
  if (text === undefined) return undefined;
  const tags = readTags(text);
  if (tags !== undefined) return tags;
  const message = 'If-Match takes tags in double quotes, as ETag gives them, or *: "abc", "def".';
  const fault = { in: "headers", path: "/if-match", code: "InvalidValue", message } as const;
  throw httpErrors.ValidationError(message, { errors: [fault] });
}

/** The tag that the compression has not touched yet: it marks the coding at the end of a strong one. */
const plainTag = (tag: string): string => tag.replace(/-(?:gzip|br|deflate|zstd)"$/, '"');

/**
 * The first of the tags that is this one or its weak twin (RFC 9110, 8.8.3.2), as it was given: what `If-None-Match` asks.
 *
 * @returns this tag itself for `*`, `undefined` when none is
 */
export function findWeakly(tags: TagList, tag: string): string | undefined {
  if (tags === "*") return tag;
  const opaque = (whole: string): string => whole.replace(/^W\//, "");
  const wanted = opaque(tag);
  return tags.find((given) => opaque(given) === wanted || plainTag(opaque(given)) === wanted);
}

/** Whether one of the tags is strong and of the same row: what `If-Match` asks. */
export function matchesRow(tags: TagList, tag: string): boolean {
  if (tags === "*") return true;
  const wanted = rowPart(tag);
  return tags.some(
    (given) => given.startsWith('"') && (rowPart(given) === wanted || rowPart(plainTag(given)) === wanted),
  );
}

/** A tag without what it says of the bytes. */
const rowPart = (tag: string): string => tag.replace(/\.[^".]*"$/, '"');
