import { describe, expect, it } from "vitest";
import { ApiError, isApiError, makeClient, type SendOptions } from "../src/index.js";
import { fillPath, rowSegment } from "../src/path.js";

interface Tag {
  key: number;
  row: { id: number; name: string };
  create: { name: string };
  update: { name?: string };
  filters: {
    name: { value: string; operators: "equals" | "in" | "contains" };
    limit: { value: number; operators: "in" };
  };
  relations: Record<never, never>;
}
interface Api {
  tags: Tag;
  mediaTypes: Tag;
  "user-2fas": Tag;
  notes: Tag & { softDelete: true };
  orderItems: Omit<Tag, "key"> & { key: readonly [number, string] };
}
interface Routes {
  "POST /api/orders/:id/ship": { response: { done: boolean }; body: { note: string }; query?: { loud?: boolean } };
}

type Answer = (request: Request, body: string) => Response | Promise<Response>;

/** A client whose requests are handled by a function; each is recorded in one line. */
function serve(response: Answer, options: SendOptions = {}) {
  const lines: string[] = [];
  const requests: Request[] = [];
  const client = makeClient<Api, Routes>({
    baseUrl: "http://shop.test",
    ...options,
    fetch: async (request) => {
      const body = await request.clone().text();
      const url = request.url.replace("http://shop.test", "");
      lines.push([request.method, decodeURIComponent(url), body].filter((part) => part !== "").join(" "));
      requests.push(request);
      return response(request, body);
    },
  });
  return { client, lines, requests };
}

const json = (value: unknown, init: ResponseInit & { headers?: Record<string, string> } = {}): Response =>
  new Response(JSON.stringify(value), { ...init, headers: { "content-type": "application/json", ...init.headers } });
const problem = (status: number, code: string, headers: Record<string, string> = {}): Response =>
  json({ status, code, title: "No", detail: `Reported ${code}.`, requestId: "r1", errors: [] }, { status, headers });

it("C107 sends the key of a row and the page of its history", async () => {
  const { client, lines } = serve(() => json({ data: [], meta: {} }));
  await client.orderItems.history([1, "a,b"], { page: 2, limit: 10 });
  await client.tags.history(1);
  expect(lines).toEqual(["GET /api/order-items/1,a,b/history?page=2&limit=10", "GET /api/tags/1/history"]);
});

it("C108 restores a state if the row has the version that the client read last", async () => {
  const { client, lines, requests } = serve(() => json({ data: { id: 1 }, meta: {} }, { headers: { etag: '"a"' } }));
  await client.tags.read(1);
  await client.tags.restoreState(1, "42");
  await client.orderItems.restoreState([1, "a,b"], "7", { ifMatch: false });
  expect(lines.slice(1)).toEqual([
    "POST /api/tags/1/history/42/restore",
    "POST /api/order-items/1,a,b/history/7/restore",
  ]);
  expect(requests.map(({ headers }) => headers.get("if-match"))).toEqual([null, '"a"', null]);
});

it("C98 sends the query of an aggregate", async () => {
  const { client, lines } = serve(() => json({ data: [], meta: {} }));
  await client.tags.aggregate({
    groupBy: ["name"],
    count: true,
    max: ["name"],
    having: { count: { gt: 5 }, "max.name": { in: ["a", "b,c"] } },
    sort: ["-count", "name"],
    where: { limit: { in: [3] } },
    limit: 10,
  });
  expect(lines).toEqual([
    'GET /api/tags/aggregate?limit[in]=3&having[count][gt]=5&having[max.name][in]=a,"b,c"&sort=-count,name&groupBy=name&count=true&max=name&limit=10',
  ]);
});

it("C101 sends the parameters of soft delete, and restores the version that was read", async () => {
  const { client, lines, requests } = serve(() => json({ data: {}, meta: {} }, { headers: { etag: '"1"' } }));
  await client.notes.list({ deleted: "only", where: { name: "x" } });
  await client.notes.read(1, { deleted: "include" });
  await client.notes.restore(1);
  await client.notes.delete(1, { permanent: true });
  await client.notes.restore(1);
  await client.notes.deleteMany({ keys: [1] }, { permanent: true });
  await client.notes.deleteMany({ where: { name: "x" }, deleted: "only" }, { permanent: true });
  expect(lines).toEqual([
    "GET /api/notes?name=x&deleted=only",
    "GET /api/notes/1?deleted=include",
    "POST /api/notes/1/restore",
    "DELETE /api/notes/1?permanent=true",
    "POST /api/notes/1/restore",
    'DELETE /api/notes/many?permanent=true {"ids":[1]}',
    "DELETE /api/notes/many?name=x&deleted=only&permanent=true",
  ]);
  expect(requests.map(({ headers }) => headers.get("if-match"))).toEqual([null, null, '"1"', '"1"', null, null, null]);
});

describe("C74 requests", () => {
  it("contain the query in the grammar of the service", async () => {
    const { client, lines } = serve(() => json({ data: [], meta: {} }));
    await client.tags.list();
    await client.mediaTypes.list({ where: { name: { contains: "a,b" }, limit: 5 }, search: '"50" x', limit: 3 });
    await client["user-2fas"].list({ where: { OR: [{ name: "null" }, { name: ["a", "b"] }] }, count: false });
    await client.tags.read(1, { fields: ["id", "name"] });
    expect(lines).toEqual([
      "GET /api/tags",
      'GET /api/media-types?name[contains]=a,b&limit[equals]=5&search="\\"50\\" x"&limit=3',
      'GET /api/user-2fas?or[0][name]="null"&or[1][name]=a,b&count=false',
      "GET /api/tags/1?fields=id,name",
    ]);
  });

  it("contain the keys of rows in paths and in bulk bodies", async () => {
    const { client, lines } = serve(() => json({ data: [], meta: { count: 0 } }));
    await client.orderItems.read([1, "a/b"]);
    await client.orderItems.deleteMany({ keys: [[1, "a,b"]] });
    await client.tags.deleteMany({ keys: [1, 2] });
    await client.tags.deleteMany({ where: { name: "x" } });
    await client.tags.updateMany({ where: { name: "x" }, data: { name: "y" } });
    await client.tags.updateMany([{ id: 1, name: "y" }]);
    await client.tags.createMany([{ name: "z" }]);
    await client.route("POST /api/orders/:id/ship", {
      params: { id: "a b" },
      query: { loud: true },
      body: { note: "n" },
    });
    expect(lines).toEqual([
      "GET /api/order-items/1,a/b",
      'DELETE /api/order-items/many {"ids":["1,a%2Cb"]}',
      'DELETE /api/tags/many {"ids":[1,2]}',
      "DELETE /api/tags/many?name=x",
      'PATCH /api/tags/many?name=x {"name":"y"}',
      'PATCH /api/tags/many [{"id":1,"name":"y"}]',
      'POST /api/tags/many [{"name":"z"}]',
      'POST /api/orders/a b/ship?loud=true {"note":"n"}',
    ]);
  });

  it.each(["", ".", "..", [""], ["."]])(
    "rejects the key %j, with which a URL would name another resource",
    async (key) => {
      const { client, lines } = serve(() => json({ data: {} }));
      for (const call of [
        () => client.tags.read(key as never),
        () => client.tags.update(key as never, { name: "x" }),
        () => client.tags.delete(key as never),
      ])
        await expect(call()).rejects.toThrow(TypeError);
      expect(lines).toEqual([]);
    },
  );

  it("rejects parameters and categories with which a URL would name another resource", async () => {
    for (const id of ["", ".", ".."]) {
      expect(() => fillPath("/api/orders/:id/ship", { id })).toThrow(TypeError);
      expect(() => fillPath("/api/orders/:id", { id })).toThrow(TypeError);
    }
    expect(fillPath("/api/files/:name.:kind", { name: "", kind: "png" })).toBe("/api/files/.png");
    expect(fillPath("/api/a//b/:id", { id: "%2e/?#" })).toBe("/api/a//b/%252e%2F%3F%23");
  });

  it("encodes the keys that name other routes, which ignore case", async () => {
    expect(rowSegment("many")).toBe("%6Dany");
    expect(rowSegment("Many")).toBe("%4Dany");
    expect(rowSegment("aggregate")).toBe("%61ggregate");
    expect(rowSegment("EVENTS")).toBe("%45VENTS");
    expect(rowSegment("eventss")).toBe("eventss");
    expect(rowSegment(["many", 1])).toBe("many,1");
  });

  it("reject a filter without conditions on its field, which would match every row", async () => {
    const { client, lines } = serve(() => json({ meta: { count: 0 } }));
    const where = { name: undefined } as unknown as { name: string };
    await expect(client.tags.deleteMany({ where })).rejects.toThrow(TypeError);
    expect(lines).toEqual([]);
  });

  it("follow a cursor page by page until the last", async () => {
    const { client, lines } = serve(({ url }) =>
      json({ data: [{ id: 1 }], meta: { count: 1, limit: 1, nextCursor: url.endsWith("cursor=") ? "abc" : null } }),
    );
    let pages = 0;
    for await (const { data } of client.tags.pages({ limit: 1 })) pages += data.length;
    expect([pages, lines]).toEqual([2, ["GET /api/tags?limit=1&cursor=", "GET /api/tags?limit=1&cursor=abc"]]);
  });
});

describe("C74 the version of a row", () => {
  const conditions = (requests: readonly Request[]) => requests.map(({ headers }) => headers.get("if-match"));

  it("is cached from a read, a create and an update, and sent with the next write", async () => {
    let version = 0;
    const { client, requests } = serve(({ method }) =>
      method === "DELETE"
        ? new Response(null, { status: 204 })
        : json({ data: {} }, { headers: { etag: `"${++version}"`, location: "http://shop.test/api/tags/2" } }),
    );
    await client.tags.update(1, { name: "unseen" });
    await client.tags.update(1, { name: "a" });
    await client.tags.read(1);
    await client.tags.update(1, { name: "b" }, { ifMatch: false });
    await client.tags.update(1, { name: "c" }, { ifMatch: "*" });
    await client.tags.delete(1);
    await client.tags.update(1, { name: "gone" });
    await client.tags.create({ name: "two" });
    await client.tags.delete(2);
    expect(conditions(requests)).toEqual([null, '"1"', null, null, "*", '"5"', null, null, '"7"']);
  });

  it("is not taken from a partial row, and remains after a rejection", async () => {
    const { client, requests } = serve(({ method, url }) =>
      method === "PATCH"
        ? problem(412, "PreconditionFailed")
        : json({ data: {} }, { headers: { etag: url.includes("?") ? 'W/"part"' : '"whole"' } }),
    );
    await client.tags.read(1);
    await client.tags.read(1, { fields: ["id"] });
    for (let time = 0; time < 2; time++) {
      await expect(client.tags.update(1, { name: "mine" })).rejects.toThrow("Reported PreconditionFailed.");
    }
    expect(conditions(requests)).toEqual([null, null, '"whole"', '"whole"']);
  });
});

describe("C74 errors", () => {
  it("have the code of the problem, or Unknown for any other response", async () => {
    const { client } = serve(({ url }) =>
      url.endsWith("/1") ? problem(409, "UniqueConstraint") : new Response("<h1>Bad Gateway</h1>", { status: 502 }),
    );
    const rejected = await client.tags.read(1).catch((error: unknown) => error);
    expect(rejected).toBeInstanceOf(ApiError);
    expect([isApiError(rejected), isApiError(rejected, "UniqueConstraint"), isApiError(rejected, "NotFound")]).toEqual([
      true,
      true,
      false,
    ]);
    expect(rejected).toMatchObject({ status: 409, message: "Reported UniqueConstraint.", requestId: "r1", errors: [] });
    expect(await client.tags.read(2).catch((error: unknown) => error)).toMatchObject({ status: 502, code: "Unknown" });
  });

  it("cause a retry of a read if the service was busy or did not respond", async () => {
    let times = 0;
    const { client, lines } = serve(() => {
      times++;
      if (times === 1) throw new TypeError("fetch failed");
      return times === 2 ? problem(503, "Overloaded", { "retry-after": "0" }) : json({ data: [], meta: { count: 0 } });
    });
    await client.tags.list();
    expect(lines).toEqual(["GET /api/tags", "GET /api/tags", "GET /api/tags"]);
  });

  it("cause no retry of a write, unless it has a key, which stays the same", async () => {
    const { client, requests } = serve(() => problem(503, "Overloaded", { "retry-after": "0" }), { retries: 1 });
    const error = await client.tags.create({ name: "a" }).catch((thrown: unknown) => thrown);
    expect(error).toMatchObject({ code: "Overloaded", retryAfter: 0 });
    await expect(client.tags.create({ name: "a" }, { idempotencyKey: true })).rejects.toThrow(ApiError);
    await expect(client.tags.create({ name: "a" }, { idempotencyKey: "k" })).rejects.toThrow(ApiError);
    const keys = requests.map(({ headers }) => headers.get("idempotency-key"));
    expect(keys).toEqual([null, expect.stringMatching(/^[0-9a-f-]{36}$/), keys[1], "k", "k"]);
  });

  it("end when the caller aborts", async () => {
    const controller = new AbortController();
    const { client } = serve(() => {
      controller.abort(new Error("enough"));
      return problem(503, "Overloaded", { "retry-after": "20" });
    });
    await expect(client.tags.list({}, { signal: controller.signal })).rejects.toThrow("enough");
  });
});

describe("C74 authentication", () => {
  it("uses the token of the last sign-in, and none after sign-out", async () => {
    const { client, requests } = serve(({ url }) =>
      url.endsWith("/logout")
        ? new Response(null, { status: 204 })
        : json({ data: {}, accessToken: "t1", expiresAt: "2026-01-01T00:00:00.000Z" }),
    );
    await client.auth.signIn({ username: "ada", password: "secret" });
    await client.auth.me();
    await client.auth.signOut();
    await client.tags.read(1);
    expect(requests.map(({ method }) => method)).toEqual(["POST", "GET", "DELETE", "GET"]);
    expect(requests.map(({ url, headers }) => [new URL(url).pathname, headers.get("authorization")])).toEqual([
      ["/api/auth/login", null],
      ["/api/users/me", "Bearer t1"],
      ["/api/auth/logout", "Bearer t1"],
      ["/api/tags/1", null],
    ]);
  });

  it("refreshes an expired token once for all waiting requests", async () => {
    let current = "t1";
    const { client, lines } = serve((request, body) => {
      if (request.url.endsWith("/login")) return json({ data: {}, accessToken: "t1", refreshToken: "r1" });
      if (request.url.endsWith("/refresh")) {
        if (current !== "t2" && body !== '{"refreshToken":"r1"}') return problem(401, "InvalidRefreshToken");
        return json({ data: {}, accessToken: current, refreshToken: "r2" });
      }
      return request.headers.get("authorization") === `Bearer ${current}`
        ? json({ data: {} })
        : problem(401, "InvalidToken");
    });
    await client.auth.signIn({ username: "ada", password: "secret" });
    current = "t2";
    await Promise.all([client.tags.read(1), client.tags.read(2)]);
    expect(lines.filter((line) => line.includes("refresh"))).toEqual(['POST /api/auth/refresh {"refreshToken":"r1"}']);
  });

  it("rejects with the first error if no user is signed in", async () => {
    const { client, lines } = serve(({ url }) =>
      url.endsWith("/login") ? json({ data: {}, accessToken: "t1" }) : problem(401, "InvalidToken"),
    );
    await expect(client.tags.read(1)).rejects.toThrow("Reported InvalidToken.");
    expect(lines).toEqual(["GET /api/tags/1"]);
    await client.auth.signIn({ username: "ada", password: "secret" });
    await expect(client.tags.read(1)).rejects.toThrow("Reported InvalidToken.");
    expect(lines.slice(2)).toEqual(["GET /api/tags/1", "POST /api/auth/refresh"]);
  });
});

it("C74 awaiting a client returns the client", async () => {
  const { client } = serve(() => json({}));
  expect(await Promise.resolve(client)).toBe(client);
  expect(client.tags).toBe(client.tags);
});

it("C122 sends the consistency token of the last write with every later request", async () => {
  let writes = 0;
  const { client, requests } = serve(({ method }) =>
    json({ data: { id: 1 } }, method === "GET" ? {} : { headers: { "consistency-token": `token${++writes}` } }),
  );
  await client.tags.read(1);
  await client.tags.create({ name: "a" });
  await client.tags.read(1);
  await client.tags.update(1, { name: "b" });
  await client.tags.list();
  expect(requests.map(({ headers }) => headers.get("consistency-token"))).toEqual([
    null,
    null,
    "token1",
    "token1",
    "token2",
  ]);
});
