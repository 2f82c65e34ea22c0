import { afterEach, describe, expect, it } from "vitest";
import { type Library, type LibraryOptions, serveLibrary } from "./serve-library.js";

const open: Library[] = [];
afterEach(async () => {
  for (const one of open.splice(0)) await one.close();
});

async function serve(options: LibraryOptions = {}): Promise<Library> {
  const library = await serveLibrary(options);
  open.push(library);
  return library;
}

interface Listed {
  readonly name: string;
  readonly annotations: object;
}
const toolsOf = async (library: Library, headers = {}): Promise<readonly Listed[]> =>
  ((await library.send("tools/list", {}, headers)) as { tools: readonly Listed[] }).tools;
const namesOf = async (library: Library, headers = {}): Promise<readonly string[]> =>
  (await toolsOf(library, headers)).map(({ name }) => name);
const user = { "x-user": "1" };
const always = ["list_resources", "describe_resource", "find", "read"];

describe("C75 the tools of a caller", () => {
  it("C75 are those of routes that the caller may use", async () => {
    const library = await serve();
    expect(await namesOf(library)).toEqual([...always, "get_tides"]);
    expect(await namesOf(library, user)).toEqual([
      ...always,
      "create",
      "update",
      "delete",
      "get_tides",
      "post_orders_ship",
    ]);
  });

  it("C98 include aggregates of the models that enable them", async () => {
    const library = await serve({ access: "read", aggregates: true });
    expect(await namesOf(library)).toEqual([
      "list_resources",
      "describe_resource",
      "find",
      "aggregate",
      "read",
      "get_tides",
    ]);
    const { text } = await library.call("list_resources");
    expect(JSON.parse(text).data.map(({ can }: { can: string }) => can)).toEqual(["find read", "find aggregate read"]);
    await library.call("aggregate", {
      resource: "books",
      where: { pages: { lt: 9 } },
      groupBy: ["language", "author.name"],
      count: true,
      sum: ["pages"],
      having: { count: { gt: 1 } },
      sort: ["-sum.pages"],
    });
    expect(decodeURIComponent(library.reached[0]?.url ?? "")).toBe(
      "/api/books/aggregate?pages[lt]=9&having[count][gt]=1&sort=-sum.pages&groupBy=language,author.name&count=true&sum=pages",
    );
    const rejected = await library.call("aggregate", { resource: "authors", count: true });
    expect(rejected).toEqual({ isError: true, text: "You cannot aggregate authors, only find, read." });
  });

  it("C99 create or replace rows of the models that allow it", async () => {
    const library = await serve({ upserts: true });
    expect(await namesOf(library)).not.toContain("replace");
    expect(await namesOf(library, user)).toEqual([
      ...always,
      "create",
      "update",
      "replace",
      "delete",
      "get_tides",
      "post_orders_ship",
    ]);
    const data = { title: "Tides", language: "en", authorId: 1 };
    await library.call("replace", { resource: "books", key: 7, data, etag: '"a"' }, user);
    expect(library.reached[0]).toMatchObject({ method: "PUT", url: "/api/books/7", body: data });
    expect(library.reached[0]?.headers).toMatchObject({ "if-match": '"a"' });
    const rejected = await library.call("replace", { resource: "authors", key: 7, data }, user);
    expect(rejected).toMatchObject({ isError: true, text: expect.stringContaining("You cannot replace authors") });
  });

  it("C75 only read with access read", async () => {
    const library = await serve({ access: "read" });
    expect(await namesOf(library, user)).toEqual([...always, "get_tides"]);
  });

  it("C75 are all of them for everyone without access rules, and none of rows without resources", async () => {
    expect(await namesOf(await serve({ allows: undefined }))).toContain("delete");
    const empty = await serve({ visible: async () => [] });
    expect(await namesOf(empty)).toEqual(["list_resources", "describe_resource", "get_tides"]);
  });

  it("C75 declare whether they read, create or destroy", async () => {
    const tools = new Map((await toolsOf(await serve(), user)).map(({ name, annotations }) => [name, annotations]));
    const reads = { readOnlyHint: true, openWorldHint: false };
    const destroys = { readOnlyHint: false, destructiveHint: true, idempotentHint: true, openWorldHint: false };
    expect(tools.get("find")).toEqual(reads);
    expect(tools.get("get_tides")).toEqual(reads);
    expect(tools.get("create")).toEqual({ ...destroys, destructiveHint: false, idempotentHint: false });
    expect([tools.get("update"), tools.get("delete")]).toEqual([destroys, destroys]);
    expect(tools.get("post_orders_ship")).toEqual({ ...destroys, idempotentHint: false });
  });

  it("C75 that the caller may not use do not exist", async () => {
    const library = await serve();
    expect((await library.call("create", { resource: "books", data: {} }, {})).isError).toBe(true);
    expect((await library.call("post_orders_ship", { params: { id: "1" } }, {})).isError).toBe(true);
    expect(library.reached).toEqual([]);
  });
});

describe("C75 list_resources and describe_resource", () => {
  it("C75 list the name, the first sentence and the permitted actions of each resource", async () => {
    const library = await serve();
    const list = async (given = {}, headers = {}) =>
      JSON.parse((await library.call("list_resources", given, headers)).text);
    expect(await list()).toEqual({
      data: [
        { resource: "authors", description: "Writes books.", can: "find read" },
        { resource: "books", can: "find read" },
      ],
    });
    expect((await list({}, user)).data[1].can).toBe("find read create update delete");
    expect((await list({ matching: "WRITES" })).data).toHaveLength(1);
    expect((await list({ matching: "nothing" })).data).toEqual([]);
  });

  it("C75 describe the fields, relations, filters and bodies of a resource", async () => {
    const library = await serve();
    expect(JSON.parse((await library.call("describe_resource", { resource: "books" })).text)).toEqual({
      resource: "books",
      can: ["find", "read", "create", "update", "delete"],
      key: ["id"],
      fields: {
        id: "Int, key",
        title: "String. As on the cover.",
        pages: "Int, nullable",
        tags: "list of String",
        language: "one of de, en",
        authorId: "Int",
      },
      relations: { author: "one of authors (by authorId)" },
      filters: [
        { fields: "id pages", operators: "equals lt" },
        { fields: "title", operators: "contains" },
      ],
      create: { required: ["title", "language", "authorId or author"], optional: ["pages", "tags", "author"] },
      update: ["title", "pages", "tags", "language", "authorId", "author"],
    });
  });

  it("C75 describe hidden fields that bodies accept, and only what the caller may do", async () => {
    const library = await serve();
    const described = async (headers: Record<string, string>) =>
      JSON.parse((await library.call("describe_resource", { resource: "authors" }, headers)).text);
    const signedIn = await described(user);
    expect(signedIn.fields).toEqual({ id: "Int, key", name: "String, unique" });
    expect(signedIn.neverShown).toEqual({ password: "String" });
    expect(signedIn.relations).toEqual({ books: "many of books" });
    expect(signedIn.description).toBe("Writes books. Has a pen.");
    expect(Object.keys(await described({}))).toEqual([
      ...["resource", "description", "can", "key", "fields", "relations", "filters"],
    ]);
  });

  it("C75 report an unknown resource with the nearest name", async () => {
    const { text, isError } = await (await serve()).call("describe_resource", { resource: "book" });
    expect(isError).toBe(true);
    expect(text).toContain("Did you mean books?");
    expect((await (await serve()).call("describe_resource", { resource: "zzzzzz" })).text).not.toContain("mean");
  });
});

describe("C75 the tools of rows", () => {
  it.each<readonly [string, object, string, string, unknown]>([
    ["find", { resource: "books" }, "GET", "/api/books", undefined],
    [
      "find",
      { resource: "books", where: { pages: { lt: 9 } }, include: ["author"], sort: ["-id"], page: 2, limit: 3 },
      "GET",
      "/api/books?pages[lt]=9&sort=-id&include=author&page=2&limit=3",
      undefined,
    ],
    ["read", { resource: "books", key: 7, fields: ["title"] }, "GET", "/api/books/7?fields=title", undefined],
    ["read", { resource: "books", key: ["a/b", 2] }, "GET", "/api/books/a%2Fb,2", undefined],
    ["create", { resource: "books", data: { title: "T" } }, "POST", "/api/books", { title: "T" }],
    ["update", { resource: "books", key: 7, data: { title: "U" } }, "PATCH", "/api/books/7", { title: "U" }],
    ["delete", { resource: "books", key: "7" }, "DELETE", "/api/books/7", undefined],
  ])("C75 %s with %o requests the service", async (name, given, method, url, body) => {
    const library = await serve();
    expect(await library.call(name, given)).toEqual({ text: '{"id":7}', isError: false });
    const [reached] = library.reached;
    expect(decodeURIComponent(reached?.url ?? "")).toBe(decodeURIComponent(url));
    expect(reached?.method).toBe(method);
    expect(reached?.body).toEqual(body);
    expect(reached?.headers["x-user"]).toBe("1");
  });

  it("C101 find and restore deleted rows, if the caller may restore rows of any resource", async () => {
    const library = await serve({ restores: true });
    await library.call("find", { resource: "books", deleted: "only" });
    await library.call("read", { resource: "books", key: 7, deleted: "include" });
    await library.call("restore", { resource: "books", key: 7, etag: '"v1"' });
    expect(library.reached.map(({ method, url }) => `${method} ${url}`)).toEqual([
      "GET /api/books?deleted=only",
      "GET /api/books/7?deleted=include",
      "POST /api/books/7/restore",
    ]);
    expect(library.reached[2]?.headers["if-match"]).toBe('"v1"');
    expect((await library.call("restore", { resource: "authors", key: 7 })).isError).toBe(true);
    expect((await library.call("find", { resource: "books", deleted: "all" })).isError).toBe(true);
  });

  it("C75 send the version that was read as If-Match, and return the version of a full row", async () => {
    let etag = '"v1"';
    let value: object = { id: 7 };
    const library = await serve({ respond: (_request, response) => response.set("ETag", etag).json(value) });
    const read = async () => JSON.parse((await library.call("read", { resource: "books", key: 7 })).text);
    expect(await read()).toEqual({ id: 7, etag: '"v1"' });
    etag = 'W/"v1"';
    expect(await read()).toEqual({ id: 7 });
    etag = '"v2"';
    value = { data: [] };
    expect(await read()).toEqual({ data: [] });
    await library.call("update", { resource: "books", key: 7, data: {}, etag: '"v1"' });
    await library.call("delete", { resource: "books", key: 7 });
    expect(library.reached.slice(-2).map(({ headers }) => headers["if-match"])).toEqual(['"v1"', undefined]);
  });

  it.each([
    ["find", { resource: "books", unknown: 1 }],
    ["find", {}],
    ["read", { resource: "books", key: ".." }],
    ["read", { resource: "books", key: "" }],
    ["read", { resource: "booksy", key: 1 }],
    ["find", { resource: "books", where: { title: "\ud800" } }],
  ])("C75 %s with %o is rejected without a request", async (name, given) => {
    const library = await serve();
    expect((await library.call(name, given)).isError).toBe(true);
    expect(library.reached).toEqual([]);
  });

  it("C75 report a rejection by the service with its code, and other failures with their status", async () => {
    let body: object = { code: "ValidationFailed", detail: "No.", errors: [{ path: "/a" }], instance: "/x" };
    const library = await serve({ respond: (_request, response) => response.status(400).json(body) });
    const read = () => library.call("read", { resource: "books", key: 7 });
    const rejected = await read();
    expect(rejected.isError).toBe(true);
    expect(JSON.parse(rejected.text)).toEqual({
      ...{ status: 400, code: "ValidationFailed", detail: "No.", errors: [{ path: "/a" }] },
    });
    body = {};
    expect((await read()).text).toContain("400");
  });

  it("C75 report an empty response, and what cannot be shown", async () => {
    let respond: NonNullable<LibraryOptions["respond"]> = (_request, response) => response.status(204).end();
    const library = await serve({ respond: (request, response) => respond(request, response) });
    const tides = () => library.call("get_tides", { params: { port: "Hull" } });
    expect(await tides()).toEqual({ text: "Done.", isError: false });
    expect((await library.call("delete", { resource: "books", key: 1 })).text).toBe("Done.");
    respond = (_request, response) => response.type("text/plain").send("high");
    expect((await tides()).text).toBe("high");
    respond = (_request, response) => response.type("application/vnd.tides+json").send('{"high":1}');
    expect((await tides()).text).toBe('{"high":1}');
    respond = (_request, response) => response.type("image/png").send(Buffer.alloc(9));
    expect((await tides()).text).toContain("image/png");
    respond = (_request, response) => response.type("text/plain").send("x".repeat(8 * 1024 * 1024 + 1));
    expect((await tides()).text).toContain("8388608");
    // It does not end.
    respond = (_request, response) => response.type("text/event-stream").write("data: high\n\n");
    expect((await tides()).text).toContain("text/event-stream; charset=utf-8, which cannot be shown");
  });
});

describe("C75 the tool of a declared route", () => {
  it("C75 fills in the path and the query, and sends the body", async () => {
    const library = await serve();
    await library.call("get_tides", { params: { port: "Hull & more" }, query: { day: "1/2", deep: true, n: 5 } });
    await library.call("post_orders_ship", { params: { id: 5 }, body: { fast: true } });
    expect(library.reached.map(({ method, url, body }) => [method, url, body])).toEqual([
      ["GET", "/api/tides/Hull%20%26%20more?day=1%2F2&deep=true&n=5", undefined],
      ["POST", "/api/orders/5/ship", { fast: true }],
    ]);
  });

  it.each([
    [{}, "port"],
    [{ params: { port: ".." } }, "params"],
    [{ params: { port: "a" }, more: 1 }, "arguments"],
  ])("C75 rejects %o", async (given, text) => {
    const library = await serve();
    const rejected = await library.call("get_tides", given);
    expect(rejected.isError).toBe(true);
    expect(rejected.text).toContain(text);
    expect(library.reached).toEqual([]);
  });

  it("C75 is described by the OpenAPI document, which is made once", async () => {
    let documents = 0;
    const library = await serve({
      document: async () => {
        documents++;
        return {
          paths: {
            "/api/tides/{port}": { get: { summary: "Tides of a port.", description: "Daily." } },
            "/api/orders/{id}/ship": { post: { summary: "", description: "Ships." } },
          },
        };
      },
    });
    const tools = new Map((await toolsOf(library, user)).map((tool) => [tool.name, tool]));
    await toolsOf(library, user);
    expect(documents).toBe(1);
    expect(tools.get("get_tides")).toMatchObject({ title: "Tides of a port.", description: "Tides of a port. Daily." });
    expect(tools.get("post_orders_ship")).toMatchObject({ title: "POST /api/orders/:id/ship", description: "Ships." });
    const plain = await serve();
    expect((await toolsOf(plain)).at(-1)).toMatchObject({
      ...{ title: "GET /api/tides/:port", description: "GET /api/tides/:port" },
    });
  });
});
