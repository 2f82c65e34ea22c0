import { count, type ShapeOf, size } from "@servicekit/router/settings";
import { z } from "zod";

/** How much one request may ask for (contract C14, C20, C43). */
export interface LimitsConfig {
  /** Bytes of a URL. @default 8192 */
  readonly urlBytes?: number;
  /** Filter terms of a query. @default 100 */
  readonly terms?: number;
  /** Logical groups inside each other. @default 5 */
  readonly groups?: number;
  /** Relations on the way to a field. @default 3 */
  readonly relationHops?: number;
  /** Values of one list. @default 500 */
  readonly listItems?: number;
  /** Keys of one `sort`. @default 5 */
  readonly sortKeys?: number;
  /**
   * What the filter of one query of a generated route may cost: each condition 1, a search in a text 4, times 2 for each
   * relation to one row on the way and times 4 for each to many, plus 2 times the square of the number of joined relations
   * beyond two (contract C59). @default 1000
   */
  readonly filterCost?: number;
  /** A JSON body, in bytes or as a text such as `1mb`; `serverJson.limit` says the same. @default "1mb" */
  readonly body?: number | string;
  /**
   * The JSON that one response of a generated route may have, in bytes or as a text such as `5mb`: a larger read or bulk write
   * is 400 `ResponseTooLarge`. @default "5mb"
   */
  readonly response?: number | string;
  /**
   * How many values a JSON body may hold; `serverJson.values` says the same. Bulk routes take what
   * the items of a bulk may hold besides. @default 10000
   */
  readonly bodyValues?: number;
  /**
   * How slow a client may be: so many bytes a second, over ten seconds of a body that the service waits for (408), and over
   * a minute of an answer that waits to be sent (the connection is closed). @default 500
   */
  readonly bytesPerSecond?: number;
  /** Items of one bulk request. @default 1000 */
  readonly bulkItems?: number;
  /** Rows of a page, when the client does not say and at the most. @default { default: 20, max: 100 } */
  readonly page?: { readonly default?: number; readonly max?: number };
  /**
   * How deep `include` goes, how many rows of each to-many relation it brings, and how many of all together one answer may
   * hold. @default { depth: 3, rows: 100, total: 10000 }
   */
  readonly include?: { readonly depth?: number; readonly rows?: number; readonly total?: number };
}

const page = z.strictObject({ default: count.optional(), max: count.optional() });

const keys: ShapeOf<LimitsConfig> = {
  urlBytes: count.optional(),
  terms: count.optional(),
  groups: count.optional(),
  relationHops: count.optional(),
  listItems: count.optional(),
  sortKeys: count.optional(),
  filterCost: count.optional(),
  body: size.optional(),
  response: size.optional(),
  bodyValues: count.optional(),
  bytesPerSecond: count.optional(),
  bulkItems: count.optional(),
  page: page.optional(),
  include: z.strictObject({ depth: count.optional(), rows: count.optional(), total: count.optional() }).optional(),
};

/** The shape of the block `limits`. */
export const limitsSchema = z.strictObject(keys);
