import type dns from "node:dns";
import net from "node:net";
import { Webhook } from "standardwebhooks";
import { afterEach, describe, expect, it, vi } from "vitest";
import { freePort } from "../../../scripts/test/free-port.js";
import { makeSecret, makeSender, readAllowList, type SenderOptions } from "../src/index.js";
import { openReceiver, type Receiver } from "./receiver.js";

const open: Receiver[] = [];
afterEach(async () => {
  for (const receiver of open.splice(0)) await receiver.close();
});

async function receiverOf(...args: Parameters<typeof openReceiver>): Promise<Receiver> {
  const receiver = await openReceiver(...args);
  open.push(receiver);
  return receiver;
}

const senderOf = (options: Partial<SenderOptions> & { readonly allowed?: readonly string[] } = {}) =>
  makeSender({
    allow: readAllowList(options.allowed ?? ["127.0.0.1"]),
    ...{ requireHttps: false, timeoutMs: 30_000, userAgent: "test" },
    ...options,
  });

const noReason = "The request failed. The log of the service contains the reason.";
const forbidden =
  "The host is not public, or its name does not resolve. Use a public host, or add it to webhooks.allow.";

const message = { id: "evt_1", body: '{"type":"order.created","data":{"text":"ä\\n"}}' };

/** A replacement of `dns.lookup` that resolves every name to the next of these addresses. */
const resolvingTo = (...answers: readonly string[][]) => {
  let calls = 0;
  const resolve = ((_name: string, _options: object, done: (error: null, found: object) => void) => {
    const found = answers[Math.min(calls++, answers.length - 1)] ?? [];
    done(
      null,
      found.map((address) => ({ address, family: net.isIP(address) })),
    );
  }) as unknown as typeof dns.lookup;
  return { resolve, calls: () => calls };
};

describe("C112 a message", () => {
  it("is verified by the library of the receiver, also with each of two secrets", async () => {
    const receiver = await receiverOf();
    const secrets = [makeSecret(), makeSecret()];
    const attempt = await senderOf().send({ url: `${receiver.url}/hooks?a=b`, secrets }, message);
    expect(attempt).toMatchObject({ delivered: true, status: 204, response: "" });
    const [{ path, headers, body } = { path: "", headers: {}, body: "" }] = receiver.received;
    expect(path).toBe("/hooks?a=b");
    expect(headers).toMatchObject({ "content-type": "application/json", "webhook-id": "evt_1", "user-agent": "test" });
    for (const secret of secrets)
      expect(new Webhook(secret).verify(body, headers as Record<string, string>)).toEqual(JSON.parse(message.body));
    expect(() => new Webhook(makeSecret()).verify(body, headers as Record<string, string>)).toThrow("No matching");
  });

  it("is not sent without a secret", async () => {
    const receiver = await receiverOf();
    expect(await senderOf().send({ url: receiver.url, secrets: [] }, message)).toMatchObject({
      delivered: false,
      error: expect.stringContaining("no secret"),
    });
    expect(receiver.received).toEqual([]);
  });
});

describe("C112 an attempt", () => {
  const secrets = [makeSecret()];

  it("fails with the status and the beginning of the body of an error response", async () => {
    const receiver = await receiverOf((response) => response.writeHead(500).end("broken\u0000"));
    expect(await senderOf().send({ url: receiver.url, secrets }, message)).toMatchObject({
      ...{ delivered: false, status: 500, response: "broken\uFFFD" },
    });
  });

  it("does not follow a redirect", async () => {
    const target = await receiverOf();
    const receiver = await receiverOf((response) => response.writeHead(307, { location: target.url }).end());
    expect(await senderOf().send({ url: receiver.url, secrets }, message)).toMatchObject({
      ...{ delivered: false, status: 307 },
    });
    expect(target.received).toEqual([]);
  });

  it("ends after the time limit if the receiver never responds", async () => {
    const receiver = await receiverOf(() => undefined);
    expect(await senderOf({ timeoutMs: 200 }).send({ url: receiver.url, secrets }, message)).toMatchObject({
      ...{ delivered: false, error: noReason },
    });
  });

  it("fails with the code of the first error if none of several public addresses can be reached", async () => {
    const { resolve } = resolvingTo(["93.184.215.14", "93.184.215.15"]);
    const refused = Object.assign(new Error("connect ECONNREFUSED 93.184.215.14:80"), { code: "ECONNREFUSED" });
    vi.spyOn(net.Socket.prototype, "connect").mockImplementation(function connect(
      this: net.Socket,
      ...args: unknown[]
    ) {
      const [{ host, lookup }] = args.flat() as [{ host: string; lookup: net.LookupFunction }];
      Object.assign(this, { connecting: true });
      lookup(host, { all: true }, () => setImmediate(() => this.destroy(refused)));
      return this;
    });
    try {
      const errors: unknown[] = [];
      const sender = senderOf({ allowed: [], resolve, onError: (error, host) => errors.push([String(error), host]) });
      const attempt = await sender.send({ url: "http://hooks.example.com/", secrets }, message);
      expect(attempt).toMatchObject({ delivered: false, error: "The request failed: ECONNREFUSED." });
      expect(errors).toEqual([["Error: connect ECONNREFUSED 93.184.215.14:80", "hooks.example.com"]]);
    } finally {
      vi.restoreAllMocks();
    }
  });

  it("fails without a reason at an allowed address that is not public, which only the operator receives", async () => {
    const { resolve } = resolvingTo(["127.0.0.1", "127.0.0.2"]);
    const port = await freePort();
    const errors: unknown[] = [];
    const onError = (error: unknown) => void errors.push(error);
    const named = senderOf({ allowed: ["hooks.internal"], resolve, onError });
    const silent = await receiverOf(() => undefined);
    for (const attempt of [
      await named.send({ url: `http://hooks.internal:${port}/`, secrets }, message),
      await senderOf({ onError }).send({ url: `http://127.0.0.1:${port}/`, secrets }, message),
      await senderOf({ timeoutMs: 200, onError }).send({ url: silent.url, secrets }, message),
    ])
      expect(attempt).toMatchObject({
        ...{ delivered: false, error: noReason },
      });
    expect(errors.map((error) => (error as { code: unknown }).code)).toEqual([
      "ECONNREFUSED",
      "ECONNREFUSED",
      "ABORT_ERR",
    ]);
  });

  it("ends with the status if the body of the response never ends", async () => {
    let written = 0;
    const receiver = await receiverOf((response) => {
      response.writeHead(200);
      const more = (): void => {
        while (!response.destroyed && response.write("x".repeat(65_536))) written += 65_536;
        if (!response.destroyed) response.once("drain", more);
      };
      more();
    });
    const attempt = await senderOf().send({ url: receiver.url, secrets }, message);
    expect(attempt).toMatchObject({ delivered: true, status: 200, response: "x".repeat(1024) });
    expect(written).toBeLessThan(100_000_000);
  });

  it("ends with the status if the body stops after its first bytes", async () => {
    const receiver = await receiverOf((response) => {
      response.writeHead(200);
      response.write("first");
    });
    const attempt = await senderOf({ timeoutMs: 500 }).send({ url: receiver.url, secrets }, message);
    expect(attempt).toMatchObject({ delivered: true, status: 200, response: "first" });
  });

  it("fails if the header of the response is too large or is not HTTP", async () => {
    const huge = await receiverOf((response) => response.writeHead(200, { a: "x".repeat(100_000) }).end());
    expect(await senderOf().send({ url: huge.url, secrets }, message)).toMatchObject({
      ...{ delivered: false, error: noReason },
    });
    const strange = net.createServer((socket) => socket.on("error", () => undefined).end("SSH-2.0-OpenSSH\r\n"));
    await new Promise<void>((resolve) => strange.listen(0, "127.0.0.1", resolve));
    const { port } = strange.address() as net.AddressInfo;
    const attempt = await senderOf().send({ url: `http://127.0.0.1:${port}`, secrets }, message);
    strange.close();
    expect(attempt).toMatchObject({ delivered: false, error: noReason });
  });

  it.each([
    ["7", 7000],
    ["-1", 0],
    ["soon", undefined],
    ["9999999999", 86_400_000],
  ])("reads Retry-After: %s of a 429", async (text, retryAfterMs) => {
    const receiver = await receiverOf((response) => response.writeHead(429, { "retry-after": text }).end());
    const attempt = await senderOf().send({ url: receiver.url, secrets }, message);
    expect(attempt).toMatchObject({ delivered: false, status: 429 });
    expect(attempt.retryAfterMs).toBe(retryAfterMs);
  });
});

describe("C112 an attempt is rejected", () => {
  const secrets = [makeSecret()];

  it.each([
    [["127.0.0.1"]],
    [["10.1.2.3"]],
    [["::1"]],
    [["::ffff:127.0.0.1"]],
    [["64:ff9b::7f00:1"]],
    [["169.254.169.254"]],
    [["168.63.129.16"]],
    [["93.184.215.14", "127.0.0.1"]],
  ])("for a name that resolves to %j", async (addresses) => {
    const receiver = await receiverOf();
    const { resolve, calls } = resolvingTo(addresses);
    const attempt = await senderOf({ allowed: [], resolve }).send(
      { url: `http://rebind.example.com:${receiver.port}/`, secrets },
      message,
    );
    expect(attempt).toMatchObject({
      ...{ delivered: false, error: forbidden, duration: 0 },
    });
    expect(calls()).toBe(1);
    expect(receiver.received).toEqual([]);
  });

  it.each([
    ["does not resolve", (done: (error: Error) => void) => done(new Error("getaddrinfo ENOTFOUND db.example.com"))],
    ["does not resolve in time", () => undefined],
  ])("for a name that %s, with the error of a private address", async (_case, lookUp) => {
    const resolve = ((_name: string, _options: object, done: (error: Error) => void) =>
      lookUp(done)) as unknown as typeof dns.lookup;
    const sender = senderOf({ allowed: [], resolve, timeoutMs: 100 });
    expect(await sender.send({ url: "https://db.example.com/", secrets }, message)).toMatchObject({
      ...{ delivered: false, error: forbidden, duration: 0 },
    });
  });

  it("when a name that was public resolves to a private address", async () => {
    const receiver = await receiverOf();
    const { resolve } = resolvingTo(["93.184.215.14"], ["127.0.0.1"]);
    const target = { url: `http://rebind.example.com:${receiver.port}/`, secrets };
    const sender = senderOf({ allowed: [], resolve, timeoutMs: 100 });
    await sender.send(target, message);
    expect(await sender.send(target, message)).toMatchObject({
      ...{ delivered: false, error: forbidden },
    });
    expect(receiver.received).toEqual([]);
  });

  it("for a URL that is not allowed, such as one that was stored before the rules changed", async () => {
    const receiver = await receiverOf();
    expect(await senderOf({ allowed: [] }).send({ url: receiver.url, secrets }, message)).toMatchObject({
      ...{ delivered: false, error: forbidden, duration: 0 },
    });
    expect(receiver.received).toEqual([]);
  });
});

it("C112 reaches an allowed host at a private address, and a name at an allowed address", async () => {
  const receiver = await receiverOf();
  const secrets = [makeSecret()];
  const target = { url: `http://hooks.internal:${receiver.port}/`, secrets };
  const { resolve } = resolvingTo(["127.0.0.1"]);
  expect(await senderOf({ allowed: ["hooks.internal"], resolve }).send(target, message)).toMatchObject({
    delivered: true,
  });
  const named = { url: `http://hooks.example.com:${receiver.port}/`, secrets };
  expect(await senderOf({ allowed: ["127.0.0.0/8"], resolve }).send(named, message)).toMatchObject({
    delivered: true,
  });
  expect(receiver.received).toHaveLength(2);
});
