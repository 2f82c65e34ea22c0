import http, { type IncomingMessage, type ServerResponse } from "node:http";
import { describe, expect, it } from "vitest";
import { type ConnectionInfo, makeFetch, watchConnections } from "../../src/index.js";

type Handler = (request: IncomingMessage, response: ServerResponse) => unknown;
const fetcher = (handler: Handler, peer?: Partial<ConnectionInfo>) => {
  const server = http.createServer((request, response) => void handler(request, response));
  return makeFetch(
    server,
    () => false,
    () => peer ?? {},
  );
};
const url = "http://shop.test:81/mugs?x=1";
const bodyOf = async (request: IncomingMessage): Promise<string> => {
  let text = "";
  for await (const chunk of request) text += chunk;
  return text;
};

describe("C74 fetch without a network", () => {
  it("C74 sends method, path, query, host, headers and body", async () => {
    const fetch = fetcher(async (request, response) => {
      const { method, url: target, headers } = request;
      response.end(JSON.stringify({ method, target, headers, body: await bodyOf(request) }));
    });
    const headers = { "x-own": "1", te: "gzip" };
    const seen = await (await fetch(new Request(url, { method: "DELETE", body: "text", headers }))).json();
    expect(seen).toMatchObject({ method: "DELETE", target: "/mugs?x=1", body: "text" });
    expect(seen.headers).toMatchObject({ host: "shop.test:81", "x-own": "1", "transfer-encoding": "chunked" });
    expect(seen.headers).not.toHaveProperty("te");
    const plain = await (await fetch(new Request(url))).json();
    expect(plain.headers).not.toHaveProperty("transfer-encoding");
    const sized = new Request(url, { method: "POST", body: "text", headers: { "content-length": "4" } });
    expect((await (await fetch(sized)).json()).headers).not.toHaveProperty("transfer-encoding");
  });

  it("C74 returns status, headers and each cookie, without the headers of the connection", async () => {
    const response = await fetcher((_request, response) => {
      response.writeHead(201, "Made", { "Set-Cookie": ["a=1", "b=2"], "X-Own": "1", "Keep-Alive": "timeout=5" });
      response.end("done");
    })(new Request(url));
    expect([response.status, response.statusText, response.headers.get("x-own")]).toEqual([201, "Made", "1"]);
    expect(response.headers.getSetCookie()).toEqual(["a=1", "b=2"]);
    for (const name of ["connection", "keep-alive", "transfer-encoding"])
      expect(response.headers.has(name), name).toBe(false);
    expect(await response.text()).toBe("done");
  });

  it.each([204, 205, 304])("C74 returns a response of status %i without a body", async (status) => {
    const response = await fetcher((_request, response) => response.writeHead(status).end())(new Request(url));
    expect([response.status, response.body]).toEqual([status, null]);
  });

  it("C74 returns a response to HEAD without a body, and an empty one with an empty body", async () => {
    const fetch = fetcher((_request, response) => response.writeHead(200, { "content-length": 0 }).end());
    expect((await fetch(new Request(url, { method: "HEAD" }))).body).toBeNull();
    expect(await (await fetch(new Request(url))).text()).toBe("");
  });

  it("C74 reports the peer: this machine, over HTTPS if the URL has that scheme, or the peer that the caller passes", async () => {
    const peerOf = (peer?: Partial<ConnectionInfo>) =>
      fetcher(({ socket }, response) => {
        const { remoteAddress, encrypted } = socket as never as ConnectionInfo;
        response.end(`${remoteAddress} ${encrypted}`);
      }, peer);
    expect(await (await peerOf()(new Request(url))).text()).toBe("127.0.0.1 false");
    expect(await (await peerOf()(new Request("https://a/"))).text()).toBe("127.0.0.1 true");
    expect(await (await peerOf({ remoteAddress: "10.0.0.1" })(new Request(url))).text()).toBe("10.0.0.1 false");
  });

  it("C74 has a socket with the settings of a network connection", async () => {
    const fetch = fetcher(({ socket }, response) => {
      socket.setNoDelay(true).setKeepAlive(true, 1000).setTimeout(1000);
      response.end("done");
    });
    expect(await (await fetch(new Request(url))).text()).toBe("done");
  });

  it("C74 rejects when the service is closed", async () => {
    const server = http.createServer();
    const closed = makeFetch(server, () => true);
    await expect(closed(new Request(url))).rejects.toThrow(TypeError);
  });

  it("C74 rejects when the service closes the connection without a response", async () => {
    await expect(fetcher(({ socket }) => socket.destroy())(new Request(url))).rejects.toThrow(TypeError);
  });

  it("C74 rejects with the reason of the caller when the request is aborted, and the handler is informed", async () => {
    const events: string[] = [];
    const fetch = fetcher((_request, response) => {
      events.push("begun");
      response.once("close", () => events.push("closed"));
    });
    const already = new AbortController();
    already.abort(new Error("before"));
    await expect(fetch(new Request(url, { signal: already.signal }))).rejects.toThrow("before");
    expect(events).toEqual([]);
    const during = new AbortController();
    const pending = fetch(new Request(url, { signal: during.signal }));
    await expect.poll(() => events).toEqual(["begun"]);
    during.abort(new Error("during"));
    await expect(pending).rejects.toThrow("during");
    await expect.poll(() => events).toEqual(["begun", "closed"]);
  });

  it("C74 aborts a body that is being read", async () => {
    const gone = new AbortController();
    let isClosed = false;
    const fetch = fetcher((_request, response) => {
      response.once("close", () => {
        isClosed = true;
      });
      response.write("first");
    });
    const response = await fetch(new Request(url, { signal: gone.signal }));
    const reader = (response.body as ReadableStream<Uint8Array>).getReader();
    expect(String(Buffer.from((await reader.read()).value ?? []))).toBe("first");
    gone.abort(new Error("enough"));
    await expect(reader.read()).rejects.toThrow();
    await expect.poll(() => isClosed).toBe(true);
  });

  it("C74 carries large bodies both ways", async () => {
    const fetch = fetcher((request, response) => request.pipe(response));
    const bytes = Buffer.alloc(1_000_000, "abc");
    const response = await fetch(new Request(url, { method: "POST", body: bytes }));
    expect(Buffer.from(await response.arrayBuffer()).equals(bytes)).toBe(true);
  });

  it("C74 stops a writer whose reader does not read", async () => {
    let written = 0;
    const fetch = fetcher((_request, response) => {
      const more = (): void => {
        while (written < 100 && response.write(Buffer.alloc(64 * 1024))) written++;
      };
      response.on("drain", more);
      more();
    });
    const gone = new AbortController();
    await fetch(new Request(url, { signal: gone.signal }));
    for (let turn = 0; turn < 200; turn++) await new Promise((resolve) => setImmediate(resolve));
    expect(written).toBeLessThan(50);
    gone.abort();
  });

  it("C74 counts as a connection of the server, which is closed after its response on a stop", async () => {
    const stored: ServerResponse[] = [];
    const server = http.createServer((_request, response) => void stored.push(response));
    const connections = watchConnections(server);
    const fetch = makeFetch(server, () => false);
    const pending = fetch(new Request(url));
    await expect.poll(() => stored.length).toBe(1);
    expect(connections.count()).toBe(1);
    const stopped = connections.stop(60_000, () => undefined);
    stored[0]?.end("whole");
    expect(await (await pending).text()).toBe("whole");
    await stopped;
    expect(connections.running.size).toBe(0);
  });
});
