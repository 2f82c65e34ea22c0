import { describe, expect, it } from "vitest";
import { type FairQueueOptions, makeFairQueue } from "./fair-queue.js";

/** A queue whose tasks end when they are told to. */
function makeProbe(limits: Partial<FairQueueOptions> = {}) {
  const queue = makeFairQueue({
    running: 1,
    waiting: 10,
    waitingPerClient: 10,
    refuse: () => new Error("full"),
    ...limits,
  });
  const begun: string[] = [];
  const ends = new Map<string, (error?: Error) => void>();
  return {
    begun,
    /** Asks for a task of a client and gives what becomes of it. */
    ask(client: string, name: string, signal?: AbortSignal): Promise<string> {
      const task = () => {
        begun.push(name);
        return new Promise<string>((resolve, reject) => {
          ends.set(name, (error) => (error === undefined ? resolve(name) : reject(error)));
        });
      };
      return queue.run(client, task, signal);
    },
    /** Ends tasks, one after the other. */
    async end(...names: string[]): Promise<void> {
      for (const name of names) {
        ends.get(name)?.();
        await new Promise(setImmediate);
      }
    },
    fail: (name: string, error: Error): void => ends.get(name)?.(error),
  };
}

describe("C59 a fair queue", () => {
  it("runs as many tasks at once as it may, the others as room comes", async () => {
    const { ask, begun, end } = makeProbe({ running: 2 });
    const outcomes = Promise.all(["1", "2", "3", "4"].map((name) => ask("a", name)));
    expect(begun).toEqual(["1", "2"]);
    await end("2");
    expect(begun).toEqual(["1", "2", "3"]);
    await end("1", "3", "4");
    expect(await outcomes).toEqual(["1", "2", "3", "4"]);
  });

  it("F7 lets clients take turns, however many tasks one of them has", async () => {
    const { ask, begun, end } = makeProbe();
    for (const name of ["a1", "a2", "a3", "a4"]) void ask("a", name);
    for (const name of ["b1", "b2"]) void ask("b", name);
    void ask("c", "c1");
    await end("a1", "a2", "b1", "c1", "a3", "b2", "a4");
    expect(begun).toEqual(["a1", "a2", "b1", "c1", "a3", "b2", "a4"]);
  });

  it("F7 lets a lone client fill the queue, and no more than that", async () => {
    const { ask, begun, end } = makeProbe({ waiting: 3, waitingPerClient: 2 });
    const outcomes = ["a1", "a2", "a3", "a4"].map((name) => ask("a", name));
    await expect(ask("a", "a5")).rejects.toThrow("full");
    await end("a1", "a2", "a3", "a4");
    expect(await Promise.all(outcomes)).toEqual(["a1", "a2", "a3", "a4"]);
    expect(begun).toEqual(["a1", "a2", "a3", "a4"]);
  });

  it("F7 who has more than its share gives way, its newest first, to each that comes from others", async () => {
    const { ask, begun, end } = makeProbe({ waiting: 4, waitingPerClient: 2 });
    const flood = ["a1", "a2", "a3", "a4", "a5"].map((name) => ask("a", name));
    void ask("b", "b1");
    await expect(flood[4]).rejects.toThrow("full");
    void ask("b", "b2");
    await expect(flood[3]).rejects.toThrow("full");
    // Beside others each has its share only.
    await expect(ask("b", "b3")).rejects.toThrow("full");
    await expect(ask("a", "a6")).rejects.toThrow("full");
    await end("a1", "a2", "b1", "a3", "b2");
    expect(begun).toEqual(["a1", "a2", "b1", "a3", "b2"]);
  });

  it("F7 where the queue is full of shares, one that waits twice gives way to one that does not wait at all", async () => {
    const { ask, begun, end } = makeProbe({ waiting: 3, waitingPerClient: 2 });
    void ask("a", "a1");
    const tasks = [ask("b", "b1"), ask("b", "b2"), ask("c", "c1")];
    const last = ask("d", "d1");
    await expect(tasks[1]).rejects.toThrow("full");
    await expect(ask("e", "e1")).rejects.toThrow("full");
    await end("a1", "b1", "c1", "d1");
    expect(await last).toBe("d1");
    expect(begun).toEqual(["a1", "b1", "c1", "d1"]);
  });

  it("takes a task out whose signal is aborted while it waits, and its room is free again", async () => {
    const { ask, begun, end } = makeProbe({ waiting: 1 });
    const gone = new AbortController();
    void ask("a", "a1");
    const waiting = ask("b", "b1", gone.signal);
    gone.abort(new Error("gone"));
    await expect(waiting).rejects.toThrow("gone");
    await expect(ask("b", "b2", gone.signal)).rejects.toThrow("gone");
    void ask("c", "c1");
    await end("a1", "c1");
    expect(begun).toEqual(["a1", "c1"]);
  });

  it("leaves a task alone that has begun when its signal comes", async () => {
    const { ask, begun, end } = makeProbe();
    const gone = new AbortController();
    const outcomes = [ask("a", "a1"), ask("a", "a2", gone.signal), ask("a", "a3")];
    await end("a1");
    gone.abort();
    expect(begun).toEqual(["a1", "a2"]);
    await end("a2", "a3");
    expect(await Promise.all(outcomes)).toEqual(["a1", "a2", "a3"]);
  });

  it("goes on after a task that failed, in the way or at once", async () => {
    const { ask, end, fail } = makeProbe();
    const first = ask("a", "a1");
    const second = ask("a", "a2");
    fail("a1", new Error("broken"));
    await expect(first).rejects.toThrow("broken");
    await end("a2");
    expect(await second).toBe("a2");
    const queue = makeFairQueue({ running: 1, waiting: 0, waitingPerClient: 0, refuse: () => new Error("full") });
    const throws = (): Promise<never> => {
      throw new Error("at once");
    };
    await expect(queue.run("a", throws)).rejects.toThrow("at once");
    expect(await queue.run("a", async () => 1)).toBe(1);
  });
});
