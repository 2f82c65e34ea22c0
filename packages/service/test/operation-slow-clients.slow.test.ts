import { once } from "node:events";
import { type AddressInfo, connect, type Socket } from "node:net";
import { Readable } from "node:stream";
import { setTimeout as wait } from "node:timers/promises";
import { afterAll, describe, expect, it } from "vitest";
import { type RunningService, ServiceRouter } from "../src/index.js";
import { makeStarter } from "./start.js";

const { init, closeAll, logged } = makeStarter();
const sockets: Socket[] = [];
afterAll(async () => {
  for (const socket of sockets.splice(0)) socket.destroy();
  await closeAll();
});

const router = ServiceRouter();
router.post({ path: "/read" }, (req, res) => void res.json({ data: req.body }));
router.post({ path: "/late-reader", bodyParser: false }, async (req, res) => {
  // Its own pace: nothing is expected meanwhile.
  await wait(16_000);
  let bytes = 0;
  for await (const chunk of req) bytes += (chunk as Buffer).length;
  res.json({ data: bytes });
});
const large = "x".repeat(40_000_000);
router.get({ path: "/large", compression: false }, (_req, res) => void res.json({ data: large }));
router.get({ path: "/streamed", compression: false }, (_req, res) => {
  const chunk = Buffer.alloc(65_536, "x");
  const left = { bytes: large.length };
  Readable.from(
    (function* () {
      for (; left.bytes > 0; left.bytes -= chunk.length) yield chunk;
    })(),
  ).pipe(res);
});
router.get({ path: "/quiet" }, async (_req, res) => {
  res.write("begun ");
  await wait(80_000);
  res.end("ended");
});

/** A connection, its number of received bytes, their start, and when it was closed. */
function open({ server }: RunningService) {
  const socket = connect((server.address() as AddressInfo).port, "127.0.0.1");
  sockets.push(socket);
  const came = { bytes: 0, text: "" };
  socket.on("data", (chunk: Buffer) => {
    came.bytes += chunk.length;
    if (came.text.length < 2_000) came.text += chunk;
  });
  socket.on("error", () => undefined);
  return { socket, came, closed: once(socket, "close").then(() => came.text) };
}
const head = (path: string, length: number) =>
  `POST ${path} HTTP/1.1\r\nHost: a\r\nContent-Type: application/json\r\nConnection: close\r\nContent-Length: ${length}\r\n\r\n`;

// Each waits for time to pass, with little work.
describe.concurrent("C43 clients that send slowly", () => {
  it("600 bodies at a byte in four seconds get 408, and other clients are served meanwhile", async () => {
    const running = await init({ use: [router], middlewares: { rateLimit: false } });
    const slow = Array.from({ length: 600 }, () => open(running));
    for (const { socket } of slow) socket.write(`${head("/read", 200)}{`);
    const timer = setInterval(() => {
      for (const { socket } of slow) if (!socket.destroyed) socket.write(" ");
    }, 4_000);
    let served = 0;
    const requesting = (async () => {
      for (let i = 0; i < 40; i++) {
        const { status } = await fetch(`${running.url}/read`, { method: "POST" });
        if (status === 200) served++;
        await wait(200);
      }
    })();
    const responses = await Promise.all(slow.map(({ closed }) => closed));
    clearInterval(timer);
    await requesting;
    expect(responses.filter((text) => /^HTTP\/1\.1 408 [\s\S]*"code":"RequestTimeout"/.test(text))).toHaveLength(600);
    expect(served).toBe(40);
  });

  it("a body that never ends is 408 after timeouts.body, however fast it arrives", async () => {
    const running = await init({ use: [router], timeouts: { body: 1_000, idle: 400 } });
    const { socket, closed } = open(running);
    socket.write(head("/read", 1_000_000));
    const timer = setInterval(() => socket.destroyed || socket.write(" ".repeat(1_000)), 50);
    expect(await closed).toMatch(/^HTTP\/1\.1 408 [\s\S]*"code":"RequestTimeout"/);
    clearInterval(timer);
  });

  it("time in which the body is not read does not count against the client", async () => {
    const running = await init({ use: [router], timeouts: { body: 12_000 } });
    const { socket, closed } = open(running);
    socket.write(`${head("/late-reader", 1_000)}${" ".repeat(900)}`);
    await wait(17_000);
    socket.write(" ".repeat(100));
    expect(await closed).toMatch(/^HTTP\/1\.1 200 [\s\S]*"data":1000/);
  });
});

describe.concurrent("C43 clients that read slowly", () => {
  it("are disconnected when they stop or hardly read, and those that continue get everything", async ({ expect }) => {
    const running = await init({ use: [router], middlewares: { rateLimit: false } });
    const call = (path: string) => {
      const opened = open(running);
      opened.socket.write(`GET ${path} HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n`);
      return opened;
    };
    const stalled = [call("/large"), call("/streamed")];
    for (const { socket } of stalled) socket.pause();
    const steady = [call("/large"), call("/streamed")];
    for (const { socket } of steady) {
      socket.on("data", () => {
        socket.pause();
        setTimeout(() => socket.resume(), 60);
      });
    }
    const quiet = call("/quiet");
    const connections = (): Promise<number> =>
      new Promise((resolve, reject) =>
        running.server.getConnections((error, count) => (error ? reject(error) : resolve(count))),
      );
    await expect.poll(connections).toBe(5);
    expect(await quiet.closed).toContain("ended");
    for (const { closed, came } of steady) {
      await closed;
      expect(came.bytes).toBeGreaterThan(large.length);
    }
    await expect.poll(connections).toBe(0);
    const lines = () => logged().filter(({ msg, status }) => msg === "request" && status === 499);
    await expect
      .poll(() =>
        lines()
          .map(({ route }) => route)
          .sort(),
      )
      .toEqual(["/large", "/streamed"]);
  });
});
