import { once } from "node:events";
import { createServer, type IncomingMessage, type Server } from "node:http";
import { type AddressInfo, connect, type Socket } from "node:net";
import { afterEach, describe, expect, it } from "vitest";
import { type LoadAllowed } from "../../src/overload/judge-load.js";
import { shedLoad } from "../../src/overload/shed-load.js";

const open: { end(): void }[] = [];
afterEach(() => {
  for (const each of open.splice(0)) each.end();
});

const everything: LoadAllowed = { most: Number.POSITIVE_INFINITY, lanes: Number.POSITIVE_INFINITY, isFull: false };
const nothing: LoadAllowed = { most: 0, lanes: 0, isFull: true };

/** A server that refuses all but `/health`, or takes all on; it tells which requests Node has made. */
async function serve() {
  const state = { allowed: nothing, looks: 0 };
  const came: string[] = [];
  const shedding = shedLoad(
    {
      maxWait: 500,
      pool: () => ({ size: 1, waiting: 0 }),
      isAlwaysServed: ({ url }) => url === "/health",
      refuse: (request, response) => {
        request.resume();
        const text = (request.url ?? "").length > 1_000 ? "slow".padEnd(4_000) : "slow";
        response.writeHead(503, { "content-length": text.length }).end(text);
      },
      refuseUnread: ({ method, url }) => {
        const text = `${method} ${url}`;
        return `HTTP/1.1 503 Service Unavailable\r\ncontent-length: ${text.length}\r\n\r\n${text}`;
      },
    },
    () => {
      state.looks++;
      return state.allowed;
    },
  );
  const server = createServer((request, response) => {
    came.push(`${request.method} ${request.url}`);
    shedding.gate(request, response, () => void answer(request).then((text) => response.end(text)));
  });
  shedding.watch(server);
  const sockets: Socket[] = [];
  server.on("connection", (socket) => sockets.push(socket));
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  open.push({ end: () => server.close().closeAllConnections() });
  const allow = async (allowed: LoadAllowed): Promise<void> => {
    state.allowed = allowed;
    const { looks } = state;
    await expect.poll(() => state.looks).toBeGreaterThan(looks + 1);
  };
  /** Until the server has read all that was sent on the last connection. */
  const arrived = (from: Socket) => expect.poll(() => sockets.at(-1)?.bytesRead).toBe(from.bytesWritten);
  await allow(nothing);
  return { server, state, came, allow, arrived, shedding };
}

async function answer(request: IncomingMessage): Promise<string> {
  let body = "";
  for await (const chunk of request) body += chunk;
  return `${request.method} ${request.url} ${body}`;
}

/** A connection that sends bytes, and tells the bodies of the answers. */
function speakTo(server: Server) {
  const socket: Socket = connect((server.address() as AddressInfo).port, "127.0.0.1").setNoDelay(true);
  open.push({ end: () => socket.destroy() });
  let received = "";
  socket.setEncoding("latin1").on("data", (text: string) => {
    received += text;
  });
  socket.on("error", () => undefined);
  const bodies = (): string[] => {
    const found: string[] = [];
    let rest = received;
    for (;;) {
      const end = rest.indexOf("\r\n\r\n");
      if (end < 0) return found;
      const chunked = /transfer-encoding: chunked/i.test(rest.slice(0, end));
      const length = Number(/content-length: (\d+)/i.exec(rest.slice(0, end))?.[1] ?? 0);
      if (chunked) throw new Error("Not expected here.");
      if (rest.length < end + 4 + length) return found;
      found.push(rest.slice(end + 4, end + 4 + length));
      rest = rest.slice(end + 4 + length);
    }
  };
  const ask = async (text: string, count = 1): Promise<string[]> => {
    const before = bodies().length;
    socket.write(text, "latin1");
    await expect.poll(() => bodies().length - before).toBe(count);
    return bodies().slice(before);
  };
  return { socket, ask, bodies };
}

const get = (path: string): string => `GET ${path} HTTP/1.1\r\nHost: a\r\n\r\n`;
const post = (path: string, body: string, more = ""): string =>
  `POST ${path} HTTP/1.1\r\nHost: a\r\nContent-Length: ${body.length}\r\n${more}\r\n${body}`;

/** A connection on which requests are refused unread. */
async function refusedConnection(server: Server) {
  const connection = speakTo(server);
  expect(await connection.ask(get("/first"))).toEqual(["slow"]);
  expect(await connection.ask(get("/second"))).toEqual(["GET /second"]);
  return connection;
}

describe("requests that are refused unread", () => {
  it("C70 are all whole requests behind the first of a connection, with and without a body", async () => {
    const { server, came, shedding } = await serve();
    const { ask } = await refusedConnection(server);
    expect(await ask(post("/notes?a=1", "{}"))).toEqual(["POST /notes?a=1"]);
    expect(await ask(`DELETE /notes/1 HTTP/1.1\r\nHost: a\r\nconnection: Keep-Alive\r\n\r\n`)).toEqual([
      "DELETE /notes/1",
    ]);
    expect(came).toEqual(["GET /first"]);
    expect(shedding.refused()).toBe(4);
  });

  it("C70 are those of a connection from before the load, once it is shown where a request begins", async () => {
    const { server, came, allow } = await serve();
    await allow(everything);
    const { ask } = speakTo(server);
    expect(await ask(get("/good"))).toEqual(["GET /good "]);
    await allow(nothing);
    expect(await ask(get("/1"))).toEqual(["slow"]);
    expect(await ask(post("/2", "{}"))).toEqual(["slow"]);
    expect(await ask(get("/3"))).toEqual(["slow"]);
    expect(await ask(get("/4"))).toEqual(["GET /4"]);
    expect(await ask(post("/5", "{}"))).toEqual(["POST /5"]);
    expect(came).toEqual(["GET /good", "GET /1", "POST /2", "GET /3"]);
  });

  it("C70 are none that is let in: what must be served, and all again when there is room", async () => {
    const { server, allow } = await serve();
    const { ask } = await refusedConnection(server);
    expect(await ask(get("/health"))).toEqual(["GET /health "]);
    expect(await ask(get("/a"))).toEqual(["GET /a"]);
    await allow(everything);
    expect(await ask(get("/b"))).toEqual(["GET /b "]);
    expect(await ask(post("/c", "text"))).toEqual(["POST /c text"]);
    await allow(nothing);
    expect(await ask(get("/d"))).toEqual(["GET /d"]);
  });

  it("C70 are none that comes in pieces, or several at once, and their answers keep their order", async () => {
    const { server, came, arrived } = await serve();
    const { socket, ask, bodies } = await refusedConnection(server);
    socket.write("GET /pieces HTTP/1.1\r\nHo");
    await arrived(socket);
    expect(await ask("st: a\r\n\r\n")).toEqual(["slow"]);
    // It has to be shown again where a request begins.
    expect(await ask(get("/shown"))).toEqual(["slow"]);
    expect(await ask(get("/unread"))).toEqual(["GET /unread"]);
    expect(await ask(get("/one") + get("/two"), 2)).toEqual(["slow", "slow"]);
    expect(bodies()).toHaveLength(7);
    expect(came).toEqual(["GET /first", "GET /pieces", "GET /shown", "GET /one", "GET /two"]);
  });

  it("C70 are no bytes of a body, whatever they look like", async () => {
    const { server, came, arrived } = await serve();
    const { socket, ask, bodies } = await refusedConnection(server);
    const body = get("/body");
    socket.write(`POST /upload HTTP/1.1\r\nHost: a\r\nContent-Length: ${body.length * 3}\r\n\r\n`);
    await expect.poll(() => bodies().length).toBe(3);
    for (let part = 0; part < 3; part++) {
      socket.write(body);
      await arrived(socket);
    }
    expect(bodies()).toHaveLength(3);
    expect(await ask(get("/behind"))).toEqual(["slow"]);
    expect(came).toEqual(["GET /first", "POST /upload", "GET /behind"]);
  });

  it("C70 are none while an answer is due on the connection", async () => {
    const { server, allow, arrived } = await serve();
    const { socket, bodies } = await refusedConnection(server);
    await allow(everything);
    // Its handler waits for the end of the body.
    socket.write("POST /slow HTTP/1.1\r\nHost: a\r\nContent-Length: 2\r\n\r\n{");
    await arrived(socket);
    await allow(nothing);
    socket.write("}");
    socket.write(get("/next"));
    await expect.poll(() => bodies()).toEqual(["slow", "GET /second", "POST /slow {}", "slow"]);
  });

  it("C70 leave an upgrade to whoever takes it", async () => {
    const { server, allow } = await serve();
    server.on("upgrade", (_request, socket: Socket) => {
      socket.write("HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\n\r\n");
      socket.on("data", (chunk: Buffer) =>
        socket.write(`HTTP/1.1 200 OK\r\ncontent-length: ${chunk.length}\r\n\r\n${chunk}`),
      );
    });
    const { ask } = await refusedConnection(server);
    await allow(nothing);
    await ask("GET /ws HTTP/1.1\r\nHost: a\r\nConnection: Upgrade\r\nUpgrade: x\r\n\r\n");
    expect(await ask("GET /a HTTP/1.1\r\nHost: a\r\n\r\n")).toEqual([get("/a")]);
  });

  it("C70 wait as long as the client does not read its answers", async () => {
    const { server, shedding } = await serve();
    const { socket } = await refusedConnection(server);
    socket.pause();
    const one = get("/x".padEnd(4_000, "x"));
    let sent = 0;
    const before = shedding.refused();
    // Until nothing is taken any more: each answer is as long as its request.
    while (socket.writableLength < 1_000_000) {
      socket.write(one);
      if (++sent % 50 === 0) await new Promise((resolve) => setImmediate(resolve));
    }
    expect(shedding.refused() - before).toBeLessThan(sent);
    socket.resume();
    await expect.poll(() => shedding.refused() - before, { timeout: 20_000 }).toBe(sent);
  });
});

describe("requests that stand in line unread", () => {
  /** Three may be in the house, and the one that may be at work is; two connections have been refused on. */
  async function serveInLine() {
    const served = await serve();
    const { server, allow, arrived, came } = served;
    const working = speakTo(server);
    const [one, two] = [await refusedConnection(server), await refusedConnection(server)];
    await allow({ most: 3, lanes: 1, isFull: true });
    const atWork = "POST /work HTTP/1.1\r\nHost: a\r\nContent-Length: 2\r\n\r\n{";
    working.socket.write(atWork);
    await expect.poll(() => came).toContain("POST /work");
    came.splice(0);
    /** Until the request that stands at work is answered, nobody's turn comes. */
    const goOn = async (): Promise<void> => {
      working.socket.write("}");
      await expect.poll(() => working.bodies()).toEqual(["POST /work {}"]);
    };
    const stand = async (connection: ReturnType<typeof speakTo>, text: string): Promise<void> => {
      const { looks } = served.state;
      connection.socket.write(text);
      // What one look finds in line was read between it and the one before.
      await expect.poll(() => served.state.looks).toBeGreaterThan(looks + 2);
    };
    return { ...served, one, two, goOn, stand, arrived };
  }

  it("C70 are made by Node when their turn comes, in their order, and one more is refused", async () => {
    const { one, two, goOn, stand, came, server } = await serveInLine();
    await stand(one, get("/one"));
    await stand(two, post("/two", "{}"));
    expect(came).toEqual([]);
    expect(await speakTo(server).ask(get("/three"))).toEqual(["slow"]);
    came.splice(0);
    await goOn();
    await expect.poll(() => one.bodies().at(-1)).toBe("GET /one ");
    await expect.poll(() => two.bodies().at(-1)).toBe("POST /two {}");
    expect(came).toEqual(["GET /one", "POST /two"]);
  });

  it("C70 keep their place before what their client sends behind them", async () => {
    const { one, goOn, stand, came } = await serveInLine();
    const before = one.bodies().length;
    await stand(one, get("/one"));
    await stand(one, get("/behind"));
    expect(came).toEqual(["GET /one", "GET /behind"]);
    await goOn();
    await expect.poll(() => one.bodies().slice(before)).toEqual(["GET /one ", "GET /behind "]);
  });

  it("C70 leave the line with their client", async () => {
    const { one, two, goOn, stand, came } = await serveInLine();
    await stand(one, get("/one"));
    one.socket.destroy();
    await stand(two, get("/two"));
    await goOn();
    await expect.poll(() => two.bodies().at(-1)).toBe("GET /two ");
    expect(came).toEqual(["GET /two"]);
  });

  it("C70 stand for longer than an idle connection is kept", async () => {
    const { one, goOn, came, allow, server } = await serveInLine();
    server.keepAliveTimeout = 1_500;
    await allow(nothing);
    await one.ask(get("/health"));
    await allow({ most: 3, lanes: 1, isFull: true });
    one.socket.write(get("/one"));
    await new Promise((resolve) => setTimeout(resolve, 3_500));
    expect(came).toEqual(["GET /health"]);
    await goOn();
    await expect.poll(() => one.bodies().at(-1)).toBe("GET /one ");
  });

  it("C70 are answered by a server that closes", async () => {
    const { one, goOn, stand, came, server } = await serveInLine();
    await stand(one, get("/one"));
    server.close();
    expect(came).toEqual(["GET /one"]);
    await goOn();
    await expect.poll(() => one.bodies().at(-1)).toBe("GET /one ");
  });

  it("C70 stand as before when a server that goes on has closed its idle connections", async () => {
    const { one, goOn, stand, came, server, allow } = await serveInLine();
    await stand(one, get("/one"));
    server.closeIdleConnections();
    expect(came).toEqual(["GET /one"]);
    await allow(nothing);
    const three = await refusedConnection(server);
    await allow({ most: 3, lanes: 1, isFull: true });
    await stand(three, get("/three"));
    expect(came).not.toContain("GET /three");
    await goOn();
    await expect.poll(() => one.bodies().at(-1)).toBe("GET /one ");
    await expect.poll(() => three.bodies().at(-1)).toBe("GET /three ");
  });
});
