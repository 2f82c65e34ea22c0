import type { Change } from "@servicekit/changes";
import { expect, it } from "vitest";
import { changeJobId } from "../src/dispatcher/change-job-id.js";
import type { QueueOptions, RunningJob, RunningTarget } from "../src/queues.js";
import { makeSubscribers, type Subscriber } from "../src/subscribers/make-subscribers.js";
import { UnrecoverableError } from "../src/unrecoverable-error.js";

const change: Change = {
  id: 7n,
  time: new Date("2026-01-02T03:04:05.678Z"),
  transaction: 9n,
  model: "Order",
  key: "1",
  operation: "create",
  actor: "user:1",
  requestId: null,
  traceId: null,
  before: null,
  after: { id: 1 },
};

function subscribe(handlers: Readonly<Record<string, Subscriber>>) {
  const defined: QueueOptions[] = [];
  const [consumer] = makeSubscribers({
    queues: { define: (queue) => void defined.push(queue as unknown as QueueOptions) },
    subscribers: [{ model: "Order", queue: "orders.events", handlers }],
    find: async (id) => log.get(id),
    run: (_job, handle) => handle("the context" as never),
  });
  const log = new Map<bigint, Change>();
  const run = (job: Partial<RunningJob>) => defined[0]?.handler(job as RunningJob);
  return { jobsOf: (given: Partial<Change>) => consumer?.jobsOf({ ...change, ...given }), defined, log, run };
}

it("C110 makes one job of a change that refers to it, with its key", () => {
  expect(subscribe({ onCreated: () => undefined }).jobsOf({})).toEqual([{ queue: "orders.events", key: "1" }]);
});

it("C110 makes no job of a change of another model, or without a handler", () => {
  const { jobsOf } = subscribe({ onCreated: () => undefined });
  expect(jobsOf({ model: "Customer" })).toEqual([]);
  expect(jobsOf({ operation: "update" })).toEqual([]);
  expect(jobsOf({ operation: "delete" })).toEqual([]);
});

it("C110 passes the event with its time and the context to the handler of the operation", async () => {
  const received: unknown[] = [];
  const handler = (name: string) => (event: never, context: never) => void received.push([name, event, context]);
  const { defined, log, run } = subscribe({ onCreated: handler("onCreated"), onDeleted: handler("onDeleted") });
  expect(defined).toEqual([expect.objectContaining({ name: "orders.events", ordered: true })]);
  log.set(7n, { ...change, operation: "delete" });
  const place = { queue: "orders.events", target: "-", key: "1" };
  const running = { ...place, target: { name: "-" } as RunningTarget, changeId: 7n };
  await run({ ...running, id: changeJobId(change, place) });
  // A job that an earlier version has stored contains the change.
  const { transaction: _, ...event } = { ...change, id: "7" };
  await run({ data: JSON.parse(JSON.stringify(event)) });
  expect(received).toEqual([
    ["onDeleted", { ...event, operation: "delete" }, "the context"],
    ["onCreated", event, "the context"],
  ]);
});

it("C110 fails a job for good whose change is no longer in the log", async () => {
  const { log, run } = subscribe({ onCreated: () => undefined });
  const lost = new UnrecoverableError("The change is no longer in the log.");
  await expect(run({ changeId: 8n })).rejects.toThrow(lost);
  // The log has assigned the id again, to the change of another row.
  log.set(7n, { ...change, transaction: 10n });
  const place = { queue: "orders.events", target: "-", key: "1" };
  const running = { ...place, target: { name: "-" } as RunningTarget, changeId: 7n };
  await expect(run({ ...running, id: changeJobId(change, place) })).rejects.toThrow(lost);
});
