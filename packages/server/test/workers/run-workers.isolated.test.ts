import cluster, { type Worker } from "node:cluster";
import path from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { joinWorkers, runWorkers } from "../../src/internal.js";

interface FromTest {
  readonly test?: string;
  readonly worker?: number;
  readonly message?: Record<string, unknown>;
}

let messages: FromTest[] = [];
const byNumber = new Map<number, Worker>();
const collect = (child: Worker, message: FromTest): void => {
  messages.push(message);
  if (message.test === "started") byNumber.set(message.worker ?? 0, child);
};
beforeEach(() => {
  messages = [];
  byNumber.clear();
  cluster.on("message", collect);
});
afterEach(() => {
  cluster.off("message", collect);
  for (const child of Object.values(cluster.workers ?? {})) child?.process.kill("SIGKILL");
});

const started = (): number[] => messages.filter(({ test }) => test === "started").map(({ worker }) => worker ?? 0);
const received = (kind: string) => messages.flatMap(({ message }) => (message?.servicekit === kind ? [message] : []));
const sendAs = (worker: number, message: object) => byNumber.get(worker)?.send({ test: "send", message });
const stop = () => process.emit("SIGTERM", "SIGTERM");

function run(workers: number, mode = "", stopMs = 60_000) {
  process.env.TEST_WORKER_MODE = mode;
  cluster.setupPrimary({ exec: path.join(import.meta.dirname, "worker.mjs"), execArgv: [], silent: true });
  const logged: { level: string; details: Record<string, unknown> }[] = [];
  const log = (level: string) => (details: object) => void logged.push({ level, details: { ...details } });
  const code = runWorkers({ workers, stopMs, log: { info: log("info"), warn: log("warn") } });
  return { code, logged };
}

describe("C78 runWorkers", () => {
  it("C78 starts the others when the first listens, and returns 0 when all have stopped on request", async () => {
    const { code, logged } = run(3);
    await expect.poll(() => started().toSorted()).toEqual([1, 2, 3]);
    expect(started()[0]).toBe(1);
    stop();
    expect(await code).toBe(0);
    expect(logged).toEqual([{ level: "info", details: { workers: 3 } }]);
    expect(process.listenerCount("SIGTERM")).toBe(0);
  });

  it("C78 returns 0 without workers", async () => {
    expect(await run(0).code).toBe(0);
  });

  it("C78 returns the code of the first when it cannot serve, and starts no other", async () => {
    expect(await run(3, "fails").code).toBe(3);
    expect(started()).toEqual([]);
  });

  it("C78 returns 1 when one ends with an error on the stop", async () => {
    const { code } = run(2, "unclean");
    await expect.poll(() => started()).toHaveLength(2);
    stop();
    expect(await code).toBe(1);
  });

  it("C78 kills workers that have not stopped in time", async () => {
    const { code } = run(1, "stubborn", 10);
    await expect.poll(() => started()).toHaveLength(1);
    stop();
    expect(await code).toBe(1);
  });

  it("C78 kills all of them on a second signal", async () => {
    const { code } = run(2, "stubborn");
    await expect.poll(() => started()).toHaveLength(2);
    stop();
    stop();
    expect(await code).toBe(1);
  });

  it("C78 replaces a worker that has exited, immediately the first time and after a pause the next", async () => {
    const { code, logged } = run(2);
    await expect.poll(() => started()).toHaveLength(2);
    byNumber.get(2)?.send({ test: "exit", code: 7 });
    await expect.poll(() => started().filter((worker) => worker === 2)).toHaveLength(2);
    byNumber.get(2)?.send({ test: "exit", code: 0 });
    await expect.poll(() => started().filter((worker) => worker === 2)).toHaveLength(3);
    expect(logged.map(({ level, details }) => [level, details])).toEqual([
      ["warn", { worker: 2, code: 7, signal: null, retryMs: 0 }],
      ["warn", { worker: 2, code: 0, signal: null, retryMs: 500 }],
    ]);
    stop();
    expect(await code).toBe(0);
  });

  it("C78 starts no replacement after the stop", async () => {
    const { code, logged } = run(2, "first-only");
    await expect.poll(() => logged.filter(({ level }) => level === "warn").length).toBeGreaterThan(1);
    const before = logged.length;
    stop();
    expect(await code).toBe(0);
    expect(logged.slice(before).map(({ level }) => level)).toEqual(["info"]);
  });

  it("C78 returns the results of shared operations to the worker that requested them", async () => {
    const { code } = run(2);
    await expect.poll(() => started()).toHaveLength(2);
    const call = (worker: number, id: number, ...calls: object[]) => sendAs(worker, { servicekit: "call", id, calls });
    call(1, 5, ["set", "key", "value", 60], ["get", "key"]);
    await expect.poll(() => received("results")).toEqual([{ servicekit: "results", id: 5, results: [null, "value"] }]);
    call(2, 6, ["get", "key"]);
    await expect.poll(() => received("results").at(-1)).toMatchObject({ id: 6, results: ["value"] });
    stop();
    await code;
  });

  it("C78 gathers the texts of all workers in the order of their numbers, as soon as all have arrived", async () => {
    const { code } = run(3);
    await expect.poll(() => started()).toHaveLength(3);
    // Each has reported that it serves before it can be requested.
    sendAs(2, { servicekit: "gather", id: 9 });
    await expect.poll(() => received("texts")).toHaveLength(1);
    const [first] = received("texts");
    expect(first).toMatchObject({ id: 9 });
    sendAs(3, { servicekit: "gather", id: 10 });
    await expect.poll(() => received("texts")).toHaveLength(2);
    expect(received("texts")[1]).toEqual({
      ...{ servicekit: "texts", id: 10 },
      texts: [1, 2, 3].map((worker) => [worker, `text of ${worker}`]),
    });
    stop();
    await code;
  });

  it("C78 leaves out the text of a worker that does not respond", async () => {
    const { code } = run(2, "silent");
    await expect.poll(() => started()).toHaveLength(2);
    sendAs(1, { servicekit: "gather", id: 3 });
    await expect.poll(() => received("texts")).toEqual([{ servicekit: "texts", id: 3, texts: [] }]);
    stop();
    await code;
  });
});

it("C78 joinWorkers is undefined in a process that is not a worker", () => {
  expect(joinWorkers()).toBeUndefined();
});
