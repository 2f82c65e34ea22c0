import { once } from "node:events";
import { createServer } from "node:http";
import { type AddressInfo, connect } from "node:net";
import { expect, it } from "vitest";
import { makeRejection } from "./reject-overload.js";

/** The response to the bytes of a client. */
async function responseTo(text: string, end = /}$/): Promise<string> {
  const server = createServer(
    makeRejection({
      cors: [(_request, response) => void response.setHeader("x-cors", "1")],
      reconnects: ({ headers, url }) => (headers["last-event-id"] ?? url?.split("lastEventId=")[1]) === "known",
    }),
  );
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const socket = connect((server.address() as AddressInfo).port, "127.0.0.1").setEncoding("utf8");
  let received = "";
  socket.on("data", (chunk) => {
    received += chunk;
  });
  socket.write(`${text}\r\n`);
  await expect.poll(() => received).toMatch(end);
  socket.destroy();
  server.close();
  return received;
}

it.each(["/api/notes", '/a"b\\c', "/%C3%A9%00", "/"])(
  "C70 contains the path %s in a body with the right length",
  async (path) => {
    const reply = await responseTo(`GET ${path}?a=1 HTTP/1.1\r\nHost: x\r\n`);
    const [head = "", body = ""] = reply.split("\r\n\r\n");
    expect(head).toContain("HTTP/1.1 503");
    expect(head).toContain("Retry-After: 2");
    expect(Number(/Content-Length: (\d+)/.exec(head)?.[1])).toBe(Buffer.byteLength(body));
    const named = Buffer.from(path).toString("latin1");
    expect(JSON.parse(body)).toMatchObject({ status: 503, code: "Overloaded", instance: named });
  },
);

it("C70 recognizes an origin and a body in headers of any case", async () => {
  expect(await responseTo("GET / HTTP/1.1\r\nHost: x\r\nORIGIN: https://a.example\r\n")).toContain("x-cors: 1");
  expect(await responseTo("GET / HTTP/1.1\r\nHost: x\r\nforigi: https://a.example\r\n")).not.toContain("x-cors");
  const begun = await responseTo("POST / HTTP/1.1\r\nHost: x\r\ncontent-LENGTH: 100000\r\n");
  expect(begun).toContain("Connection: close");
  expect(await responseTo("POST / HTTP/1.1\r\nHost: x\r\nTransfer-ENCODING: chunked\r\n")).toContain(
    "Connection: close",
  );
});

it("C131 sends a client of events that connects again the time to wait", async () => {
  const retry = /retry: [23]\d{3}\n\n/;
  for (const request of [
    "GET /events HTTP/1.1\r\nHost: x\r\nLAST-event-id: known\r\n",
    "GET /events?lastEventId=known HTTP/1.1\r\nHost: x\r\n",
  ]) {
    const reply = await responseTo(request, retry);
    expect(reply).toContain("HTTP/1.1 200");
    expect(reply).toContain("Content-Type: text/event-stream");
    expect(reply).not.toContain("Retry-After");
  }
  expect(await responseTo("GET /events HTTP/1.1\r\nHost: x\r\nLast-Event-ID: other\r\n")).toContain("HTTP/1.1 503");
});
