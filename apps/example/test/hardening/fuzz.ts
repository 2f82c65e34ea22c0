import fc from "fast-check";
import { expect } from "vitest";
import type { PrismaClient } from "../../src/generated/prisma/client.js";
import { type AccountShop } from "../accounts/account-shop.js";
import { makeContractCheck } from "../contract-check.js";
import { anything, makeValues, type Schema } from "./fuzz-schema.js";

interface Parameter {
  readonly $ref?: string;
  readonly name: string;
  readonly in: string;
  readonly schema?: Schema;
}
interface Operation {
  readonly parameters?: readonly Parameter[];
  readonly requestBody?: { readonly content: Readonly<Record<string, { readonly schema?: Schema }>> };
}
interface Document {
  readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>;
  readonly components: { readonly parameters?: Readonly<Record<string, Parameter>> };
}

/** One request, as it is printed after a failure. */
interface FuzzRequest {
  readonly as: string | undefined;
  readonly method: string;
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string | undefined;
}

const people = [undefined, "ada", "ben", "edda", "will", "root"] as const;

/** Requests that may end or change the accounts of the test. */
const isOfAccounts = (method: string, path: string): boolean =>
  !["GET", "HEAD", "OPTIONS"].includes(method) && /^\/api\/(users|auth)\b/i.test(path);

const oddHeaders = fc.record(
  {
    accept: fc.constantFrom("*/*", "application/json", "text/html", "", "application/json;q=0", "a/b;;;"),
    "accept-encoding": fc.constantFrom("gzip", "br", "identity;q=0", "*"),
    "accept-language": fc.constantFrom("de", "x".repeat(500)),
    "content-type": fc.constantFrom(
      "application/json; charset=utf-16",
      "text/plain",
      "application/x-www-form-urlencoded",
      "multipart/form-data; boundary=x",
      "application/merge-patch+json",
      ";",
    ),
    "content-encoding": fc.constantFrom("gzip", "br", "identity", "x", "gzip, br"),
    "if-match": fc.constantFrom("*", '"x"', "x", 'W/"1"', '"a", "b"'),
    "if-none-match": fc.constantFrom("*", '"x"', "x", 'W/"1"'),
    "if-modified-since": fc.constantFrom("x", "Thu, 01 Jan 1970 00:00:00 GMT"),
    range: fc.constantFrom("bytes=0-1", "bytes=-", "rows=1-2"),
    prefer: fc.constantFrom("return=minimal", "count=exact"),
    origin: fc.constantFrom("null", "https://evil.example", "x"),
    cookie: fc.constantFrom("accessToken=x", "a=b; a=c", "%"),
    authorization: fc.constantFrom("Bearer", "Bearer x.y.z", "Basic YTpi", "x"),
    "x-request-id": fc.constantFrom("x".repeat(300), "a b", "ok-1"),
    "x-forwarded-for": fc.constantFrom("1.2.3.4", "x"),
    "x-http-method-override": fc.constantFrom("DELETE", "x"),
  },
  { requiredKeys: [] },
);

const oddTerms = fc.oneof(
  fc.tuple(fc.string({ unit: "binary", maxLength: 20 }), anything),
  fc.tuple(
    fc.constantFrom(
      "or[0][id][gt]",
      "and[0][or][1][id]",
      "id__in",
      "id[not][in][]",
      "include",
      "fields",
      "cursor",
      "sort",
      "limit",
      "page",
      "search",
      "where",
      "prismaQueryOptions",
      "a[b][c][d]",
      "[",
      "]",
      "__proto__",
    ),
    anything,
  ),
);

/** Requests to every route of a document: valid and invalid ones. */
function requestsOf(document: Document): fc.Arbitrary<FuzzRequest> {
  const values = makeValues(document.components);
  const operations = Object.entries(document.paths).flatMap(([path, item]) =>
    Object.entries(item)
      .filter(([method]) => ["get", "post", "put", "patch", "delete"].includes(method))
      .map(([method, operation]) => ({ method, path, operation })),
  );
  return fc
    .constantFrom(...operations)
    .chain(({ method, path, operation }) => {
      const parameters = (operation.parameters ?? []).map((parameter) =>
        parameter.$ref === undefined
          ? parameter
          : (document.components.parameters?.[parameter.$ref.split("/").at(-1) as string] as Parameter),
      );
      const named = parameters.filter((parameter) => parameter.in === "query");
      const query = fc.array(
        fc.oneof(
          {
            weight: 8,
            arbitrary:
              named.length === 0
                ? fc.tuple(fc.constant("x"), anything)
                : fc
                    .constantFrom(...named)
                    .chain(({ name, schema = {} }) => fc.tuple(fc.constant(name), values(schema))),
          },
          { weight: 2, arbitrary: oddTerms },
        ),
        { maxLength: 4 },
      );
      const parts = path.split(/\{([^}]+)\}/).map((part, index) => {
        if (index % 2 === 0) return fc.constant(part);
        const schema = parameters.find(({ name, in: place }) => place === "path" && name === part)?.schema ?? {};
        return values(schema).map((value) => inPath(value));
      });
      const schema = operation.requestBody?.content["application/json"]?.schema;
      const json = (schema === undefined ? anything : values(schema)).map((value) => JSON.stringify(value) ?? "");
      const broken = fc.oneof(
        fc.constantFrom(
          "{",
          "[1,",
          '{"a":1,"a":2}',
          '{"__proto__":{}}',
          "nul",
          "\ufeff{}",
          "{}{}",
          "[".repeat(40),
          '{"id":1e400}',
        ),
        json.map((text) => text.slice(0, Math.floor(text.length / 2))),
        json.map((text) => text.replace(/"([a-z]+)":/i, '"$1":null,"$1":')),
      );
      const body =
        method === "get"
          ? fc.constant(undefined)
          : fc.oneof(
              { weight: 9, arbitrary: json },
              { weight: 1, arbitrary: broken },
              { weight: 1, arbitrary: fc.constant(undefined) },
            );
      return fc.record({
        as: fc.constantFrom(...people),
        method: fc.oneof(
          { weight: 30, arbitrary: fc.constant(method.toUpperCase()) },
          { weight: 1, arbitrary: fc.constantFrom("HEAD", "OPTIONS", "PUT", "PATCH", "DELETE") },
        ),
        path: fc.tuple(fc.tuple(...parts), query).map(([path, terms]) => path.join("") + inQuery(terms)),
        headers: fc.oneof({ weight: 5, arbitrary: fc.constant({}) }, { weight: 1, arbitrary: oddHeaders }),
        body,
      });
    })
    .map((made) => made as FuzzRequest);
}

const asText = (value: unknown): string => (typeof value === "string" ? value : (JSON.stringify(value) ?? ""));
const encoded = (text: string): string => encodeURIComponent(text.toWellFormed().slice(0, 300));
/** Dots alone would change the path. */
const inPath = (value: unknown): string => encoded(asText(value)).replace(/^\.+$/, "x") || "x";

function inQuery(terms: readonly (readonly [string, unknown])[]): string {
  const pairs = terms.flatMap(([name, value]) => {
    const isMap = typeof value === "object" && value !== null && !Array.isArray(value);
    const flat = isMap ? Object.entries(value).map(([key, inner]) => [`${name}[${key}]`, inner]) : [[name, value]];
    return flat.map(
      ([key, inner]) => `${encoded(String(key)).replace(/%5B/g, "[").replace(/%5D/g, "]")}=${encoded(asText(inner))}`,
    );
  });
  return pairs.length === 0 ? "" : `?${pairs.join("&")}`;
}

/** A busy machine may let it wait. */
const patiently = { timeout: 60_000, maxWait: 60_000 };

/** Preserves the accounts, and restores them after a request has changed them. */
async function keepAccounts(client: PrismaClient): Promise<() => Promise<boolean>> {
  const read = () =>
    client.user.findMany({
      include: { roles: { select: { id: true }, orderBy: { id: "asc" } } },
      omit: { lastLoginAt: true },
      orderBy: { id: "asc" },
    });
  const stored = await read();
  const textOf = (users: typeof stored): string => JSON.stringify(users.map(({ customerId: _, ...user }) => user));
  const before = textOf(stored);
  return async () => {
    if (textOf(await read()) === before) return false;
    await client.$transaction(async (inside) => {
      await inside.user.deleteMany();
      for (const { roles, customerId, ...user } of stored) {
        const isThere = customerId !== null && (await inside.customer.count({ where: { id: customerId } })) > 0;
        const present = await inside.authRole.findMany({
          where: { id: { in: roles.map(({ id }) => id) } },
          select: { id: true },
        });
        await inside.user.create({
          data: { ...user, customerId: isThere ? customerId : null, roles: { connect: present } },
        });
      }
    }, patiently);
    return true;
  };
}

export interface FuzzOptions {
  /** The database of the shop, for the accounts. */
  readonly client: PrismaClient;
  readonly runs: number;
  /** @default the environment variable FUZZ_SEED, or by chance */
  readonly seed?: number;
}

/**
 * Sends requests generated from the service's own document, as every caller, and validates each response: no 5xx, no
 * timeout, nothing undocumented. A failure is reduced to one request and reported with the seed.
 */
export async function fuzz(
  shop: AccountShop,
  { client, runs, seed = seedOfEnvironment() }: FuzzOptions,
): Promise<void> {
  const response = await fetch(`${shop.url}/api/api-docs.json`);
  const document = (await response.json()) as Document & Parameters<typeof makeContractCheck>[0];
  const check = makeContractCheck(document);
  const restore = await keepAccounts(client);
  const tokens = new Map<string, string>();
  const tokenOf = async (name: string): Promise<string> => {
    const token = tokens.get(name) ?? (await shop.tokenOf(name));
    tokens.set(name, token);
    return token;
  };
  console.info(`FUZZ_SEED=${seed}`);
  const send = async ({ as, method, path, headers, body }: FuzzRequest): Promise<void> => {
    const signed = as === undefined ? {} : { authorization: `Bearer ${await tokenOf(as)}` };
    const call = () =>
      fetch(shop.url + path, {
        method,
        redirect: "manual",
        headers: { ...(body === undefined ? {} : { "content-type": "application/json" }), ...signed, ...headers },
        ...(body === undefined || method === "HEAD" ? {} : { body }),
        signal: AbortSignal.timeout(20_000),
      });
    // An idle connection may close while the next request is sent; a request that closes one does so again.
    const reply = await call().catch((error: Error) =>
      error.name === "TimeoutError" ? Promise.reject(error) : call(),
    );
    const text = await readBody(reply);
    if (isOfAccounts(method, path)) {
      // A logout does not change the account.
      if (as !== undefined && /^\/api\/auth\/(logout|update-password)/.test(path)) tokens.delete(as);
      if (await restore()) tokens.clear();
    }
    expect(reply.status, text).toBeLessThan(500);
    const issues = check({ method, path, status: reply.status, headers: reply.headers, text });
    // A rejection before the method is read belongs to no operation.
    const isOutside = reply.status >= 400 && issues.every((issue) => issue.endsWith("does not contain this route."));
    expect(isOutside ? [] : issues).toEqual([]);
  };
  await fc.assert(fc.asyncProperty(requestsOf(document), send), { numRuns: runs, seed });
}

/** The body; nothing of a stream of events, which ends with its reader only. */
async function readBody(response: Response): Promise<string> {
  if (!response.headers.get("content-type")?.startsWith("text/event-stream")) return response.text();
  await response.body?.cancel();
  return "";
}

const seedOfEnvironment = (): number => Number(process.env.FUZZ_SEED ?? Math.floor(Math.random() * 2 ** 31));
