import { afterEach, describe, expect, it, vi } from "vitest";
import { ApiError, makeClient, type SendOptions } from "../src/index.js";
import { withProgress } from "../src/progress.js";
import { writePlainQuery, writeQuery } from "../src/write-query.js";

interface Api {
  tags: {
    key: number;
    row: { id: number };
    create: { name: string };
    update: { name?: string };
    filters: Record<never, never>;
    relations: Record<never, never>;
  };
}

afterEach(() => {
  vi.unstubAllGlobals();
  vi.useRealTimers();
});

const list = (): Response => Response.json({ data: [], meta: {} });
const busy = (status: number, after?: string): Response =>
  Response.json({ code: "Busy" }, { status, ...(after === undefined ? {} : { headers: { "retry-after": after } }) });

function serve(responses: readonly (() => Response)[], options: SendOptions = {}) {
  const requests: Request[] = [];
  const client = makeClient<Api>({
    baseUrl: "http://shop.test",
    ...options,
    fetch: async (request) => {
      requests.push(request);
      const reply = responses[Math.min(requests.length, responses.length) - 1];
      if (reply === undefined) throw new Error("No response is left.");
      return reply();
    },
  });
  return { client, requests };
}

describe("C74 a request", () => {
  it("C74 has the headers of the client and of the call, which wins", async () => {
    const { client, requests } = serve([list], { headers: { "x-api-key": "k", "x-a": "client" } });
    await client.tags.list({}, { headers: { "x-a": "call" } });
    const { headers } = requests[0] as Request;
    expect([headers.get("x-api-key"), headers.get("x-a"), headers.get("accept")]).toEqual([
      ...["k", "call", "application/json"],
    ]);
    expect([headers.has("content-type"), headers.has("authorization"), headers.has("idempotency-key")]).toEqual([
      ...[false, false, false],
    ]);
  });

  it("C74 carries cookies as the client is configured", async () => {
    for (const [options, expected] of [
      [{}, "same-origin"],
      [{ credentials: "include" }, "include"],
      [{ credentials: "omit" }, "omit"],
    ] as const) {
      const { client, requests } = serve([list], options);
      await client.tags.list();
      expect(requests[0]?.credentials).toBe(expected);
    }
  });

  it("C74 is JSON with a body", async () => {
    const { client, requests } = serve([() => Response.json({ data: { id: 1 } }, { status: 201 })]);
    await client.tags.create({ name: "a" });
    expect(requests[0]?.headers.get("content-type")).toBe("application/json");
    expect(await requests[0]?.json()).toEqual({ name: "a" });
  });
});

describe("C74 a repeated read", () => {
  it("C74 waits for the time in Retry-After, otherwise longer for each retry", async () => {
    vi.useFakeTimers();
    const { client, requests } = serve([() => busy(429, "3"), () => busy(503), list]);
    const pending = client.tags.list();
    await vi.advanceTimersByTimeAsync(2_999);
    expect(requests).toHaveLength(1);
    await vi.advanceTimersByTimeAsync(1);
    expect(requests).toHaveLength(2);
    await vi.advanceTimersByTimeAsync(399);
    expect(requests).toHaveLength(2);
    await vi.advanceTimersByTimeAsync(1);
    await pending;
    expect(requests).toHaveLength(3);
  });

  it("C74 is not sent for other statuses, nor when it would wait longer than 30 s", async () => {
    for (const reply of [() => busy(500), () => busy(502), () => busy(429, "31"), () => busy(429, "later")]) {
      const { client, requests } = serve([reply]);
      await expect(client.tags.list()).rejects.toThrow(ApiError);
      expect(requests).toHaveLength(1);
    }
  });

  it("C74 is sent twice at most, or as often as configured", async () => {
    for (const [options, times] of [
      [{}, 3],
      [{ retries: 0 }, 1],
      [{ retries: 1 }, 2],
    ] as const) {
      const { client, requests } = serve([() => busy(503, "0")], options);
      await expect(client.tags.list()).rejects.toMatchObject({ status: 503, retryAfter: 0 });
      expect(requests).toHaveLength(times);
    }
  });

  it("C74 ends while it waits when the caller aborts", async () => {
    vi.useFakeTimers();
    const gone = new AbortController();
    const { client, requests } = serve([() => busy(503, "20")]);
    const pending = client.tags.list({}, { signal: gone.signal });
    const rejected = expect(pending).rejects.toThrow("enough");
    await vi.advanceTimersByTimeAsync(10);
    gone.abort(new Error("enough"));
    await rejected;
    expect(requests).toHaveLength(1);
  });

  it("C74 reports a successful response that is not JSON, and a failed one as an ApiError", async () => {
    await expect(serve([() => new Response("<html>")]).client.tags.list()).rejects.toThrow(SyntaxError);
    await expect(serve([() => new Response("<html>", { status: 404 })]).client.tags.list()).rejects.toThrow(ApiError);
  });
});

describe("C74 a query", () => {
  const of = (...given: Parameters<typeof writeQuery>): string => decodeURIComponent(writeQuery(...given));

  it.each([
    [{}, ""],
    [{ sort: [], fields: [], search: "" }, ""],
    [{ cursor: "" }, "?cursor="],
    [{ page: 2, limit: 0, count: false }, "?page=2&limit=0&count=false"],
    [{ sort: ["-id", "name"], fields: ["id", "name"] }, "?sort=-id,name&fields=id,name"],
    [{ include: { a: true, b: { c: true, d: { e: true } }, f: undefined } }, "?include=a,b.c,b.d.e"],
    [{ where: { a: 5, b: "5", c: true, d: "true" } }, "?a=5&b=5&c=true&d=true"],
    [{ where: { limit: [1, 2], sort: null } }, "?limit[in]=1,2&sort[equals]=null"],
  ])("C74 %o is %s", (query, expected) => {
    expect(of(query)).toBe(expected);
  });

  it("C74 of a declared route leaves out what is undefined", () => {
    expect(writePlainQuery({ a: undefined })).toBe("");
    expect(writePlainQuery({ a: undefined, b: 1 })).toBe("?b=1");
    expect(writePlainQuery()).toBe("");
  });
});

describe("C74 the progress of an upload", () => {
  const upload = (body = "12345"): Request => new Request("http://shop.test/files", { method: "POST", body });

  it("C74 counts the bytes of the body outside of a page", async () => {
    const reported: unknown[] = [];
    vi.stubGlobal("fetch", async (request: Request) => new Response(await request.text()));
    const response = await withProgress((progress) => reported.push(progress))(upload());
    expect(await response.text()).toBe("12345");
    expect(reported.at(-1)).toEqual({ sent: 5, total: 5 });
  });

  /** The part of XMLHttpRequest that is used. */
  class Page {
    static last: Page;
    readonly upload: { onprogress?: (event: object) => void } = {};
    readonly sentHeaders: Record<string, string> = {};
    status = 200;
    statusText = "OK";
    response: unknown = new Blob(["done"]);
    withCredentials = false;
    onload?: () => void;
    onerror?: () => void;
    onabort?: () => void;
    onloadend?: () => void;
    target = "";
    body: unknown;
    constructor() {
      Page.last = this;
    }
    open(method: string, url: string): void {
      this.target = `${method} ${url}`;
    }
    setRequestHeader(name: string, value: string): void {
      this.sentHeaders[name] = value;
    }
    getAllResponseHeaders(): string {
      return "x-a: 1\r\nx-b: a:b\r\n";
    }
    send(body: unknown): void {
      this.body = body;
    }
    abort(): void {
      this.onabort?.();
      this.onloadend?.();
    }
  }
  const sendByPage = async (request = upload()) => {
    vi.stubGlobal("XMLHttpRequest", Page);
    const reported: unknown[] = [];
    const pending = withProgress((progress) => reported.push(progress))(request);
    pending.catch(() => undefined);
    await vi.waitFor(() => expect(Page.last?.body).toBeDefined());
    return { pending, reported, page: Page.last };
  };
  afterEach(() => {
    Page.last = undefined as never;
  });

  it("C74 is that of the page, whose response has its status, headers and body", async () => {
    const { pending, reported, page } = await sendByPage();
    page.upload.onprogress?.({ loaded: 2, total: 5 });
    page.onload?.();
    const response = await pending;
    expect([page.target, page.withCredentials, reported]).toEqual([
      ...["POST http://shop.test/files", false, [{ sent: 2, total: 5 }]],
    ]);
    expect(page.sentHeaders["content-type"]).toContain("text/plain");
    expect([response.status, response.headers.get("x-a"), response.headers.get("x-b")]).toEqual([200, "1", "a:b"]);
    expect(await response.text()).toBe("done");
  });

  it.each([204, 205, 304])("C74 of a response with status %i ends without a body", async (status) => {
    const { pending, page } = await sendByPage(new Request(upload(), { credentials: "include" }));
    page.status = status;
    page.onload?.();
    expect((await pending).body).toBeNull();
    expect(page.withCredentials).toBe(true);
  });

  it("C74 ends with an error when there is no response, and with the reason of the caller", async () => {
    const failed = await sendByPage();
    failed.page.onerror?.();
    await expect(failed.pending).rejects.toThrow(TypeError);
    Page.last = undefined as never;
    const gone = new AbortController();
    const aborted = await sendByPage(new Request(upload(), { signal: gone.signal }));
    gone.abort(new Error("enough"));
    await expect(aborted.pending).rejects.toThrow("enough");
  });
});
