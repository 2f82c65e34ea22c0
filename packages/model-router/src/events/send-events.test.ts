import { expect, it, vi } from "vitest";
import type { Resource } from "../resource/resource.js";
import type { CallersView, ChangeEvents } from "./callers-events.js";
import type { FeedBatch, FeedChange, FeedPosition } from "./change-feed.js";
import { makeEventIds } from "./event-ids.js";
import { sendEvents } from "./send-events.js";

const resource = { model: { name: "Order" } } as unknown as Resource;
const view: CallersView = {
  ...{ own: resource, filter: undefined, fields: ["id"], filterKey: "", requestKey: "", client: "a", caller: "a" },
};
const positionAt = (id: number): FeedPosition => ({ id: BigInt(id), transaction: BigInt(id), time: new Date(id) });
const changeOf = (id: number): FeedChange => ({
  ...{ ...positionAt(id), model: "Order", operation: "create", actor: "a", requestId: null },
  ...{ before: null, after: { id } },
});

/** A stream whose client reads only when `read` is called. */
function makeSlowStream() {
  const ending = new AbortController();
  const written: string[] = [];
  let isFull = false;
  let waiting: (() => void)[] = [];
  return {
    written,
    read: () => {
      isFull = false;
      for (const resolve of waiting.splice(0)) resolve();
    },
    end: () => ending.abort(),
    stream: {
      signal: ending.signal,
      write: (text: string) => {
        written.push(text);
        isFull ||= text.includes("event: created");
      },
      isFull: () => isFull,
      drained: (ms?: number) =>
        new Promise<boolean>((resolve) => {
          const end = () => resolve(!isFull && !ending.signal.aborted);
          waiting = [...waiting, end];
          if (ms !== undefined) setTimeout(end, ms);
          ending.signal.addEventListener("abort", end);
        }),
      writeIfIdle: () => undefined,
      end: () => ending.abort(),
    },
  };
}

it("C133 does not write or retain the changes that follow while the client does not read, and continues after the last one", async () => {
  vi.useFakeTimers();
  const { stream, written, read, end } = makeSlowStream();
  const ids = makeEventIds(["a secret"]);
  const requested: (bigint | undefined)[] = [];
  let texts = 0;
  const all = [1, 2, 3].map(changeOf);
  const flags = { isSummary: false, isReset: false, isBehind: false };
  const next = async (after?: FeedPosition): Promise<FeedBatch | undefined> => {
    requested.push(after?.id);
    if (after === undefined) return { changes: [], last: positionAt(0), ...flags };
    const changes = all.filter(({ id }) => id > after.id);
    if (changes.length > 0) return { changes, last: positionAt(3), ...flags };
    await new Promise((resolve) => stream.signal.addEventListener("abort", resolve));
    return undefined;
  };
  const write = async ({ changes }: FeedBatch): Promise<readonly ChangeEvents[]> =>
    changes.map((change) => ({
      ...{ change, isRemoval: false, isTooLarge: false },
      text: () => {
        texts++;
        return `event: created\ndata: ${change.id}\n\n`;
      },
    }));
  const sending = sendEvents(stream, view, {
    ...{ resource, subscription: { next }, ids, write, after: undefined, isReset: false },
    check: async () => view,
    log: (error) => expect.fail(String(error)),
  });
  const events = () => written.flatMap((text) => /data: (\d+)/.exec(text)?.[1] ?? []);
  const positions = () => written.flatMap((text) => ids.read(/^id: (.*)$/m.exec(text)?.[1] ?? "")?.position.id ?? []);
  await vi.advanceTimersByTimeAsync(10);
  expect([events(), requested, texts]).toEqual([["1"], [undefined, 0n], 1]);
  // A client that reads soon receives the rest of the batch.
  read();
  await vi.advanceTimersByTimeAsync(10);
  expect([events(), requested, positions()]).toEqual([["1", "2"], [undefined, 0n], [0n]]);
  // One that does not read needs the changes again, after those that were written.
  await vi.advanceTimersByTimeAsync(5_000);
  expect([events(), requested, positions()]).toEqual([
    ["1", "2"],
    [undefined, 0n],
    [0n, 2n],
  ]);
  read();
  await vi.advanceTimersByTimeAsync(10);
  expect([events(), requested]).toEqual([
    ["1", "2", "3"],
    [undefined, 0n, 2n],
  ]);
  read();
  await vi.advanceTimersByTimeAsync(10);
  expect([requested, positions()]).toEqual([
    [undefined, 0n, 2n, 3n],
    [0n, 2n, 3n],
  ]);
  end();
  await sending;
  vi.useRealTimers();
});
