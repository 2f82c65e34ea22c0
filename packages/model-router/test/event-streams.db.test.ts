import { once } from "node:events";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, inject, it } from "vitest";
import type { ChangeFeed, ModelConfig } from "../src/index.js";
import { type Records, renewAs, type ServedRecords, startRecords, type User } from "./records.js";

type Batch = Awaited<ReturnType<ReturnType<ChangeFeed["follow"]>["next"]>>["value"] & object;
type Change = Batch["changes"][number];
type State = Change["before"];

const change = (id: number, before: object | null, after: object | null, model = "Project"): Change => ({
  ...{ id: BigInt(id), model, time: new Date(), actor: "user:1", requestId: null },
  operation: before === null ? "create" : after === null ? "delete" : "update",
  before: before as State,
  after: after as State,
});

const project = (id: number, title: string, more: object = {}) => ({
  ...{ id, title, rank: 1, budget: null, secret: "s", score: 0, deletedAt: null, companyId: null },
  updatedAt: "2026-01-01T00:00:00.000Z",
  ...more,
});

/** A log of changes in memory, whose positions before 5 were deleted. */
function makeFeed(matchStates: ChangeFeed["matchStates"]) {
  const closing = new AbortController();
  const pushed = new EventTarget();
  const batches: Batch[] = [{ changes: [], last: 10n }];
  const notBefore: (Date | undefined)[] = [];
  let followers = 0;
  const feed: ChangeFeed = {
    matchStates,
    closing: closing.signal,
    contains: async (position, date) => {
      notBefore.push(date);
      return position >= 5n;
    },
    async *follow({ after, signal }) {
      followers++;
      try {
        const end = batches.at(-1)?.last ?? 0n;
        let position = after ?? end;
        yield { changes: [], last: position };
        while (!signal.aborted) {
          const next = batches.find(({ last }) => last > position);
          if (next === undefined) await Promise.race([once(pushed, "push"), once(signal, "abort")]);
          else {
            position = next.last;
            yield next;
          }
        }
      } finally {
        followers--;
      }
    },
  };
  return {
    feed,
    notBefore,
    close: () => closing.abort(),
    followers: () => followers,
    push: (...changes: readonly Change[]) => {
      batches.push({ changes, last: changes.at(-1)?.id ?? 0n });
      pushed.dispatchEvent(new Event("push"));
    },
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

/** Opens a stream. Its events are `name id data`, without those of other streams. */
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
      .filter((event) => !event.startsWith("retry: "))
      .map((event) => event.replace(/^event: /, "").replace(/\n(id|data): /g, " "));
  const received = async (expected: readonly string[]): Promise<void> => {
    await expect.poll(() => events().length).toBeGreaterThanOrEqual(expected.length);
    expect(events()).toEqual(expected);
  };
  return { response, received, text: () => text, isEnded: () => isEnded, close: () => ending.abort() };
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
    await stream.received(["ready 10 {}"]);
    expect(stream.text()).toMatch(/^retry: [12]\d{3}\n\n/);
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
      "ready 10 {}",
      'created 12 {"id":1,"title":"a","budget":"1.50"}',
      'updated 14 {"id":1,"title":"b","budget":null}',
      'removed 16 {"id":1}',
      'removed {"id":2}',
      'created 17 {"id":3,"title":"c","budget":null}',
    ]);
    const all = await open(served);
    await all.received(["ready 17 {}"]);
    source.push(change(18, null, { ...project(4, "d"), unknown: 1 }));
    const { secret: _secret, ...visible } = project(4, "d");
    await expect.poll(all.text).toContain("created");
    expect(JSON.parse(/data: (.*)\n\n$/.exec(all.text())?.[1] ?? "")).toEqual(visible);
  });

  it("compares the states of rows with the filters and the row rules", async () => {
    const served = await serve({ auth: { where: () => ({ rank: { gte: 1 } }) } });
    const stream = await open(served, "?title__contains=a&fields=title");
    await stream.received(["ready 10 {}"]);
    source.push(change(11, null, project(1, "b")), change(12, project(1, "b"), project(1, "ba")));
    source.push(change(13, project(1, "ba"), project(1, "ca")), change(14, project(1, "ca"), project(1, "c")));
    source.push(
      change(15, null, project(2, "a", { rank: 0 })),
      change(16, project(3, "a"), project(3, "a", { rank: null })),
    );
    source.push(change(17, null, project(4, "a")));
    await stream.received([
      "ready 10 {}",
      'created 12 {"title":"ba"}',
      'updated 13 {"title":"ca"}',
      'removed 14 {"id":1}',
      'removed 16 {"id":3}',
      'created 17 {"title":"a"}',
    ]);
  });

  it("is shared by callers with the same rules and filters, and differs for others", async () => {
    const served = await serve();
    const queries = ["?id=1&fields=id", "?id=1&fields=id", "?id=2&fields=id", "?id__in=1,2&fields=id", "?fields=title"];
    const opened = await Promise.all(queries.map((query) => open(served, query)));
    for (const stream of opened) await stream.received(["ready 10 {}"]);
    source.push(change(11, null, project(1, "a")), change(12, null, project(2, "b")));
    const [one, two] = ['created 11 {"id":1}', 'created 12 {"id":2}'];
    const titles = ['created 11 {"title":"a"}', 'created 12 {"title":"b"}'];
    for (const [index, expected] of [[one], [one], [two], [one, two], titles].entries())
      await opened[index]?.received(["ready 10 {}", ...(expected as string[])]);
  });

  it("continues after the last event that the client received", async () => {
    const served = await serve();
    source.push(change(11, null, project(1, "a")));
    source.push(change(12, null, project(2, "b")));
    const [first, second] = ['created 11 {"id":1}', 'created 12 {"id":2}'];
    await (await open(served, "?fields=id", { "last-event-id": "10" })).received([first, second] as string[]);
    await (await open(served, "?fields=id&lastEventId=11")).received([second] as string[]);
    const header = { "last-event-id": "11" };
    await (await open(served, "?fields=id&lastEventId=10", header)).received([second] as string[]);
    await (await open(served, "?fields=id", { "last-event-id": "" })).received(["ready 12 {}"]);
    await (await open(served, "?fields=id&lastEventId=")).received(["ready 12 {}"]);
    // Changes after this one may be deleted.
    await (await open(served, "?fields=id&lastEventId=4")).received(["reset 12 {}"]);
    expect(await statusOf(served, "?lastEventId=x")).toEqual([400, "query /lastEventId"]);
    expect(await statusOf(served, "?lastEventId=1", { "last-event-id": "-1" })).toEqual([
      400,
      "headers /last-event-id",
    ]);
    expect(await statusOf(served, `?lastEventId=${"1".repeat(19)}`)).toEqual([400, "query /lastEventId"]);
  });

  it("does not continue after a position whose later changes may have been deleted", async () => {
    const ages: (number | undefined)[] = [];
    for (const retention of [undefined, { days: 2 }, { perRow: 5 }, { days: 1, perRow: 5 }]) {
      const changes = { events: true, ...(retention === undefined ? {} : { retention }) };
      const stream = await open(await serve({ changes }), "?lastEventId=10");
      await expect.poll(stream.text).toContain("retry");
      const date = source.notBefore.at(-1);
      ages.push(date && Math.round((Date.now() - date.getTime()) / 60_000));
    }
    expect(source.notBefore).toHaveLength(4);
    expect(ages).toEqual([undefined, 2 * 24 * 60, 50, 50]);
  });

  it("has the parameters of its filters and fields, and no others", async () => {
    const served = await serve();
    for (const name of ["sort", "page", "limit", "include"])
      expect([name, await statusOf(served, `?${name}=1`)]).toEqual([name, [400, `query /${name}`]]);
    expect(await statusOf(served, "?fields=secret")).toEqual([400, "query /fields"]);
    expect(await statusOf(served, "?nope=1")).toEqual([400, "query /nope"]);
    const { response } = await open(served, "?lastEventId=10&title=x&not[rank]=1&or[0][id]=1&or[1][id]=2");
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
    for (const stream of [one, other]) await stream.received(["ready 10 {}"]);
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
    await (await open(served)).received(["ready 10 {}"]);
    expect(await rejected()).toEqual([503, "30"]);
    own[0]?.close();
    await expect.poll(source.followers).toBe(2);
    user = undefined;
    await (await open(served)).received(["ready 10 {}"]);
    expect(await rejected()).toEqual([503, "30"]);
    own[1]?.close();
    await expect.poll(source.followers).toBe(2);
    user = { id: 1 };
    await (await open(served)).received(["ready 10 {}"]);
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
    await (await open(served)).received(["ready 10 {}"]);
  });

  it("is checked again with each change: other rules are a reset, and no access ends the stream", async () => {
    const served = await serve({ auth }, {}, true);
    user = { id: 1, roles: ["reader"] };
    const stream = await open(served, "?fields=id");
    await stream.received(["ready 10 {}"]);
    rule = () => ({ rank: 2 });
    source.push(change(11, null, project(1, "a")));
    await stream.received(["ready 10 {}", "reset 11 {}"]);
    source.push(change(12, null, project(2, "b")), change(13, null, project(3, "c", { rank: 2 })));
    await stream.received(["ready 10 {}", "reset 11 {}", 'created 13 {"id":3}']);
    expect(stream.isEnded()).toBe(false);
  });

  it("is that of the renewed caller", async () => {
    let renewed: User = { id: 1, roles: ["reader"] };
    const served = await serve({ auth }, { access: renewAs(() => renewed) }, true);
    user = { id: 1, roles: ["reader"] };
    const stream = await open(served, "?fields=id");
    await stream.received(["ready 10 {}"]);
    source.push(change(11, null, project(1, "a")));
    await stream.received(["ready 10 {}", 'created 11 {"id":1}']);
    renewed = { id: 1, roles: ["writer"] };
    source.push(change(12, null, project(2, "b")));
    await expect.poll(stream.isEnded).toBe(true);
    await stream.received(["ready 10 {}", 'created 11 {"id":1}']);
    expect(served.logged).toEqual([]);
  });

  it("that cannot be checked ends the stream, and is logged", async () => {
    const failure = new Error("no connection");
    const logged: unknown[] = [];
    const access = renewAs(() => {
      throw failure;
    });
    const served = await serve({ auth }, { access, log: (error) => logged.push(error) }, true);
    user = { id: 1, roles: ["reader"] };
    const stream = await open(served);
    await stream.received(["ready 10 {}"]);
    source.push(change(11, null, project(1, "a")));
    await expect.poll(stream.isEnded).toBe(true);
    expect(logged).toEqual([failure]);
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
