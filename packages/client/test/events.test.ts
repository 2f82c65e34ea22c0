import { QueryClient, QueryObserver } from "@tanstack/react-query";
import { expect, it, vi } from "vitest";
import { isApiError, makeClient } from "../src/index.js";
import { listKey } from "../src/react-query/index.js";
import { followList } from "../src/react-query/live.js";

interface Api {
  tags: {
    key: number;
    row: { id: number; name: string };
    create: { name: string };
    update: { name?: string };
    filters: { name: { value: string; operators: "equals" | "in" } };
    relations: Record<never, never>;
  };
}

/** Sends texts, one for each connection, and then ends the connection. */
function serve(...responses: readonly (readonly string[] | Response)[]) {
  const requests: Request[] = [];
  const client = makeClient<Api>({
    baseUrl: "http://shop.test",
    retries: 0,
    fetch: async (request) => {
      requests.push(request);
      const response = responses[requests.length - 1];
      if (response instanceof Response) return response;
      if (response === undefined) throw new TypeError("no connection");
      const body = new ReadableStream({
        start(controller) {
          for (const text of response) controller.enqueue(new TextEncoder().encode(text));
          controller.close();
        },
      });
      return new Response(body, { headers: { "content-type": "text/event-stream" } });
    },
  });
  return { client, requests };
}

it("C111 returns typed events in pieces of any size, and continues after the last one on a new connection", async () => {
  const text = `retry: 1\n\nevent: ready\nid: 4\ndata: {}\n\n:\n\nevent: created\nid: 5\ndata: {"id":1,"name":"ä"}\n\nid: 9\n\n`;
  const { client, requests } = serve([...text], ['event: removed\nid: 10\ndata: {"id":1}\n\n']);
  const seen: unknown[] = [];
  for await (const event of client.tags.subscribe({ where: { name: "ä" }, fields: ["id", "name"] })) {
    seen.push(event);
    if (event.type === "removed") break;
  }
  expect(seen).toEqual([
    { type: "ready", id: "4", data: {} },
    { type: "created", id: "5", data: { id: 1, name: "ä" } },
    { type: "removed", id: "10", data: { id: 1 } },
  ]);
  expect(requests.map(({ url }) => decodeURIComponent(url))).toEqual(
    Array(2).fill("http://shop.test/api/tags/events?name=ä&fields=id,name"),
  );
  expect(requests.map(({ headers }) => headers.get("last-event-id"))).toEqual([null, "9"]);
  expect(requests[0]?.headers.get("accept")).toBe("text/event-stream");
});

it("C111 rejects with the error of the service, and ends without one when it is aborted", async () => {
  const forbidden = new Response('{"status":403,"code":"Forbidden"}', { status: 403 });
  const first = serve(forbidden).client.tags.subscribe().next();
  await expect(first).rejects.toSatisfy((error) => isApiError(error) && error.status === 403);
  const ending = new AbortController();
  const waiting = serve().client.tags.subscribe({}, { signal: ending.signal }).next();
  ending.abort();
  expect(await waiting).toEqual({ done: true, value: undefined });
});

it("C111 a live list is read again when its rows change, once for changes that arrive together", async () => {
  const queries = new QueryClient();
  let reads = 0;
  const query = { where: { name: "a" }, sort: ["name"], limit: 3 };
  const list = new QueryObserver(queries, { queryKey: listKey("tags", query), queryFn: async () => ++reads });
  const leave = list.subscribe(() => undefined);
  await vi.waitUntil(() => reads === 1);
  const ending = new AbortController();
  const asked: unknown[] = [];
  const subscribe = async function* (given: object) {
    asked.push(given);
    for (let n = 0; n < 20; n++) yield { type: "updated" };
  };
  await followList(queries, { resource: "tags", query, subscribe, signal: ending.signal });
  await vi.waitUntil(() => reads === 2);
  expect(asked).toEqual([{ where: { name: "a" } }]);
  leave();
});
