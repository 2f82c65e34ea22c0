import { pino } from "pino";
import { afterEach, describe, expect, it } from "vitest";
import { z } from "zod";
import service, { ServiceRouter } from "../src/index.js";

const open: { close(): Promise<void> }[] = [];
afterEach(async () => {
  for (const running of open.splice(0)) await running.close();
});
const create: typeof service.create = async (config) => {
  const created = await service.create(
    { logger: pino({ level: "silent" }), ...config },
    { directory: import.meta.dirname, environment: { NODE_ENV: "test" }, argv: [] },
  );
  open.push(created);
  return created;
};
const at = (path: string, init?: RequestInit & { duplex?: "half" }): Request =>
  new Request(`http://shop.test${path}`, init);
const megabyte = 1024 * 1024;

describe("C74 the fetch handler of a service that does not listen", () => {
  it("C74 responds like the server: body, status, headers, problems", async () => {
    const { fetch, server } = await create({ welcomeMessage: "Hello" });
    const welcome = await fetch(at("/api", { headers: { "X-Request-Id": "abc-1" } }));
    expect([welcome.status, await welcome.json()]).toEqual([200, { message: "Hello" }]);
    expect(welcome.headers.get("x-request-id")).toBe("abc-1");
    expect(welcome.headers.get("x-content-type-options")).toBe("nosniff");
    expect(welcome.headers.has("connection")).toBe(false);
    const absent = await fetch(at("/api/nothing"));
    expect(absent.headers.get("content-type")).toMatch(/^application\/problem\+json/);
    expect(await absent.json()).toMatchObject({ status: 404, code: "NotFound", instance: "/api/nothing" });
    const head = await fetch(at("/api", { method: "HEAD" }));
    expect([head.status, await head.text(), head.headers.get("content-length")]).toEqual([200, "", "19"]);
    expect((await fetch(at("/api", { method: "DELETE" }))).status).toBe(405);
    expect(server.listening).toBe(false);
  });

  it("parses and validates a body, and returns each cookie separately", async () => {
    const router = ServiceRouter();
    router.post({ path: "/notes", validation: { body: z.object({ text: z.string() }) } }, (request, response) => {
      response.cookie("a", "1").cookie("b", "2").status(201).json({ data: request.body });
    });
    const { fetch } = await create({ use: [router] });
    const send = (body: unknown) =>
      fetch(
        at("/notes", {
          method: "POST",
          headers: { "content-type": "application/json" },
          body: JSON.stringify(body),
        }),
      );
    const made = await send({ text: "hi" });
    expect([made.status, await made.json()]).toEqual([201, { data: { text: "hi" } }]);
    expect(made.headers.getSetCookie()).toEqual(["a=1; Path=/", "b=2; Path=/"]);
    const rejected = await send({ text: 1 });
    expect(await rejected.json()).toMatchObject({ code: "ValidationError", errors: [{ path: "/text" }] });
  });

  it("sends the body of a DELETE, and returns a response that was already complete", async () => {
    const router = ServiceRouter();
    router.delete(
      { path: "/notes", validation: { body: z.object({ ids: z.array(z.int()) }) } },
      (_request, response) => {
        response.json({ meta: { count: 2 } });
      },
    );
    const { fetch } = await create({ use: [router] });
    const headers = { "content-type": "application/json" };
    for (let time = 0; time < 100; time++) {
      const reply = await fetch(at("/notes", { method: "DELETE", headers, body: '{"ids":[1,2]}' }));
      expect(await reply.json()).toEqual({ meta: { count: 2 } });
    }
  });

  it("rejects if the service responds with a status that a Response cannot have", async () => {
    const router = ServiceRouter();
    router.get("/status", (_request, response) => {
      response.status(999).json({});
    });
    const { fetch } = await create({ use: [router] });
    await expect(fetch(at("/status"))).rejects.toThrow(RangeError);
  });

  it("has the origin of the request: host, protocol, and an address behind a trusted proxy", async () => {
    const router = ServiceRouter();
    router.get("/peer", ({ hostname, protocol, ip }, response) => {
      response.json({ hostname, protocol, ip });
    });
    const { fetch } = await create({ use: [router], trustProxy: "loopback" });
    const reply = await fetch(new Request("https://shop.test/peer", { headers: { "X-Forwarded-For": "192.0.2.7" } }));
    expect(await reply.json()).toEqual({ hostname: "shop.test", protocol: "https", ip: "192.0.2.7" });
  });

  it("streams in both directions, with backpressure", async () => {
    let produced = 0;
    const router = ServiceRouter();
    router.post({ path: "/echo", bodyParser: false }, (request, response) => {
      request.pipe(response);
    });
    const { fetch } = await create({ use: [router] });
    const body = new ReadableStream<Uint8Array>({
      pull: (controller) => {
        if (produced === 64) controller.close();
        else {
          produced++;
          controller.enqueue(new Uint8Array(megabyte).fill(produced));
        }
      },
    });
    const reply = await fetch(at("/echo", { method: "POST", body, duplex: "half" }));
    const reader = (reply.body as ReadableStream<Uint8Array>).getReader();
    const first = await reader.read();
    expect(first.value?.[0]).toBe(1);
    // Everything that could move without a reader has moved.
    for (let turn = 0; turn < 50; turn++) await new Promise((resolve) => setImmediate(resolve));
    expect(produced).toBeLessThan(32);
    let size = first.value?.length ?? 0;
    for (let part = await reader.read(); !part.done; part = await reader.read()) size += part.value.length;
    expect([size, produced]).toEqual([64 * megabyte, 64]);
  });

  it("aborts a request when its caller aborts, before and during the response", async () => {
    const closed: string[] = [];
    const begun = new Map<string, () => void>();
    const router = ServiceRouter();
    router.get("/wait/:how", (request, response) => {
      const { how } = request.params;
      if (how === "within") response.write("one");
      response.once("close", () => closed.push(how));
      begun.get(how)?.();
    });
    const { fetch } = await create({ use: [router] });
    const before = new AbortController();
    const isBegun = new Promise<void>((resolve) => begun.set("before", resolve));
    const reply = fetch(at("/wait/before", { signal: before.signal }));
    await isBegun;
    before.abort(new Error("enough"));
    await expect(reply).rejects.toThrow("enough");
    const within = new AbortController();
    const { body } = await fetch(at("/wait/within", { signal: within.signal }));
    const reader = (body as ReadableStream<Uint8Array>).getReader();
    expect(new TextDecoder().decode((await reader.read()).value)).toBe("one");
    within.abort(new Error("enough"));
    await expect(reader.read()).rejects.toThrow("enough");
    await expect.poll(() => closed.toSorted()).toEqual(["before", "within"]);
    await expect(fetch(at("/api", { signal: AbortSignal.abort(new Error("aborted early")) }))).rejects.toThrow(
      "aborted early",
    );
  });

  it("returns the response to a body that is rejected before it was read completely", async () => {
    const { fetch } = await create();
    const body = new ReadableStream<Uint8Array>({
      pull: (controller) => controller.enqueue(new Uint8Array(64 * 1024).fill(32)),
    });
    const headers = { "content-type": "application/json" };
    const reply = await fetch(at("/api/nothing", { method: "POST", body, headers, duplex: "half" }));
    expect([reply.status, (await reply.json()).code]).toEqual([413, "PayloadTooLarge"]);
  });

  it("completes running requests when the service closes, and accepts none after that", async () => {
    let finish: (() => void) | undefined;
    const router = ServiceRouter();
    router.get("/slow", (_request, response) => {
      finish = () => response.json({ done: true });
    });
    const { fetch, close } = await create({ use: [router] });
    const reply = fetch(at("/slow"));
    await expect.poll(() => finish).toBeDefined();
    const isClosed = close();
    await expect(fetch(at("/slow"))).rejects.toThrow("closed");
    finish?.();
    expect(await (await reply).json()).toEqual({ done: true });
    await isClosed;
  });
});
