import { once } from "node:events";
import { type ClientRequest, createServer, get, type IncomingMessage, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { afterEach, describe, expect, it } from "vitest";
import { type LoadAllowed, type ObservedLoad } from "../../src/overload/assess-load.js";
import { shedLoad } from "../../src/overload/shed-load.js";

const open: Server[] = [];
afterEach(() => {
  for (const server of open.splice(0)) {
    server.close();
    server.closeAllConnections();
  }
});

/** A server that allows three requests, one of them running, whose handler waits for a signal. */
async function serveThree() {
  const seen: ObservedLoad[] = [];
  const allowed: LoadAllowed = { max: 3, maxRunning: 1, isFull: true };
  const came: string[] = [];
  const gone: string[] = [];
  const begun: string[] = [];
  const stored: (() => void)[] = [];
  const rejected = { count: 0 };
  const shedding = shedLoad(
    {
      maxWait: 500,
      pool: () => ({ size: 1, waiting: 0 }),
      isAlwaysServed: ({ url }) => url === "/health",
      countRejection: () => rejected.count++,
      reject: (_request, response) => response.writeHead(503, { "retry-after": "2" }).end(),
    },
    (load) => {
      seen.push(load);
      return allowed;
    },
  );
  const server = createServer((request, response) => {
    const { url = "" } = request;
    came.push(url);
    response.once("close", () => gone.push(url));
    shedding.gate(request, response, () => {
      begun.push(url);
      if (url === "/health") response.end();
      else stored.push(() => response.end());
    });
  });
  shedding.watch(server);
  open.push(server.listen(0, "127.0.0.1"));
  await once(server, "listening");
  await expect.poll(() => seen.length).toBeGreaterThan(0);
  const call = (path: string): { request: ClientRequest; status: Promise<number | undefined> } => {
    const request = get({ host: "127.0.0.1", port: (server.address() as AddressInfo).port, path, agent: false });
    const status = once(request, "response").then(
      ([response]: IncomingMessage[]) => response?.resume().statusCode,
      () => undefined,
    );
    return { request, status };
  };
  return { call, came, gone, begun, stored, rejected };
}

describe("shedLoad", () => {
  it("C70 rejects one more than allowed, always serves exempt requests, and handles all others in order", async () => {
    const { call, came, begun, stored, rejected } = await serveThree();
    const first = call("/1");
    await expect.poll(() => begun).toEqual(["/1"]);
    const second = call("/2");
    await expect.poll(() => came).toContain("/2");
    const third = call("/3");
    await expect.poll(() => came).toContain("/3");
    expect(await call("/4").status).toBe(503);
    expect(rejected.count).toBe(1);
    expect(await call("/health").status).toBe(200);
    expect(begun.filter((path) => path !== "/health")).toEqual(["/1"]);
    let ended = 0;
    const statuses = [first, second, third].map(({ status }) => status.finally(() => ended++));
    await expect
      .poll(() => {
        stored.shift()?.();
        return ended;
      })
      .toBe(3);
    expect(await Promise.all(statuses)).toEqual([200, 200, 200]);
    expect(begun.filter((path) => path !== "/health")).toEqual(["/1", "/2", "/3"]);
    const last = call("/5");
    await expect.poll(() => begun.at(-1)).toBe("/5");
    stored.shift()?.();
    expect(await last.status).toBe(200);
  });

  it("C70 ignores a queued client that has disconnected", async () => {
    const { call, came, gone, begun, stored } = await serveThree();
    const first = call("/1");
    await expect.poll(() => begun).toEqual(["/1"]);
    const second = call("/2");
    await expect.poll(() => came).toContain("/2");
    const third = call("/3");
    await expect.poll(() => came).toContain("/3");
    expect(await call("/4").status).toBe(503);
    second.request.destroy();
    await expect.poll(() => gone).toContain("/2");
    const late = call("/5").status;
    await expect.poll(() => came).toContain("/5");
    expect(await call("/6").status).toBe(503);
    let ended = 0;
    for (const status of [first.status, third.status, late]) void status.finally(() => ended++);
    await expect
      .poll(() => {
        stored.shift()?.();
        return ended;
      })
      .toBe(3);
    expect(begun).toEqual(["/1", "/3", "/5"]);
  });
});
