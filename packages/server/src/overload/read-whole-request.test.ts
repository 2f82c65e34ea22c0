import { once } from "node:events";
import { createServer } from "node:http";
import { type AddressInfo, connect } from "node:net";
import fc from "fast-check";
import { afterAll, describe, expect, it } from "vitest";
import { readWholeRequest } from "./read-whole-request.js";

const read = (text: string) => readWholeRequest(Buffer.from(text, "latin1"));

describe("readWholeRequest", () => {
  it.each([
    ["GET / HTTP/1.1\r\nHost: a\r\n\r\n", "GET", "/", false],
    ["GET /a?b=%20&c[d]=1 HTTP/1.1\r\nHost: a\r\nX-Y: z \t\r\n\r\n", "GET", "/a?b=%20&c[d]=1", false],
    ["DELETE /a HTTP/1.1\r\nHost: a\r\nConnection: keep-alive\r\n\r\n", "DELETE", "/a", false],
    ["PATCH /a HTTP/1.1\r\nHost: a\r\ncontent-length: 3\r\nX: y\r\n\r\n\r\n\0", "PATCH", "/a", true],
    ["POST /a HTTP/1.1\r\nHost: a\r\nContent-Length: 0\r\n\r\n", "POST", "/a", true],
  ])("C70 reads %j", (text, method, url, hasBody) => {
    expect(read(text)).toEqual({ method, url, hasBody });
  });

  it.each([
    ["", "nothing"],
    ["GET / HTTP/1.1\r\nX: Host:\r\n\r\n", "no host, which is a 400"],
    ["GET / HTTP/1.1\r\nHost: a\r\n", "a head without an end"],
    ["GET / HTTP/1.1\r\nHost: a\r\n\r\nG", "more than one request"],
    ["GET / HTTP/1.1\r\nHost: a\r\n\r\nGET / HTTP/1.1\r\nHost: a\r\n\r\n", "two requests"],
    ["\r\nGET / HTTP/1.1\r\nHost: a\r\n\r\n", "an empty line before it"],
    ["get / HTTP/1.1\r\nHost: a\r\n\r\n", "a method in small letters"],
    ["HEAD / HTTP/1.1\r\nHost: a\r\n\r\n", "an answer without a body"],
    ["OPTIONS / HTTP/1.1\r\nHost: a\r\n\r\n", "a preflight"],
    ["GET / HTTP/1.0\r\n\r\n", "a connection that ends"],
    ["GET / HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n", "a connection that ends"],
    ["GET / HTTP/1.1\r\nHost: a\r\nConnection: keep-alive, x\r\n\r\n", "more of the connection"],
    ["GET / HTTP/1.1\r\nHost: a\r\nOrigin: https://a.example\r\n\r\n", "another origin"],
    ["GET / HTTP/1.1\r\nHost: a\r\nUpgrade: x\r\n\r\n", "an upgrade"],
    ["POST / HTTP/1.1\r\nHost: a\r\nExpect: 100-continue\r\nContent-Length: 0\r\n\r\n", "a client that waits"],
    ["POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n", "a body without a length"],
    ["POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 1\r\nContent-Length: 1\r\n\r\na", "two lengths"],
    ["POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 2\r\n\r\na", "a body that is not there yet"],
    ["POST / HTTP/1.1\r\nHost: a\r\nContent-Length : 1\r\n\r\na", "a space before a colon"],
    ["GET / HTTP/1.1\r\nHost: a\r\nX: a\r\n b\r\n\r\n", "a folded line"],
    ["GET / HTTP/1.1\nHost: a\n\n", "lone line feeds"],
    ["GET / HTTP/1.1\r\nHost: a\r\nX: a\nContent-Length: 5\r\n\r\n", "a lone line feed"],
    ["GET /\u00e9 HTTP/1.1\r\nHost: a\r\n\r\n", "letters that are no ASCII"],
    ["GET http://a/ HTTP/1.1\r\nHost: a\r\n\r\n", "a whole URL"],
    ["GET / HTTP/1.1\r\nHost: a\r\nX: \u0000\r\n\r\n", "a control character"],
    [`GET /${"a".repeat(20_000)} HTTP/1.1\r\nHost: a\r\n\r\n`, "what is long"],
  ])("C70 leaves %j to Node: %s", (text) => {
    expect(read(text)).toBeUndefined();
  });

  describe("beside Node", () => {
    const seen: string[] = [];
    const server = createServer((request, response) => {
      seen.push(`${request.method} ${request.url}`);
      request.resume();
      response.end();
    });
    server.on("clientError", (_error, socket) => {
      seen.push("error");
      socket.destroy();
    });
    afterAll(() => void server.close().closeAllConnections());

    const pieces = fc.constantFrom(
      ..."GET POST / /a HTTP/1.1 Host: a Content-Length: Transfer-Encoding: chunked 0 1 14 X X-Y: \r\n \r\n\r\n \n \r : ; b".split(
        " ",
      ),
      " ",
      "\r\n",
      "\r\n",
      "GET / HTTP/1.1\r\n",
      "POST /a HTTP/1.1\r\n",
      "Host: a\r\n",
      "Content-Length: 1\r\n",
      "\t",
      "\0",
    );
    const near = fc
      .tuple(
        fc.constantFrom("GET", "POST", "DELETE"),
        fc.array(pieces, { maxLength: 4 }),
        fc.nat({ max: 12 }),
        fc.array(pieces, { maxLength: 3 }),
      )
      .map(([method, inside, length, behind]) => {
        const lines = `Host: a\r\n${inside.join("")}\r\n${length > 8 ? "" : `Content-Length: ${length}\r\n`}`;
        return `${method} /a HTTP/1.1\r\n${lines}\r\n${"x".repeat(length > 8 ? 0 : length)}${behind.join("")}`;
      });
    const plain = fc
      .tuple(fc.constantFrom("GET", "POST"), fc.stringMatching(/^[!-~]{0,8}$/), fc.stringMatching(/^[\t -~]{0,8}$/))
      .map(([method, path, value]) => `${method} /${path} HTTP/1.1\r\nHost: a\r\nX: ${value}\r\n\r\n`);

    it("C70 sees one whole request only where Node does", { timeout: 60_000 }, async () => {
      server.listen(0, "127.0.0.1");
      await once(server, "listening");
      let read = 0;
      const text = fc.oneof(
        near,
        plain,
        fc.array(pieces).map((all) => all.join("")),
      );
      await fc.assert(
        fc.asyncProperty(text, async (text) => {
          const found = readWholeRequest(Buffer.from(text, "latin1"));
          if (found === undefined) return;
          read++;
          seen.length = 0;
          const socket = connect((server.address() as AddressInfo).port, "127.0.0.1");
          socket.on("error", () => undefined);
          // What follows is another request: nothing of it belongs to the one before.
          socket.end(`${text}GET /end HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n`, "latin1");
          socket.resume();
          await once(socket, "close");
          // Node is stricter with some paths and values, and then answers 400 and closes.
          if (seen[0] === "error") return;
          expect(seen).toEqual([`${found.method} ${found.url}`, "GET /end"]);
        }),
        { numRuns: 3_000 },
      );
      expect(read).toBeGreaterThan(100);
    });
  });
});
