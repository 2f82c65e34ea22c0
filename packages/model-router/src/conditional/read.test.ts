import http from "node:http";
import type { AddressInfo } from "node:net";
import { makeApp, mountRoutes } from "@servicekit/router";
import { afterEach, describe, expect, it } from "vitest";
import { respondsNotModified } from "./read.js";

const servers: http.Server[] = [];
afterEach(() => Promise.all(servers.splice(0).map((server) => new Promise((resolve) => server.close(resolve)))));

/** Serves a response with this tag, in an application with this setting `etag`. */
async function serve(own: string, setting?: unknown) {
  const app = makeApp();
  if (setting !== undefined) app.set("etag", setting);
  mountRoutes(app, {
    global: [],
    route: [],
    mount: () =>
      app.all("/", (request, response) => {
        if (!respondsNotModified(request, response, own, () => "body")) response.end("body");
      }),
  });
  const server = http.createServer(app as never);
  servers.push(server);
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo;
  return async (headers: Readonly<Record<string, string>> = {}, method = "GET") => {
    const response = await fetch(`http://127.0.0.1:${port}/`, { headers, method });
    return [response.status, response.headers.get("etag"), response.headers.get("vary")];
  };
}

describe("C16 the tag of a response and the setting etag of the application", () => {
  it.each<[string, unknown, string, string | null]>([
    ["weak", "weak", 'W/"a"', 'W/"a"'],
    ["weak, of a row", "weak", '"a"', '"a"'],
    ["strong", "strong", 'W/"a"', '"a"'],
    ["strong, of a row", "strong", '"a"', '"a"'],
    ["off", false, 'W/"a"', null],
    ["off, of a row", false, '"a"', null],
    ["a function of the body", (body: string) => `"of ${body}"`, 'W/"a"', '"of body"'],
    ["a function that returns no tag", () => undefined, 'W/"a"', null],
    ["a function, of a row", () => '"other"', '"a"', '"a"'],
  ])("%s", async (_title, setting, own, tag) => {
    const send = await serve(own, setting);
    expect(await send()).toEqual([200, tag, null]);
    expect((await send({ "if-none-match": own }))[0]).toBe(tag === own || tag === '"a"' ? 304 : 200);
  });
});

describe("C16 the conditions of a read", () => {
  it("respond 304 to a client that has the response", async () => {
    const send = await serve('"a"');
    for (const given of ['"a"', 'W/"a"', '"x", "a"', "*"])
      expect([given, ...(await send({ "if-none-match": given }))]).toEqual([given, 304, '"a"', "Accept-Encoding"]);
    expect(await send({ "if-none-match": '"x"' })).toEqual([200, '"a"', null]);
    expect((await send({ "if-none-match": '"a"' }, "HEAD"))[0]).toBe(304);
    expect(await send({ "if-none-match": '"a"' }, "POST")).toEqual([200, '"a"', null]);
    const weak = await serve('W/"a"');
    for (const given of ['"a"', 'W/"a"'])
      expect(await weak({ "if-none-match": given })).toEqual([304, 'W/"a"', "Accept-Encoding"]);
  });

  it("respond 412 to a client that requires another one", async () => {
    const send = await serve('"a"');
    expect((await send({ "if-match": '"a"' }))[0]).toBe(200);
    expect((await send({ "if-match": '"x", "a"' }))[0]).toBe(200);
    expect((await send({ "if-match": "*" }))[0]).toBe(200);
    for (const given of ['"x"', 'W/"a"']) expect([given, (await send({ "if-match": given }))[0]]).toEqual([given, 412]);
    expect((await send({ "if-match": '"x"' }, "POST"))[0]).toBe(200);
    const weak = await serve('W/"a"');
    expect((await weak({ "if-match": '"a"' }))[0]).toBe(412);
  });
});
