import { describe, expectTypeOf, it } from "vitest";
import { z } from "zod";
import type {
  CreatedEvent,
  DeletedEvent,
  JobSender,
  JobToSend,
  QueueOptions,
  RowState,
  RunningJob,
  StoredValue,
  UpdatedEvent,
} from "../src/index.js";
import { type Job, type JobDefinition, toJob } from "../src/settings.js";

describe("C109 the types of jobs", () => {
  const payload = z.object({ id: z.coerce.number() });
  const definition = {
    name: "send-mail",
    payload,
    handler: ({ id }, { mailer }) => {
      expectTypeOf(id).toEqualTypeOf<number>();
      expectTypeOf(mailer).toEqualTypeOf<string>();
    },
  } satisfies JobDefinition<typeof payload, { readonly mailer: string }>;
  const job = toJob<typeof payload, { readonly mailer: string }>(definition);

  it("are those of the schema, for the payload that is sent and for the handler", () => {
    expectTypeOf(job).toEqualTypeOf<Job<typeof payload>>();
    const strict = toJob({ name: "count", payload: z.object({ count: z.number() }), handler: () => undefined });
    (jobs: JobSender) => {
      void jobs.send(strict, { count: 1 });
      // @ts-expect-error: the payload has another type
      void jobs.send(strict, { count: "1" });
    };
  });

  it("are those of the data of a queue", () => {
    type Mail = { readonly to: string };
    expectTypeOf<Parameters<QueueOptions<Mail>["handler"]>[0]>().toEqualTypeOf<RunningJob<Mail>>();
    expectTypeOf<RunningJob<Mail>["data"]>().toEqualTypeOf<Mail>();
    expectTypeOf<JobToSend<Mail>["data"]>().toEqualTypeOf<Mail>();
  });
});

describe("C110 the types of events", () => {
  interface Order {
    id: bigint;
    placedAt: Date | null;
    total: { toFixed(): string };
    tags: string[];
    count: number;
  }
  interface Stored {
    readonly id: string;
    readonly placedAt: string | null;
    readonly total: string;
    readonly tags: string[];
    readonly count: number;
  }

  it("are those of the row as it is stored", () => {
    expectTypeOf<StoredValue<Date>>().toEqualTypeOf<string>();
    expectTypeOf<StoredValue<bigint[]>>().toEqualTypeOf<string[]>();
    expectTypeOf<RowState<Order>>().toEqualTypeOf<Stored>();
  });

  it("have the states that the operation has", () => {
    expectTypeOf<CreatedEvent<Order>["before"]>().toEqualTypeOf<null>();
    expectTypeOf<CreatedEvent<Order>["after"]>().toEqualTypeOf<Stored>();
    expectTypeOf<UpdatedEvent<Order>["before"]>().toEqualTypeOf<Stored>();
    expectTypeOf<DeletedEvent<Order>["after"]>().toEqualTypeOf<null>();
  });
});
