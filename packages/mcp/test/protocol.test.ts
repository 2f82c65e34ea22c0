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
const user = { "x-user": "1" };
const list = { jsonrpc: "2.0", id: 1, method: "tools/list" };

describe("C75 POST /api/mcp", () => {
  it("C75 responds with JSON that is not cached", async () => {
    const response = await (await serve()).post(list);
    expect([response.status, response.headers.get("content-type"), response.headers.get("cache-control")]).toEqual([
      ...[200, "application/json", "no-store"],
    ]);
  });

  it("C75 responds to a notification with 202 and without a body", async () => {
    const response = await (await serve()).post({ jsonrpc: "2.0", method: "notifications/initialized" });
    expect([response.status, await response.text(), response.headers.has("content-type")]).toEqual([202, "", false]);
  });

  it("C75 rejects pages of unknown origins", async () => {
    const library = await serve();
    const statusOf = async (origin: string) => (await library.post(list, { origin })).status;
    expect([await statusOf("https://known.example"), await statusOf("https://evil.example")]).toEqual([200, 403]);
  });

  it("C75 works without identification", async () => {
    expect((await (await serve({ identify: undefined })).post(list)).status).toBe(200);
  });

  it("C75 declares a body that is one JSON-RPC message", async () => {
    const library = await serve();
    for (const body of [[list], "text", { id: 1 }])
      expect((await library.post(body)).status, JSON.stringify(body)).toBeGreaterThanOrEqual(400);
  });

  it("C75 logs an internal error, and reports nothing of it", async () => {
    const logged: unknown[] = [];
    const failure = new Error("secret");
    const library = await serve({ log: (error) => logged.push(error), visible: () => Promise.reject(failure) });
    const text = await (await library.post(list)).text();
    expect(text).toContain("-32603");
    expect(text).not.toContain("secret");
    expect(logged).toEqual([failure]);
  });

  it("C75 reports an unknown tool as invalid parameters, and logs nothing", async () => {
    const logged: unknown[] = [];
    const library = await serve({ log: (error) => logged.push(error) });
    expect(await library.send("tools/call", { name: "nothing" })).toMatchObject({ error: { code: -32602 } });
    expect(logged).toEqual([]);
  });
});

describe("C75 the requests of tools", () => {
  const headersOf = async (headers: Record<string, string>) => {
    const library = await serve();
    await library.call("find", { resource: "books" }, headers);
    return { sent: library.reached[0]?.headers, host: library.url.slice("http://".length) };
  };

  it("C75 carry the headers of the caller, without those of the message", async () => {
    const { sent, host } = await headersOf({
      ...{ ...user, authorization: "Bearer t", "x-forwarded-for": "1.2.3.4", "x-request-id": "r" },
      ...{ "if-none-match": "x", "idempotency-key": "k", prefer: "return=minimal", range: "bytes=0-1" },
      ...{ "mcp-session-id": "s", "proxy-authorization": "p", "accept-language": "de" },
    });
    expect(sent).toMatchObject({ ...user, authorization: "Bearer t", "x-forwarded-for": "1.2.3.4", host });
    expect(sent?.accept).toBe("application/json");
    for (const name of ["idempotency-key", "prefer", "range", "if-none-match", "mcp-session-id", "proxy-authorization"])
      expect(sent, name).not.toHaveProperty(name);
    expect(sent).not.toHaveProperty("content-type");
  });

  it("C75 carry cookies only when they have identified the caller", async () => {
    expect((await headersOf({ cookie: "session=1" })).sent).not.toHaveProperty("cookie");
    expect((await headersOf({ ...user, cookie: "session=1" })).sent).toMatchObject({ cookie: "session=1" });
  });

  it("C75 with a path that is too long are rejected without a request", async () => {
    const library = await serve();
    const rejected = await library.call("find", { resource: "books", search: "x".repeat(12_000) });
    expect(rejected.isError).toBe(true);
    expect(rejected.text).toContain("UriTooLong");
    expect(library.reached).toEqual([]);
    await library.call("find", { resource: "books", search: "x".repeat(8000) });
    expect(library.reached).toHaveLength(1);
  });
});

describe("C75 the resources of the protocol", () => {
  const listed = async (library: Library, headers = {}) =>
    ((await library.send("resources/list", {}, headers)) as { resources: readonly { uri: string }[] }).resources;
  const document = "servicekit://api/openapi.json";

  it("C75 are the descriptions of the service and of each resource that the caller may read", async () => {
    const library = await serve();
    const books = { uri: "servicekit://resources/books", name: "books", mimeType: "application/json" };
    const authors = { ...books, uri: "servicekit://resources/authors", name: "authors", description: "Writes books." };
    expect(await listed(library)).toEqual([authors, books]);
    expect(await listed(library, user)).toEqual([
      { uri: document, name: "openapi.json", title: "OpenAPI", mimeType: "application/json" },
      authors,
      books,
    ]);
  });

  it("C75 without access rules contain every description with a route", async () => {
    const description = { title: "None", mimeType: "text/plain" };
    const library = await serve({
      allows: undefined,
      descriptions: [
        { ...description, path: "/api/openapi.json" },
        { ...description, path: "/api/nowhere" },
      ],
    });
    expect((await listed(library)).map(({ uri }) => uri)).not.toContain("servicekit://api/nowhere");
    expect((await listed(library)).map(({ uri }) => uri)).toContain(document);
  });

  it("C75 are read as the caller", async () => {
    const library = await serve();
    const read = (uri: string, headers = {}) => library.send("resources/read", { uri }, headers);
    expect(await read("servicekit://resources/books")).toMatchObject({
      contents: [{ mimeType: "application/json", text: expect.stringContaining('"resource":"books"') }],
    });
    expect(await read(document, user)).toMatchObject({ contents: [{ text: '{"id":7}' }] });
    for (const uri of ["servicekit://resources/none", "servicekit://api/none"])
      expect(await read(uri), uri).toMatchObject({ error: { code: -32602 } });
  });

  it("C75 that the service rejects do not exist, and text is passed on", async () => {
    let status = 200;
    const library = await serve({
      respond: (_request, response) => response.status(status).type("text").send("plain"),
    });
    const read = () => library.send("resources/read", { uri: document }, user);
    expect(await read()).toMatchObject({ contents: [{ text: "plain" }] });
    status = 403;
    expect(await read()).toMatchObject({ error: { code: -32602 } });
  });
});
