import assert from "node:assert/strict";
import { afterAll, beforeAll, expect, inject, it } from "vitest";
import { providers } from "../../../../scripts/test/provider-database.js";
import { oneOf, someOf } from "../../../../scripts/test/slow-share.js";
import { password } from "../accounts/account-shop.js";
import { type PortableReply, type PortableShop, seededIds, startPortableShop } from "./portable-shop.js";
import {
  accounts,
  aggregates,
  bulk,
  cursors,
  documentedDifferences,
  etags,
  files,
  idempotency,
  lists,
  operators,
  type Recorded,
  rejectedReads,
  singles,
  softDelete,
  staffLists,
  writes,
} from "./requests.js";

/** A shop, and what the next requests take from its responses. */
interface Played {
  readonly shop: PortableShop;
  readonly values: Map<string, string>;
  readonly tokens: Map<string, string>;
}

const played: Played[] = [];
beforeAll(async () => {
  const [reference, ...others] = providers;
  // A sampled run compares one of them.
  for (const provider of reference === undefined ? [] : [reference, ...oneOf(others)]) {
    const shop = await startPortableShop(provider, inject("postgresUrl"));
    played.push({ shop, values: new Map(), tokens: new Map() });
  }
});
afterAll(() => Promise.all(played.map(({ shop }) => shop.close())));

async function tokenOf({ shop, tokens }: Played, username: string): Promise<string> {
  const known = tokens.get(username);
  if (known !== undefined) return known;
  const { status, text } = await shop.send({
    method: "POST",
    path: "/auth/login",
    headers: { "content-type": "application/json" },
    body: JSON.stringify({ username, password }),
  });
  assert.equal(status, 200, text);
  const { accessToken } = JSON.parse(text) as { accessToken: string };
  tokens.set(username, accessToken);
  return accessToken;
}

async function play(one: Played, { method, path, as, body, form, headers = {}, keep = {} }: Recorded) {
  const filled = (text: string): string => text.replaceAll(/\{(\w+)\}/g, (all, name) => one.values.get(name) ?? all);
  const authorization = as === undefined ? {} : { authorization: `Bearer ${await tokenOf(one, as)}` };
  const type = body === undefined ? {} : { "content-type": "application/json" };
  const own = Object.fromEntries(Object.entries(headers).map(([name, value]) => [name, filled(value)]));
  const reply = await one.shop.send({
    method,
    path: filled(path),
    headers: { ...type, ...authorization, ...own },
    body: form === undefined ? contentOf(body, filled) : formOf(form),
  });
  if (Object.keys(keep).length > 0) assert(reply.status < 300, `${method} ${path} ${reply.text}`);
  for (const [name, place] of Object.entries(keep)) one.values.set(name, valueAt(reply, place));
  return reply;
}

/** JSON in which `"{name}"` is an id: a number. */
function contentOf(body: unknown, filled: (text: string) => string): string | undefined {
  if (body === undefined || typeof body === "string") return body;
  return filled(JSON.stringify(body).replaceAll(/"\{([abc])\}"/g, "{$1}"));
}

const pixel = Buffer.from(
  "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNkYPhfDwAChwGA60e6kgAAAABJRU5ErkJggg==",
  "base64",
);
function formOf(fields: Readonly<Record<string, string>>): FormData {
  const form = new FormData();
  for (const [name, value] of Object.entries(fields)) {
    if (value === "file") form.set(name, new Blob([pixel], { type: "image/png" }), "logo.png");
    else form.set(name, value);
  }
  return form;
}

function valueAt({ headers, text }: PortableReply, place: string): string {
  if (place === "etag") return headers.get("etag") ?? "";
  const steps = place.split(".");
  const found = steps.reduce<unknown>(
    (value, step) => (value as Record<string, unknown> | undefined)?.[step],
    JSON.parse(text),
  );
  return String(found);
}

const comparedHeaders = ["content-type", "location", "link", "allow", "retry-after", "idempotency-replayed"];

/** A response without what differs with each run. */
function shown({ status, headers, text }: PortableReply): object {
  const kept = comparedHeaders.map((name) => [name, masked(headers.get(name) ?? "")]);
  const isJson = /[/+]json\b/.test(headers.get("content-type") ?? "") && text !== "";
  return {
    status,
    hasEtag: headers.has("etag"),
    ...Object.fromEntries(kept),
    body: isJson ? withoutOwn(JSON.parse(text)) : masked(text),
  };
}

const own: ReadonlySet<string> = new Set([
  ...["createdAt", "updatedAt", "requestId", "deletedAt", "seenAt", "expiresAt", "lastLoginAt"],
  ...["accessToken", "refreshToken", "refreshExpiresAt", "key", "passwordChangedAt", "logo"],
]);

function withoutOwn(value: unknown, name = ""): unknown {
  if (Array.isArray(value)) return value.map((item) => withoutOwn(item));
  // The use of a key is stored after its response.
  if (name === "lastUsedAt") return "set";
  if (typeof value !== "object" || value === null)
    return own.has(name) && value !== null ? "set" : typeof value === "string" ? masked(value) : value;
  return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, withoutOwn(item, key)]));
}

/** Addresses, ids that a service makes, and the time of this run. */
function masked(text: string): string {
  return text
    .replaceAll(/127\.0\.0\.1:\d+/g, "host")
    .replaceAll(/[\da-f]{8}-[\da-f]{4}-[47][\da-f]{3}-[\da-f]{4}-[\da-f]{12}/g, (id) => (seeded.has(id) ? id : "id"))
    .replaceAll(/^[\da-f]{24}$/g, "id")
    .replaceAll(/20(?:2[6-9]|[3-9]\d)-\d\d-\d\dT[\d:.]+Z/g, "now");
}

const seeded = seededIds();

/** Each read is independent of the others, and each write of those before it. */
const groups: readonly (readonly [title: string, requests: readonly Recorded[]])[] = [
  ["C18 operators", someOf(operators)],
  ["C1 C8 C9 lists, sorts, pages, groups and includes", someOf(lists)],
  ["C4 values of each type", someOf(staffLists)],
  ["C8 pages by cursor", cursors],
  ["C7 single rows", singles],
  ["C3 C10 C11 C20 rejected queries", rejectedReads],
  ["C98 aggregates", aggregates],
  ["documented differences", documentedDifferences],
  ["C2 C12 C13 C17 C57 C95 C99 writes and nested writes", writes],
  ["C14 C99 bulk writes", bulk],
  ["C16 conditional requests", etags],
  ["C49 idempotency keys", idempotency],
  ["C101 soft deletes and restores", softDelete],
  ["C23 C25 C26 C27 C29 C30 C50 C72 C85 accounts, sessions and API keys", accounts],
  ["C53 C104 exports, imports and uploads", files],
];

const statuses = new Map<number, number>();
let next = 20_000;

it.each(groups)("C118 the shop returns the same responses on every provider: %s", async (_title, requests) => {
  const [reference, ...others] = played;
  assert(reference !== undefined);
  const failures: string[] = [];
  for (const request of requests) {
    const expected = shown(await play(reference, request));
    const { status } = expected as { status: number };
    statuses.set(status, (statuses.get(status) ?? 0) + 1);
    for (const other of others) {
      const found = shown(await play(other, request));
      const difference = request.differs?.[other.shop.provider];
      const isEqual = isDeepEqual(found, expected);
      const label = `${request.method} ${request.path} on ${other.shop.provider}`;
      if (isEqual && difference !== undefined) failures.push(`${label} does not differ: ${difference}`);
      if (!isEqual && difference === undefined)
        failures.push(`${label}\n${JSON.stringify(found)}\n${JSON.stringify(expected)}`);
    }
    // A rejected row uses up an id in some databases.
    if (request.method === "GET" || status < 400) continue;
    next += 100;
    for (const { shop } of played) await shop.countFrom(next);
  }
  assert.deepEqual(failures, []);
});

it("C118 compares more than 200 requests, of which neither all are accepted nor all rejected", () => {
  const all = [operators, lists, staffLists, ...groups.slice(3).map(([, requests]) => requests)].flat();
  expect(all.length).toBeGreaterThan(200);
  expect((statuses.get(200) ?? 0) + (statuses.get(201) ?? 0)).toBeGreaterThan(50);
  for (const status of [204, 304, 400, 401, 403, 404, 409, 412, 422])
    expect(statuses.has(status), String(status)).toBe(true);
});

function isDeepEqual(one: unknown, other: unknown): boolean {
  try {
    assert.deepEqual(one, other);
    return true;
  } catch {
    return false;
  }
}
