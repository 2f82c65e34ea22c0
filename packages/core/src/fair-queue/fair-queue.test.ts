import { describe, expect, it } from "vitest";
import { type FairQueueOptions, makeFairQueue } from "./fair-queue.js";

/** A queue whose tasks end on command. */
function makeProbe(limits: Partial<FairQueueOptions> = {}) {
  const queue = makeFairQueue({
    running: 1,
    waiting: 10,
    waitingPerClient: 10,
    reject: () => new Error("full"),
    ...limits,
  });
  const begun: string[] = [];
  const ends = new Map<string, (error?: Error) => void>();
  return {
    begun,
    /** Queues a task of a client and returns its outcome. */
    call(client: string, name: string, signal?: AbortSignal): Promise<string> {
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
  it("runs as many tasks concurrently as allowed, and the others when there is room", async () => {
    const { call, begun, end } = makeProbe({ running: 2 });
    const outcomes = Promise.all(["1", "2", "3", "4"].map((name) => call("a", name)));
    expect(begun).toEqual(["1", "2"]);
    await end("2");
    expect(begun).toEqual(["1", "2", "3"]);
    await end("1", "3", "4");
    expect(await outcomes).toEqual(["1", "2", "3", "4"]);
  });

  it("alternates between clients, however many tasks one of them has", async () => {
    const { call, begun, end } = makeProbe();
    for (const name of ["a1", "a2", "a3", "a4"]) void call("a", name);
    for (const name of ["b1", "b2"]) void call("b", name);
    void call("c", "c1");
    await end("a1", "a2", "b1", "c1", "a3", "b2", "a4");
    expect(begun).toEqual(["a1", "a2", "b1", "c1", "a3", "b2", "a4"]);
  });

  it("lets a single client fill the queue, and no more", async () => {
    const { call, begun, end } = makeProbe({ waiting: 3, waitingPerClient: 2 });
    const outcomes = ["a1", "a2", "a3", "a4"].map((name) => call("a", name));
    await expect(call("a", "a5")).rejects.toThrow("full");
    await end("a1", "a2", "a3", "a4");
    expect(await Promise.all(outcomes)).toEqual(["a1", "a2", "a3", "a4"]);
    expect(begun).toEqual(["a1", "a2", "a3", "a4"]);
  });

  it("drops the newest task of a client above its share when another client queues one", async () => {
    const { call, begun, end } = makeProbe({ waiting: 4, waitingPerClient: 2 });
    const flood = ["a1", "a2", "a3", "a4", "a5"].map((name) => call("a", name));
    void call("b", "b1");
    await expect(flood[4]).rejects.toThrow("full");
    void call("b", "b2");
    await expect(flood[3]).rejects.toThrow("full");
    // When others wait, each client has only its share.
    await expect(call("b", "b3")).rejects.toThrow("full");
    await expect(call("a", "a6")).rejects.toThrow("full");
    await end("a1", "a2", "b1", "a3", "b2");
    expect(begun).toEqual(["a1", "a2", "b1", "a3", "b2"]);
  });

  it("drops a second task of a client for the first task of another when the queue is full of shares", async () => {
    const { call, begun, end } = makeProbe({ waiting: 3, waitingPerClient: 2 });
    void call("a", "a1");
    const tasks = [call("b", "b1"), call("b", "b2"), call("c", "c1")];
    const last = call("d", "d1");
    await expect(tasks[1]).rejects.toThrow("full");
    await expect(call("e", "e1")).rejects.toThrow("full");
    await end("a1", "b1", "c1", "d1");
    expect(await last).toBe("d1");
    expect(begun).toEqual(["a1", "b1", "c1", "d1"]);
  });

  it("removes a waiting task whose signal is aborted, and frees its room", async () => {
    const { call, begun, end } = makeProbe({ waiting: 1 });
    const gone = new AbortController();
    void call("a", "a1");
    const waiting = call("b", "b1", gone.signal);
    gone.abort(new Error("gone"));
    await expect(waiting).rejects.toThrow("gone");
    await expect(call("b", "b2", gone.signal)).rejects.toThrow("gone");
    void call("c", "c1");
    await end("a1", "c1");
    expect(begun).toEqual(["a1", "c1"]);
  });

  it("does not interrupt a running task whose signal is aborted", async () => {
    const { call, begun, end } = makeProbe();
    const gone = new AbortController();
    const outcomes = [call("a", "a1"), call("a", "a2", gone.signal), call("a", "a3")];
    await end("a1");
    gone.abort();
    expect(begun).toEqual(["a1", "a2"]);
    await end("a2", "a3");
    expect(await Promise.all(outcomes)).toEqual(["a1", "a2", "a3"]);
  });

  it("continues after a task that failed synchronously or asynchronously", async () => {
    const { call, end, fail } = makeProbe();
    const first = call("a", "a1");
    const second = call("a", "a2");
    fail("a1", new Error("broken"));
    await expect(first).rejects.toThrow("broken");
    await end("a2");
    expect(await second).toBe("a2");
    const queue = makeFairQueue({ running: 1, waiting: 0, waitingPerClient: 0, reject: () => new Error("full") });
    const throws = (): Promise<never> => {
      throw new Error("at once");
    };
    await expect(queue.run("a", throws)).rejects.toThrow("at once");
    expect(await queue.run("a", async () => 1)).toBe(1);
  });
});
