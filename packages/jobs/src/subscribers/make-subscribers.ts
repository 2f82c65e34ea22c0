import type { Change } from "@servicekit/changes";
import { isJobOf } from "../dispatcher/change-job-id.js";
import type { ChangeConsumer } from "../dispatcher/make-dispatcher.js";
import type { Queues, RunningJob } from "../queues.js";
import { UnrecoverableError } from "../unrecoverable-error.js";

/** The names of subscribers, by the operation of the change. */
export const subscriberNames = { create: "onCreated", update: "onUpdated", delete: "onDeleted" } as const;

/** Runs for a change. */
export type Subscriber = (event: never, context: never) => unknown;

/** The subscribers of a model. */
export interface ModelSubscribers {
  /** The name of the model. */
  readonly model: string;
  /** The name of its queue and of its position in the change log. */
  readonly queue: string;
  /** By {@link subscriberNames}. */
  readonly handlers: Readonly<Record<string, Subscriber>>;
}

/** Options of {@link makeSubscribers}. */
export interface SubscribersOptions {
  readonly queues: Pick<Queues, "define">;
  readonly subscribers: readonly ModelSubscribers[];
  /** Reads a change of the log. */
  readonly find: (id: bigint) => Promise<Change | undefined>;
  /** Runs a handler with its context. */
  readonly run: (job: RunningJob, handle: (context: object) => unknown) => unknown;
}

/** A change in a job of an earlier version. */
type StoredChange = Omit<Change, "id" | "time" | "transaction"> & { readonly id: string; readonly time: string };

/** About three hours in total. */
const retries = { limit: 10, delaySeconds: 5, maxDelaySeconds: 3_600 };
/** The number of rows whose changes are handled at the same time. */
const concurrency = 4;

/** Defines an ordered queue for the subscribers of each model, and returns the consumers that fill them. */
export function makeSubscribers({ queues, subscribers, find, run }: SubscribersOptions): readonly ChangeConsumer[] {
  return subscribers.map(({ model, queue, handlers }) => {
    const handlerOf = (operation: Change["operation"]): Subscriber | undefined => handlers[subscriberNames[operation]];
    queues.define<StoredChange>({
      ...{ name: queue, ordered: true, concurrency, retries },
      handler: async (job) => {
        const change = job.changeId === undefined ? job.data : await find(job.changeId);
        const event = toEvent(change);
        if (job.changeId !== undefined && !isJobOf(job, change as Change)) throw lostChange();
        await run(job, (context) => handlerOf(event.operation)?.(event as never, context as never));
      },
    });
    return {
      name: queue,
      jobsOf: (change) => {
        if (change.model !== model || handlerOf(change.operation) === undefined) return [];
        return [{ queue, key: change.key }];
      },
    };
  });
}

/** @throws {UnrecoverableError} if the log does not contain the change any more */
function toEvent(change: Change | StoredChange | undefined) {
  if (change === undefined) throw lostChange();
  const { transaction: _, ...rest } = change as Change;
  return { ...rest, id: String(change.id), time: new Date(change.time) };
}

const lostChange = (): Error => new UnrecoverableError("The change is no longer in the log.");
