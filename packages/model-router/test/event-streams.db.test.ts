import { once } from "node:events";
import { httpErrors } from "@servicekit/core";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, inject, it, vi } from "vitest";
import type { ChangeFeed, FeedBatch, FeedChange, FeedPosition, ModelConfig } from "../src/index.js";
import { type Records, renewAs, type ServedRecords, startRecords, type User } from "./records.js";

type State = FeedChange["before"];

const positionAt = (id: number): FeedPosition => ({ id: BigInt(id), transaction: BigInt(id), time: new Date(id) });
const change = (id: number, before: object | null, after: object | null, model = "Project"): FeedChange => ({
  ...{ ...positionAt(id), model, actor: "user:1", requestId: null },
  operation: before === null ? "create" : after === null ? "delete" : "update",
  before: before as State,
  after: after as State,
});

const project = (id: number, title: string, more: object = {}) => ({
  ...{ id, title, rank: 1, budget: null, secret: "s", score: 0, deletedAt: null, companyId: null },
  updatedAt: "2026-01-01T00:00:00.000Z",
  ...more,
});

/** A log of changes in memory. */
function makeFeed(matchStates: ChangeFeed["matchStates"]) {
  const closing = new AbortController();
  const pushed = new EventTarget();
  const more = { isSummary: false, isReset: false, isBehind: false };
  const batches: (FeedBatch & { readonly last: FeedPosition })[] = [{ changes: [], last: positionAt(10), ...more }];
  const failures: Error[] = [];
  /** The batches of a summary, which follow any position. */
  const summary: FeedBatch[] = [];
  let followers = 0;
  let oldest = 0n;
  const feed: ChangeFeed = {
    matchStates,
    closing: closing.signal,
    secrets: async () => ["a secret"],
    follow({ signal }) {
      followers++;
      signal.addEventListener("abort", () => followers--);
      return {
        async next(after) {
          const error = failures.shift();
          if (error !== undefined) throw error;
          const last = batches.at(-1)?.last;
          if (after === undefined || after.id < oldest)
            return { changes: [], last, ...more, isReset: after !== undefined };
          const part = summary.shift();
          if (part !== undefined) return part;
          while (!signal.aborted) {
            const next = batches.find((batch) => batch.last.id > after.id);
            if (next?.changes.some(({ id }) => id <= after.id) === true)
              return { ...next, changes: next.changes.filter(({ id }) => id > after.id) };
            if (next !== undefined) return next;
            await Promise.race([once(pushed, "push"), once(signal, "abort")]);
          }
          return undefined;
        },
      };
    },
  };
  return {
    feed,
    failures,
    close: () => closing.abort(),
    /** Deletes all changes. */
    lose: () => {
      oldest = batches.at(-1)?.last.id ?? 0n;
    },
    followers: () => followers,
    push: (...changes: readonly FeedChange[]) => {
      batches.push({ changes, last: positionAt(Number(changes.at(-1)?.id ?? 0n)), ...more });
      pushed.dispatchEvent(new Event("push"));
    },
    /** Returns a summary instead of the changes to the next streams that continue. */
    summarize: (...parts: readonly (readonly FeedChange[])[]) =>
      summary.push(
        ...parts.map((changes, index) => ({
          ...{ changes, isSummary: true, isReset: false, isBehind: false },
          last: index < parts.length - 1 ? undefined : batches.at(-1)?.last,
        })),
      ),
  };
}

let records: Records;
let source: ReturnType<typeof makeFeed>;
let user: User | undefined;
const streams: AbortController[] = [];
beforeAll(async () => {
  records = await startRecords(inject("postgresUrl"));
});
beforeEach(() => {
  source = makeFeed(records.matchStates);
  user = undefined;
});
afterEach(() => {
  for (const stream of streams.splice(0)) stream.abort();
});
afterAll(() => records?.close());

const serve = (
  Project: ModelConfig = {},
  options: Parameters<Records["serve"]>[1] = {},
  isGuarded = false,
): Promise<ServedRecords> =>
  records.serve({ Project: { changes: { events: true }, ...Project } }, { events: source.feed, ...options }, isGuarded);

/** Opens a stream. Its events are `name data`, without ids. */
async function open({ url }: ServedRecords, query = "", headers: Readonly<Record<string, string>> = {}) {
  const ending = new AbortController();
  streams.push(ending);
  const response = await fetch(`${url}/projects/events${query}`, {
    signal: ending.signal,
    headers: { ...headers, ...(user === undefined ? {} : { "x-user": JSON.stringify(user) }) },
  });
  let text = "";
  let isEnded = false;
  const read = async (): Promise<void> => {
    for await (const chunk of response.body?.pipeThrough(new TextDecoderStream()) ?? []) text += chunk;
    isEnded = true;
  };
  read().catch(() => undefined);
  const events = (): readonly string[] =>
    text
      .split("\n\n")
      .slice(0, -1)
      .filter((event) => !event.startsWith("retry: ") && !event.startsWith("id: "))
      .map((event) =>
        event
          .replace(/^event: /, "")
          .replace(/\nid: .*/, "")
          .replace("\ndata: ", " "),
      );
  const received = async (expected: readonly string[]): Promise<void> => {
    await expect.poll(() => events().length).toBeGreaterThanOrEqual(expected.length);
    expect(events()).toEqual(expected);
  };
  /** The last id. */
  const lastId = (): string => [...text.matchAll(/^id: (.*)$/gm)].at(-1)?.[1] ?? "";
  return { response, received, text: () => text, lastId, isEnded: () => isEnded, close: () => ending.abort() };
}

const statusOf = async (served: ServedRecords, query: string, headers: Readonly<Record<string, string>> = {}) => {
  const { status, body } = await served.call("GET", `/projects/events${query}`, { headers, user });
  const [error] = body.errors ?? [];
  return [status, error === undefined ? body.code : `${error.in} ${error.path}`];
};

describe("C111 a stream of events", () => {
  it("has the changes of the rows of a model, with their visible fields", async () => {
    const served = await serve();
    const stream = await open(served, "?fields=id,title,budget");
    expect(stream.response.status).toBe(200);
    expect(Object.fromEntries(stream.response.headers)).toMatchObject({
      "content-type": "text/event-stream; charset=utf-8",
      "cache-control": "private, no-cache, no-transform",
      "x-accel-buffering": "no",
    });
    await stream.received(["ready {}"]);
    expect(stream.text()).toMatch(/^retry: [12]\d{3}\n\nevent: ready\nid: [\w-]{100,}\ndata: \{\}\n\n$/);
    source.push(change(11, null, { id: 1, year: 2026 }, "Page"));
    source.push(
      change(12, null, project(1, "a", { budget: "1.50" })),
      change(13, null, { year: 2026 }, "Page"),
      change(14, project(1, "a"), project(1, "b")),
      // Fields that are hidden, or were not requested.
      change(15, project(1, "b"), project(1, "b", { secret: "t", rank: 2 })),
      change(16, project(1, "b"), null),
      change(17, project(2, "c"), project(3, "c")),
    );
    await stream.received([
      "ready {}",
      'created {"id":1,"title":"a","budget":"1.50"}',
      'updated {"id":1,"title":"b","budget":null}',
      'removed {"id":1}',
      'removed {"id":2}',
      'created {"id":3,"title":"c","budget":null}',
    ]);
    const all = await open(served);
    await all.received(["ready {}"]);
    source.push(change(18, null, { ...project(4, "d"), unknown: 1 }));
    const { secret: _secret, ...visible } = project(4, "d");
    await expect.poll(all.text).toContain("created");
    expect(JSON.parse(/created\ndata: (.*)\n\n/.exec(all.text())?.[1] ?? "")).toEqual(visible);
  });

  it("compares the states of rows with the filters and the row rules", async () => {
    const served = await serve({ auth: { where: () => ({ rank: { gte: 1 } }) } });
    const stream = await open(served, "?title__contains=a&fields=title");
    await stream.received(["ready {}"]);
    source.push(change(11, null, project(1, "b")), change(12, project(1, "b"), project(1, "ba")));
    source.push(change(13, project(1, "ba"), project(1, "ca")), change(14, project(1, "ca"), project(1, "c")));
    source.push(
      change(15, null, project(2, "a", { rank: 0 })),
      change(16, project(3, "a"), project(3, "a", { rank: null })),
    );
    source.push(change(17, null, project(4, "a")));
    await stream.received([
      "ready {}",
      'created {"title":"ba"}',
      'updated {"title":"ca"}',
      'removed {"id":1}',
      'removed {"id":3}',
      'created {"title":"a"}',
    ]);
  });

  it("is shared by callers with the same rules and filters, and differs for others", async () => {
    const served = await serve();
    const queries = ["?id=1&fields=id", "?id=1&fields=id", "?id=2&fields=id", "?id__in=1,2&fields=id", "?fields=title"];
    const opened = await Promise.all(queries.map((query) => open(served, query)));
    for (const stream of opened) await stream.received(["ready {}"]);
    source.push(change(11, null, project(1, "a")), change(12, null, project(2, "b")));
    const [one, two] = ['created {"id":1}', 'created {"id":2}'];
    const titles = ['created {"title":"a"}', 'created {"title":"b"}'];
    for (const [index, expected] of [[one], [one], [two], [one, two], titles].entries())
      await opened[index]?.received(["ready {}", ...(expected as string[])]);
  });

  it("C130 continues after the last id that the client received", async () => {
    const served = await serve();
    const stream = await open(served, "?fields=id");
    await stream.received(["ready {}"]);
    const [ready, first, second] = [stream.lastId(), 'created {"id":1}', 'created {"id":2}'];
    source.push(change(11, null, project(1, "a")));
    await stream.received(["ready {}", first]);
    const afterFirst = stream.lastId();
    source.push(change(12, null, project(2, "b")));
    await stream.received(["ready {}", first, second]);
    expect(new Set([ready, afterFirst, stream.lastId()]).size).toBe(3);
    await (await open(served, "?fields=id", { "last-event-id": ready })).received([first, second]);
    await (await open(served, `?fields=id&lastEventId=${afterFirst}`)).received([second]);
    const header = { "last-event-id": afterFirst };
    await (await open(served, `?fields=id&lastEventId=${ready}`, header)).received([second]);
    await (await open(served, "?fields=id", { "last-event-id": "" })).received(["ready {}"]);
    await (await open(served, "?fields=id&lastEventId=")).received(["ready {}"]);
    for (const text of ["x y", "1 OR 1=1", "a".repeat(501)])
      expect(await statusOf(served, `?lastEventId=${encodeURIComponent(text)}`)).toEqual([400, "query /lastEventId"]);
    expect(await statusOf(served, `?lastEventId=${ready}`, { "last-event-id": "*" })).toEqual([
      400,
      "headers /last-event-id",
    ]);
  });

  it("C130 resets a client with an id of another model, filter, fields or caller, of an earlier version, or that is changed", async () => {
    const served = await serve({ auth: { findMany: ["reader"] } }, { access: renewAs(() => user as User) }, true);
    user = { id: 1, roles: ["reader"] };
    const stream = await open(served, "?title=a&fields=id");
    await stream.received(["ready {}"]);
    const id = stream.lastId();
    const changed = `${id.slice(0, 40)}${id[40] === "A" ? "B" : "A"}${id.slice(41)}`;
    const others: readonly [string, string][] = [
      ["?title=b&fields=id", id],
      ["?fields=id", id],
      ["?title=a&fields=id,title", id],
      ["?title=a&fields=id", changed],
      ["?title=a&fields=id", "41"],
      ["?title=a&fields=id", "-1"],
      ["?title=a&fields=id", "abc"],
    ];
    source.push(change(11, null, project(1, "a")));
    for (const [query, text] of others)
      await (await open(served, query, { "last-event-id": text })).received(["reset {}"]);
    await (await open(served, "?title=a&fields=id", { "last-event-id": id })).received(['created {"id":1}']);
    user = { id: 2, roles: ["reader"] };
    await (await open(served, "?title=a&fields=id", { "last-event-id": id })).received(["reset {}"]);
    user = { id: 1, roles: ["reader"] };
    vi.useFakeTimers({ toFake: ["Date"], now: Date.now() + 600_001 });
    await (await open(served, "?title=a&fields=id", { "last-event-id": id })).received(["reset {}"]);
    vi.useRealTimers();
  });

  it("C130 resets a client whose rights have changed since its last id, or whose position the log does not contain", async () => {
    let rank = 1;
    const served = await serve({ auth: { where: () => ({ rank }) } });
    const stream = await open(served, "?fields=id");
    await stream.received(["ready {}"]);
    const header = { "last-event-id": stream.lastId() };
    rank = 2;
    source.push(change(11, null, project(1, "a")), change(12, null, project(2, "b", { rank: 2 })));
    await (await open(served, "?fields=id", header)).received(["reset {}"]);
    rank = 1;
    await (await open(served, "?fields=id", header)).received(['created {"id":1}']);
    source.lose();
    await (await open(served, "?fields=id", header)).received(["reset {}"]);
  });

  it("C130 sends one id after the events of a batch, which do not have one", async () => {
    const served = await serve();
    const stream = await open(served, "?fields=id");
    await stream.received(["ready {}"]);
    const ready = stream.text();
    source.push(change(11, null, project(1, "a")), change(12, null, project(2, "b")));
    await expect.poll(() => stream.text().slice(ready.length)).toMatch(/\n\nid: /);
    const [created, also, id] = stream.text().slice(ready.length).split("\n\n");
    expect([created, also]).toEqual(['event: created\ndata: {"id":1}', 'event: created\ndata: {"id":2}']);
    expect(id).toMatch(/^id: [\w-]{100,}$/);
  });

  it("C130 sends the rows of a summary, and its position after the last part", async () => {
    const served = await serve();
    const stream = await open(served, "?fields=id,title");
    await stream.received(["ready {}"]);
    const header = { "last-event-id": stream.lastId() };
    source.summarize(
      [change(12, project(1, "old"), project(1, "new")), change(13, null, null)],
      [change(14, project(2, "b"), null)],
    );
    const again = await open(served, "?fields=id,title", header);
    await again.received(['updated {"id":1,"title":"new"}', 'removed {"id":2}']);
  });

  it.each([
    ["through a relation", () => ({ company: { is: { name: "x" } } })],
    ["with another time", () => ({ updatedAt: { lte: new Date() } })],
  ])(
    "C130 sends a reset in place of a summary that removes rows, if a rule %s decides about them",
    async (_name, where) => {
      const matchStates = vi.spyOn(source.feed.matchStates, "each");
      matchStates.mockImplementation(async (_model, filters) => filters.map(({ states }) => states.map(() => true)));
      const served = await serve({ auth: { where } });
      const stream = await open(served, "?fields=id");
      await stream.received(["ready {}"]);
      const header = { "last-event-id": stream.lastId() };
      source.summarize(
        [change(12, project(1, "a"), null)],
        [change(13, project(2, "b"), null), change(14, null, project(3, "c"))],
      );
      await (await open(served, "?fields=id", header)).received(["reset {}"]);
      source.summarize([change(14, null, project(3, "c"))]);
      await (await open(served, "?fields=id", header)).received(['created {"id":3}']);
      matchStates.mockRestore();
    },
  );

  it("has the parameters of its filters and fields, and no others", async () => {
    const served = await serve();
    for (const name of ["sort", "page", "limit", "include"])
      expect([name, await statusOf(served, `?${name}=1`)]).toEqual([name, [400, `query /${name}`]]);
    expect(await statusOf(served, "?fields=secret")).toEqual([400, "query /fields"]);
    expect(await statusOf(served, "?nope=1")).toEqual([400, "query /nope"]);
    const { response } = await open(served, "?lastEventId=&title=x&not[rank]=1&or[0][id]=1&or[1][id]=2");
    expect(response.status).toBe(200);
  });

  it("is only a header for HEAD", async () => {
    const served = await serve({}, { settings: { eventStreams: 1 } });
    for (let times = 0; times < 3; times++) {
      const { status, headers, body } = await served.call("HEAD", "/projects/events");
      expect([status, headers.get("content-type"), body]).toEqual([200, "text/event-stream; charset=utf-8", undefined]);
    }
    expect(source.followers()).toBe(0);
  });

  it("ends when the service stops, and no longer follows when the client disconnects", async () => {
    const served = await serve();
    const [one, other] = [await open(served), await open(served)];
    for (const stream of [one, other]) await stream.received(["ready {}"]);
    expect(source.followers()).toBe(2);
    one.close();
    await expect.poll(source.followers).toBe(1);
    expect(other.isEnded()).toBe(false);
    source.close();
    await expect.poll(other.isEnded).toBe(true);
    await expect.poll(source.followers).toBe(0);
    expect(served.logged).toEqual([]);
  });
});

describe("C111 limits of streams", () => {
  it("are those of a client and of the process", async () => {
    const served = await serve({}, { settings: { eventStreams: 3, eventStreamsPerClient: 2 } });
    const rejected = async () => {
      const { status, headers } = await served.call("GET", "/projects/events", { user });
      return [status, headers.get("retry-after")];
    };
    user = { id: 1 };
    const own = [await open(served), await open(served)];
    expect(await rejected()).toEqual([429, "30"]);
    user = { id: 2 };
    await (await open(served)).received(["ready {}"]);
    expect(await rejected()).toEqual([503, "30"]);
    own[0]?.close();
    await expect.poll(source.followers).toBe(2);
    user = undefined;
    await (await open(served)).received(["ready {}"]);
    expect(await rejected()).toEqual([503, "30"]);
    own[1]?.close();
    await expect.poll(source.followers).toBe(2);
    user = { id: 1 };
    await (await open(served)).received(["ready {}"]);
  });
});

describe("C111 the access to a stream", () => {
  const auth = { findMany: { rule: ["reader"], where: ({ headers }: { headers: object }) => rule(headers) } } as const;
  let rule: (headers: object) => object | boolean;
  beforeEach(() => {
    rule = () => ({ rank: 1 });
  });

  it("is that of the list", async () => {
    const served = await serve({ auth }, {}, true);
    expect(await statusOf(served, "")).toMatchObject([401, undefined]);
    user = { id: 1, roles: ["writer"] };
    expect(await statusOf(served, "")).toMatchObject([403, undefined]);
    user = { id: 1, roles: ["reader"] };
    await (await open(served)).received(["ready {}"]);
  });

  it("is checked again with each change: other rules are a reset, and no access ends the stream", async () => {
    const served = await serve({ auth }, {}, true);
    user = { id: 1, roles: ["reader"] };
    const stream = await open(served, "?fields=id");
    await stream.received(["ready {}"]);
    rule = () => ({ rank: 2 });
    source.push(change(11, null, project(1, "a")));
    await stream.received(["ready {}", "reset {}"]);
    source.push(change(12, null, project(2, "b")), change(13, null, project(3, "c", { rank: 2 })));
    await stream.received(["ready {}", "reset {}", 'created {"id":3}']);
    expect(stream.isEnded()).toBe(false);
  });

  it("is that of the renewed caller", async () => {
    let renewed: User = { id: 1, roles: ["reader"] };
    const served = await serve({ auth }, { access: renewAs(() => renewed) }, true);
    user = { id: 1, roles: ["reader"] };
    const stream = await open(served, "?fields=id");
    await stream.received(["ready {}"]);
    source.push(change(11, null, project(1, "a")));
    await stream.received(["ready {}", 'created {"id":1}']);
    renewed = { id: 1, roles: ["writer"] };
    source.push(change(12, null, project(2, "b")));
    await expect.poll(stream.isEnded).toBe(true);
    await stream.received(["ready {}", 'created {"id":1}']);
    expect(served.logged).toEqual([]);
  });

  it("C131 that cannot be checked for some time does not end the stream, and is logged once", async () => {
    let error: Error | undefined = new Error("no connection");
    const logged: unknown[] = [];
    const access = renewAs(() => {
      if (error !== undefined) throw error;
      return { id: 1, roles: ["reader"] };
    });
    const served = await serve({ auth }, { access, log: (failure) => logged.push(failure) }, true);
    user = { id: 1, roles: ["reader"] };
    const stream = await open(served, "?fields=id");
    await stream.received(["ready {}"]);
    source.push(change(11, null, project(1, "a")));
    await expect.poll(() => logged).toEqual([error]);
    source.push(change(12, null, project(2, "b")));
    await stream.received(["ready {}"]);
    error = httpErrors.GatewayTimeout();
    error = undefined;
    await stream.received(["ready {}", 'created {"id":1}', 'created {"id":2}']);
    error = httpErrors.Forbidden();
    source.push(change(13, null, project(3, "c")));
    await expect.poll(stream.isEnded).toBe(true);
    expect([logged.length, stream.text().includes('"id":3')]).toEqual([1, false]);
  });

  it("C131 that cannot be checked for two minutes ends the stream", async () => {
    const access = renewAs(() => {
      throw new Error("no connection");
    });
    const served = await serve({ auth }, { access, log: () => undefined }, true);
    user = { id: 1, roles: ["reader"] };
    const stream = await open(served);
    await stream.received(["ready {}"]);
    vi.useFakeTimers({ toFake: ["performance", "setTimeout", "clearTimeout"] });
    source.push(change(11, null, project(1, "a")));
    for (let ms = 0; ms < 130_000; ms += 1_000) await vi.advanceTimersByTimeAsync(1_000);
    vi.useRealTimers();
    await expect.poll(stream.isEnded).toBe(true);
    expect(stream.text()).not.toContain("created");
  });

  it("C131 the changes that cannot be read for some time do not end the stream", async () => {
    const served = await serve({}, { log: () => undefined });
    source.failures.push(httpErrors.ServiceUnavailable());
    const stream = await open(served, "?fields=id");
    await stream.received(["ready {}"]);
    source.push(change(11, null, project(1, "a")));
    await stream.received(["ready {}", 'created {"id":1}']);
    expect(stream.isEnded()).toBe(false);
  });
});

it("C111 events require a list and the changes", async () => {
  const issues = (options: Parameters<Records["serve"]>[1], config: ModelConfig = {}) =>
    records.serve({ Project: { changes: { events: true }, ...config } }, options).then(
      () => [],
      (error: { issues: { where: string; message: string }[] }) =>
        error.issues.map(({ where, message }) => `${where}: ${message}`),
    );
  expect(await issues({})).toEqual(["models.Project.changes.events: Pass the option events to makeModelRouter."]);
  expect(await issues({ events: source.feed }, { operations: { findMany: false } })).toEqual([
    "models.Project.changes.events: Events require the list. Enable findMany.",
  ]);
  const { call } = await records.serve({ Project: { changes: { history: false } } }, { events: source.feed });
  expect((await call("GET", "/projects/events")).status).toBe(404);
});
