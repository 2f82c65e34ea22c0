import { brotliCompressSync, gzipSync } from "node:zlib";

/** A request that is expensive for its size. */
export interface ExpensiveRequest {
  readonly title: string;
  /** Signed in as a superuser. */
  readonly isSignedIn?: boolean;
  readonly method: "GET" | "POST" | "PATCH" | "DELETE";
  readonly path: string;
  readonly body?: string | Buffer;
  readonly headers?: Readonly<Record<string, string>>;
  /** The limit that bounds it. */
  readonly bound: string;
}

const size = 1_000_000;
const many = (count: number, make: (at: number) => unknown): string =>
  JSON.stringify(Array.from({ length: count }, (_, at) => make(at)));
const nested = `${"[".repeat(size / 2)}${"]".repeat(size / 2)}`;
const open = { method: "POST", path: "/api/open" } as const;
const bulk = { method: "POST", isSignedIn: true } as const;
const inValues = "`limits.bodyValues`";

/** The most expensive known requests of an anonymous client and of a superuser. */
export function expensiveRequests(run: string): readonly ExpensiveRequest[] {
  let bulks = 0;
  return [
    {
      title: "an unexpected body on a route that requires authentication: a megabyte of brackets, in brotli",
      method: "POST",
      path: "/api/products",
      body: brotliCompressSync(nested),
      headers: { "content-encoding": "br" },
      bound: "the caller is identified before the body is read",
    },
    { ...open, title: "the same, on an open route", body: nested, bound: "depth 32, on the bytes" },
    {
      ...open,
      title: "the same in gzip",
      body: gzipSync(nested),
      headers: { "content-encoding": "gzip" },
      bound: "100 times its size",
    },
    { ...open, title: "a megabyte of empty lists", body: `[${"[],".repeat(size / 3)}[]]`, bound: inValues },
    {
      ...open,
      title: "a megabyte of keys, all different",
      body: `{${Array.from({ length: 80_000 }, (_, at) => `"k${at}":1`).join()}}`,
      bound: inValues,
    },
    {
      ...open,
      title: "9,900 numbers instead of strings",
      body: `{"texts":${many(9_900, (at) => at)}}`,
      bound: inValues,
    },
    {
      ...open,
      title: "1,900 parts, each with four errors",
      body: `{"parts":${many(1_900, () => ({ a: 1, b: 2, c: 3, d: 4 }))}}`,
      bound: inValues,
    },
    {
      ...open,
      title: "9,900 values that match none of three types",
      body: `{"either":${many(9_900, (at) => at)}}`,
      bound: inValues,
    },
    {
      ...open,
      title: "9,900 keys of a map with wrong values",
      body: `{"map":{${Array.from({ length: 9_900 }, (_, at) => `"k${at}":1`).join()}}}`,
      bound: inValues,
    },
    { ...open, title: "one text of a megabyte", body: `{"texts":["${"x".repeat(size)}"]}`, bound: "`limits.body`" },
    {
      ...open,
      title: "one text of a megabyte of escapes",
      body: `{"texts":["${"\\u0041".repeat(size / 6)}"]}`,
      bound: "`limits.body`",
    },
    {
      title: "a list with every term that fits",
      method: "GET",
      path: `/api/products?${Array.from({ length: 90 }, (_, at) => `or[${at}][name__icontains]=zz${at}`).join("&")}`,
      bound: "`limits.terms`, `limits.urlBytes`",
    },
    {
      title: "the largest page, with the maximum of includes",
      method: "GET",
      path: "/api/products?limit=100&include=category,tags,images",
      bound: "`limits.page`, `limits.include`",
    },
    {
      ...bulk,
      title: "1,000 rows",
      path: "/api/tags/many",
      get body() {
        bulks++;
        return many(1000, (at) => ({ name: `${run} ${bulks} ${at}` }));
      },
      bound: "`limits.bulkItems`; one statement",
    },
    {
      ...bulk,
      title: "changes of 1,000 rows by their ids",
      method: "PATCH",
      path: "/api/tags/many",
      // Those created by the previous bulk requests.
      get body() {
        bulks++;
        return many(1000, (at) => ({ id: at + 1001, name: `${run} ${bulks} ${at}` }));
      },
      bound: "`limits.bulkItems`; one statement",
    },
    {
      ...bulk,
      title: "1,000 invalid rows with many fields",
      path: "/api/products/many",
      body: many(1000, (at) => ({ sku: at, name: 1, price: true, stock: "x", status: "x", categoryId: {}, other: 1 })),
      bound: "`limits.bulkItems`; checked in slices",
    },
    {
      ...bulk,
      title: "1,000 numbers with too many digits",
      path: "/api/tags/many",
      body: `[${Array.from({ length: 1000 }, () => '{"name":1.0000000000000000000000001}').join()}]`,
      bound: inValues,
    },
  ];
}
