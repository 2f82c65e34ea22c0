import type { ConfigObject } from "@servicekit/config-loader";
import type { StartupIssue } from "@servicekit/core";
import { isPlainObject } from "@servicekit/core/internal";
import { defaultModelRouterSettings } from "@servicekit/model-router";
import { count, type ShapeOf, size } from "@servicekit/router/settings";
import { z } from "zod";

/** The size limits of one request (contract C14, C20, C43). */
export interface LimitsConfig {
  /** Bytes of a URL. @default 8192 */
  readonly urlBytes?: number;
  /** Filter terms of a query. @default 100 */
  readonly terms?: number;
  /** Nested logical groups. @default 5 */
  readonly groups?: number;
  /** Relations on the path to a field. @default 3 */
  readonly relationHops?: number;
  /** Values of one list. @default 500 */
  readonly listItems?: number;
  /** Keys of one `sort`. @default 5 */
  readonly sortKeys?: number;
  /**
   * Maximum cost of the filter of one query of a generated route: each condition 1, a text search 4, times 2 for each
   * to-one relation on the path and times 4 for each to-many relation, plus 2 times the square of the number of joined
   * relations beyond two (contract C59). @default 1000
   */
  readonly filterCost?: number;
  /** A JSON body, in bytes or as a string such as `1mb`; the same as `serverJson.limit`. @default "1mb" */
  readonly body?: number | string;
  /**
   * Maximum size of the JSON response of a generated route, in bytes or as a string such as `5mb`: a larger read or
   * bulk write is 400 `ResponseTooLarge`. @default "5mb"
   */
  readonly response?: number | string;
  /**
   * Maximum number of values in a JSON body; the same as `serverJson.values`. Bulk routes also accept what the maximum
   * number of items may contain. @default 10000
   */
  readonly bodyValues?: number;
  /**
   * Minimum rate of a client in bytes per second, over ten seconds of a body that the service waits for (408), and over
   * a minute of a queued response (the connection is closed). @default 500
   */
  readonly bytesPerSecond?: number;
  /** Items of one bulk request. @default 1000 */
  readonly bulkItems?: number;
  /** Rows of one export of a model with `export: true` (contract C104). @default 100000 */
  readonly exportRows?: number;
  /** Open event streams of a process (contract C111): further ones are 503. @default 2000 */
  readonly eventStreams?: number;
  /** The same of one user, or of one address without a user: further ones are 429. @default 20 */
  readonly eventStreamsPerClient?: number;
  /** The default and the maximum page size. @default { default: 20, max: 100 } */
  readonly page?: { readonly default?: number; readonly max?: number };
  /**
   * Maximum depth of `include`, rows of each to-many relation, and rows of all together in one response.
   * @default { depth: 3, rows: 100, total: 10000 }
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
  exportRows: count.optional(),
  eventStreams: count.optional(),
  eventStreamsPerClient: count.optional(),
  page: page.optional(),
  include: z.strictObject({ depth: count.optional(), rows: count.optional(), total: count.optional() }).optional(),
};

/** The schema of the block `limits`. */
export const limitsSchema = z.strictObject(keys);

/** A default page size above the maximum; the two may be in different sources. */
export function pageIssues({ limits }: ConfigObject): StartupIssue[] {
  const given = isPlainObject(limits) && isPlainObject(limits.page) ? limits.page : {};
  const { default: size, max = defaultModelRouterSettings.page.max } = given;
  if (typeof size !== "number" || typeof max !== "number" || size <= max) return [];
  const message = `is greater than the maximum: found ${size}, and limits.page.max is ${max}.`;
  return [{ where: "limits.page.default", message }];
}
