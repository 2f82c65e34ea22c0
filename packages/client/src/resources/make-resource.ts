import { rowSegment } from "../path.js";
import { readLines } from "../requests/read-lines.js";
import type { CallOptions, Send } from "../requests/send.js";
import { type AnyQuery, writeQuery } from "../write-query.js";
import type { PageMeta, WriteOptions } from "./resource-client.js";
import { subscribe } from "./subscribe.js";

/** Maximum number of cached row versions. */
const maxTags = 1_000;

/** The versions of rows by their paths, least recently used first. */
export type EntityTags = Map<string, string>;

type AnyBulkOptions = CallOptions & {
  readonly onConflict?: unknown;
  readonly resolution?: string;
  readonly dryRun?: boolean;
};
type Changes = readonly object[] | { readonly where: object; readonly data: unknown };
type Rows = { readonly keys: readonly unknown[] } | { readonly where: object; readonly deleted?: string };
type Permanent = { readonly permanent?: boolean };

/** The operations of the model at a path, untyped; their types are those of `ResourceClient`. */
export function makeResource(path: string, send: Send, tags: EntityTags) {
  const remember = (row: string | undefined, headers: Headers): void => {
    const tag = headers.get("etag");
    // A weak tag (RFC 9110, section 8.8.1) is of a part of the row and cannot be a condition of a write.
    if (row === undefined || tag === null || tag.startsWith("W/")) return;
    tags.delete(row);
    tags.set(row, tag);
    if (tags.size > maxTags) for (const oldest of tags.keys()) return void tags.delete(oldest);
  };
  const at = (key: unknown): string => `${path}/${rowSegment(key)}`;
  const condition = (row: string, { ifMatch = tags.get(row) ?? false, headers, ...options }: WriteOptions) => ({
    ...options,
    headers: { ...(ifMatch !== false && { "if-match": ifMatch }), ...headers },
  });
  const list = async (query?: AnyQuery, options?: CallOptions) => {
    const { json } = await send({ method: "GET", path: path + writeQuery(query), ...options });
    return json as { data: unknown[]; meta: PageMeta };
  };
  const write =
    (method: string, suffix = "") =>
    async (key: unknown, body: unknown, options: WriteOptions = {}) => {
      const row = at(key);
      const { json, headers } = await send({ method, path: row + suffix, body, ...condition(row, options) });
      tags.delete(row);
      remember(row, headers);
      return json;
    };
  const createMany = async (
    body: unknown,
    { onConflict, resolution, dryRun, ...options }: AnyBulkOptions = {},
  ): Promise<unknown> => {
    const query = new URLSearchParams({
      ...(onConflict !== undefined && { onConflict: String(onConflict) }),
      ...(resolution && { resolution }),
      ...(dryRun && { dryRun: "true" }),
    });
    const suffix = query.size > 0 ? `?${query}` : "";
    return (await send({ method: "POST", path: `${path}/many${suffix}`, body, ...options })).json;
  };
  const restore = write("POST", "/restore");
  const restoreState = (key: unknown, change: unknown, options?: WriteOptions) =>
    write("POST", `/history/${encodeURIComponent(String(change))}/restore`)(key, undefined, options);
  return {
    list,
    async *pages(query?: AnyQuery, options?: CallOptions) {
      let cursor: string | null | undefined = "";
      do {
        const page = await list({ ...query, cursor }, options);
        yield page;
        cursor = page.meta.nextCursor;
      } while (cursor);
    },
    async export({ format, ...query }: AnyQuery & { readonly format: string }, options: CallOptions = {}) {
      const isCsv = format === "csv";
      const headers = { ...options.headers, accept: isCsv ? "text/csv" : "application/x-ndjson" };
      const { stream } = await send({
        ...{ method: "GET", path: path + writeQuery(query), isStream: true },
        ...options,
        headers,
      });
      const body = stream as ReadableStream<Uint8Array>;
      return isCsv ? body : readLines(body);
    },
    async aggregate(query: AnyQuery, options?: CallOptions) {
      return (await send({ method: "GET", path: `${path}/aggregate${writeQuery(query)}`, ...options })).json;
    },
    async read(key: unknown, shape?: AnyQuery, options?: CallOptions) {
      const row = at(key);
      const { json, headers } = await send({ method: "GET", path: row + writeQuery(shape), ...options });
      remember(row, headers);
      return json;
    },
    async history(key: unknown, query?: AnyQuery, options?: CallOptions) {
      return (await send({ method: "GET", path: `${at(key)}/history${writeQuery(query)}`, ...options })).json;
    },
    subscribe: (query?: AnyQuery, options?: CallOptions & { readonly lastEventId?: string }) =>
      subscribe(path, send, query, options),
    async create(body: unknown, options?: CallOptions) {
      const { json, headers } = await send({ method: "POST", path, body, ...options });
      const location = headers.get("location");
      remember(location?.slice(location.indexOf(path)), headers);
      return json;
    },
    update: write("PATCH"),
    replace: write("PUT"),
    async delete(key: unknown, { permanent, ...options }: WriteOptions & Permanent = {}) {
      const row = at(key);
      await send({ method: "DELETE", path: row + writeQuery({ permanent }), ...condition(row, options) });
      tags.delete(row);
    },
    createMany,
    import: createMany,
    restore: (key: unknown, options?: WriteOptions) => restore(key, undefined, options),
    restoreState,
    async updateMany(changes: Changes, options?: CallOptions) {
      const [query, body] = "where" in changes ? [writeQuery({ where: changes.where }), changes.data] : ["", changes];
      return (await send({ method: "PATCH", path: `${path}/many${query}`, body, ...options })).json;
    },
    async deleteMany(rows: Rows, { permanent, ...options }: CallOptions & Permanent = {}) {
      const query =
        "where" in rows
          ? { path: `${path}/many${writeQuery({ ...rows, permanent })}` }
          : {
              path: `${path}/many${writeQuery({ permanent })}`,
              body: { ids: rows.keys.map((key) => (Array.isArray(key) ? keyText(key) : key)) },
            };
      return (await send({ method: "DELETE", ...query, ...options })).json;
    },
  };
}

/** A key of several values in a body has the same text as in a path. */
const keyText = (key: readonly unknown[]): string => key.map((value) => encodeURIComponent(String(value))).join(",");
