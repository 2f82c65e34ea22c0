/** What stands in `If-Match` or `If-None-Match`: any representation, or these tags. */
export type EntityTags = "*" | readonly string[];

/**
 * Reads a list of entity tags (RFC 9110, 8.8.3).
 *
 * @returns `undefined` when the text is none
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
 * Why `If-Match` fails whatever the resource is: it compares strongly (RFC 9110, 13.1.1), and all given tags are weak.
 *
 * @returns `undefined` when one of them is strong
 */
export function weakTagsMessage(tags: EntityTags): string | undefined {
  if (tags === "*" || tags.length === 0 || tags.some((tag) => tag.startsWith('"'))) return undefined;
  return 'If-Match needs a strong tag; W/"…" is weak. A read with fields or include has a weak tag, and a proxy that compresses makes every tag weak: read the whole resource with Accept-Encoding: identity.';
}

/** The tag that the compression has not touched yet: it marks the coding at the end of a strong one. */
export const plainEntityTag = (tag: string): string => tag.replace(/-(?:gzip|br|deflate|zstd)"$/, '"');

/**
 * The first of the tags that is this one or its weak twin (RFC 9110, 8.8.3.2), as it was given: what `If-None-Match` asks.
 *
 * @returns this tag itself for `*`, `undefined` when none is
 */
export function findEntityTag(tags: EntityTags, tag: string): string | undefined {
  if (tags === "*") return tag;
  const opaque = (whole: string): string => whole.replace(/^W\//, "");
  const wanted = opaque(tag);
  return tags.find((given) => opaque(given) === wanted || plainEntityTag(opaque(given)) === wanted);
}
