import { createHash } from "node:crypto";
import type { Model } from "@servicekit/prisma";

/** The names under which a CDN removes cached responses. */
export interface SurrogateKeys {
  /** Of lists and aggregates, and of responses with rows of the model as related rows: `product`. */
  readonly list: string;
  /** Of one row: `product/1`. */
  readonly row: string;
}

/** The maximum length of a key; CDNs limit it to 1024. */
const maxCharacters = 256;

/**
 * The surrogate keys of a row (contract C124).
 *
 * @param key the key of the row, as in its path and in its recorded changes
 */
export function surrogateKeys({ resource }: Pick<Model, "resource">, key: string): SurrogateKeys {
  const isLong = resource.length + 1 + key.length > maxCharacters;
  // Commas separate the keys of Cache-Tag.
  const text = isLong ? `~${createHash("sha256").update(key).digest("base64url")}` : key.replaceAll(",", "/");
  return { list: resource, row: `${resource}/${text}` };
}
