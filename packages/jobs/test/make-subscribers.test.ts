import type { Change } from "@servicekit/changes";
import { expect, it } from "vitest";
import type { QueueOptions, RunningJob } from "../src/queue/queues.js";
import { makeSubscribers, type Subscriber } from "../src/subscribers/make-subscribers.js";

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
    run: (_job, handle) => handle("the context" as never),
  });
  const run = (data: unknown) => defined[0]?.handler({ data } as RunningJob);
  return { jobsOf: (given: Partial<Change>) => consumer?.jobsOf({ ...change, ...given }), defined, run };
}

it("C110 makes one job of a change, with its key, and without the transaction", () => {
  const { transaction: _, ...rest } = change;
  const data = { ...rest, id: "7", time: "2026-01-02T03:04:05.678Z" };
  const jobs = subscribe({ onCreated: () => undefined }).jobsOf({});
  expect(jobs).toEqual([{ queue: "orders.events", key: "1", data }]);
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
  const { defined, jobsOf, run } = subscribe({ onCreated: handler("onCreated"), onDeleted: handler("onDeleted") });
  expect(defined).toEqual([expect.objectContaining({ name: "orders.events", ordered: true })]);
  for (const operation of ["delete", "create"] as const) {
    const [job] = (await jobsOf({ operation })) ?? [];
    await run(JSON.parse(JSON.stringify(job?.data)));
  }
  const { transaction: _, ...event } = { ...change, id: "7" };
  expect(received).toEqual([
    ["onDeleted", { ...event, operation: "delete" }, "the context"],
    ["onCreated", event, "the context"],
  ]);
});
