/** The value of `If-Match` or `If-None-Match`: any representation, or these tags. */
export type EntityTags = "*" | readonly string[];

/**
 * Parses a list of entity tags (RFC 9110, 8.8.3).
 *
 * @returns `undefined` if the text is invalid
 */
export function readEntityTags(text: string): EntityTags | undefined {
  if (text.trim() === "*") return "*";
  const tags: string[] = [];
  const item = /[\t ]*(?:((?:W\/)?"[\x21\x23-\x7e\x80-\xff]*")[\t ]*)?(,|$)/y;
  for (let isOpen = true; isOpen; ) {
    const match = item.exec(text);
    if (match === null) return undefined;
    if (match[1] !== undefined) tags.push(match[1]);
    isOpen = match[2] === ",";
  }
  return tags.length === 0 ? undefined : tags;
}

/**
 * Why `If-Match` fails for any resource: it compares strongly (RFC 9110, 13.1.1), and all given tags are weak.
 *
 * @returns `undefined` if one of them is strong
 */
export function weakTagsMessage(tags: EntityTags): string | undefined {
  if (tags === "*" || tags.length === 0 || tags.some((tag) => tag.startsWith('"'))) return undefined;
  return 'If-Match requires a strong tag; W/"…" is weak. Reads with fields or include have a weak tag, and a proxy that compresses makes every tag weak. Read the full resource with Accept-Encoding: identity.';
}

/** The tag without the suffix that the compression adds to a strong one. */
export const plainEntityTag = (tag: string): string => tag.replace(/-(?:gzip|br|deflate|zstd)"$/, '"');

/**
 * The first of the tags that equals this one weakly (RFC 9110, 8.8.3.2), as it was given: the comparison of
 * `If-None-Match`.
 *
 * @returns this tag itself for `*`, `undefined` if none matches
 */
export function findEntityTag(tags: EntityTags, tag: string): string | undefined {
  if (tags === "*") return tag;
  const opaque = (value: string): string => value.replace(/^W\//, "");
  const wanted = opaque(tag);
  return tags.find((given) => opaque(given) === wanted || plainEntityTag(opaque(given)) === wanted);
}
