import { QueryClient, QueryClientProvider } from "@tanstack/react-query";
import { Window } from "happy-dom";
import { createElement as make, StrictMode } from "react";
import { afterEach, beforeAll, expect, it, onTestFinished, vi } from "vitest";
import { makeClient } from "../src/index.js";
import { makeHooks } from "../src/react-query/index.js";

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

/** An open stream of the service. */
interface Stream {
  readonly url: string;
  readonly signal: AbortSignal;
  send(text: string): void;
}

const window = new Window();
let createRoot: typeof import("react-dom/client").createRoot;
beforeAll(async () => {
  // React DOM reads them when it is loaded.
  for (const [name, value] of Object.entries({ window, document: window.document, navigator: window.navigator }))
    vi.stubGlobal(name, value);
  ({ createRoot } = await import("react-dom/client"));
});

let streams: Stream[] = [];
let lists: string[] = [];
let names: readonly string[] = [];
const reported: unknown[] = [];
let streamStatus = 200;
afterEach(() => {
  [streams, lists, names, streamStatus] = [[], [], [], 200];
  reported.length = 0;
});
vi.stubGlobal("reportError", (error: unknown) => reported.push(error));

const client = makeClient<Api>({
  baseUrl: "http://shop.test",
  retries: 0,
  fetch: async (request) => {
    if (!request.url.includes("/events")) {
      lists.push(request.url);
      return Response.json({ data: names.map((name, id) => ({ id, name })), meta: { count: names.length } });
    }
    if (streamStatus !== 200)
      return Response.json({ status: streamStatus, code: "Forbidden" }, { status: streamStatus });
    const body = new ReadableStream({
      start: (controller) => {
        const send = (text: string): void => controller.enqueue(new TextEncoder().encode(text));
        streams.push({ url: request.url, signal: request.signal, send });
      },
    });
    return new Response(body, { headers: { "content-type": "text/event-stream" } });
  },
});
const { useList } = makeHooks<Api>(client);

interface Given {
  readonly name?: string;
  readonly live?: boolean;
}

/** Shows the names of the list. */
function Tags({ name, live = true }: Given) {
  const tags = useList("tags", { ...(name === undefined ? {} : { where: { name } }), limit: 3 }, { live });
  return make("p", {}, tags.data?.data.map((tag) => tag.name).join() ?? "…");
}

function render() {
  const container = window.document.createElement("div");
  const root = createRoot(container as unknown as Element);
  const queries = new QueryClient();
  onTestFinished(() => root.unmount());
  return {
    text: () => container.textContent,
    show: (given: Given) =>
      root.render(make(StrictMode, {}, make(QueryClientProvider, { client: queries }, make(Tags, given)))),
    remove: () => root.unmount(),
  };
}
const open = () => streams.filter(({ signal }) => !signal.aborted);

it("C111 a live list follows the rows of its filter, and is read again for an event", async () => {
  names = ["a"];
  const page = render();
  page.show({ name: "a" });
  await expect.poll(page.text).toBe("a");
  await expect.poll(() => open().map(({ url }) => url)).toEqual(["http://shop.test/api/tags/events?name=a"]);
  names = ["a", "b"];
  const before = lists.length;
  for (const id of [1, 2]) open()[0]?.send(`event: created\nid: ${id}\ndata: {"id":${id},"name":"b"}\n\n`);
  await expect.poll(page.text).toBe("a,b");
  expect(lists).toHaveLength(before + 1);
  // A position without an event changes nothing.
  open()[0]?.send("id: 9\n\n");
  page.show({ name: "b" });
  await expect.poll(() => open().map(({ url }) => url)).toEqual(["http://shop.test/api/tags/events?name=b"]);
  page.remove();
  await expect.poll(open).toEqual([]);
  expect(reported).toEqual([]);
});

it("C111 a list opens a stream only while it is live, and an equal query keeps the stream", async () => {
  names = ["a"];
  const page = render();
  page.show({ live: false });
  await expect.poll(page.text).toBe("a");
  expect(streams).toEqual([]);
  page.show({ live: true });
  await expect.poll(open).toHaveLength(1);
  const opened = streams.length;
  page.show({ live: true });
  names = ["b"];
  open()[0]?.send('event: updated\nid: 1\ndata: {"id":0,"name":"b"}\n\n');
  await expect.poll(page.text).toBe("b");
  expect(streams).toHaveLength(opened);
  page.show({ live: false });
  await expect.poll(open).toEqual([]);
});

it("C111 a rejected stream is reported, and the list works without it", async () => {
  streamStatus = 403;
  names = ["a"];
  const page = render();
  page.show({});
  await expect.poll(page.text).toBe("a");
  await expect.poll(() => reported).not.toEqual([]);
  expect(reported[0]).toMatchObject({ status: 403 });
});
