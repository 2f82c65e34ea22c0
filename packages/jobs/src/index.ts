export {
  type ChangeConsumer,
  type ChangeJob,
  type ConsumerLag,
  type Dispatcher,
  type DispatcherOptions,
  makeDispatcher,
} from "./dispatcher/make-dispatcher.js";
export { readPositionModel } from "./dispatcher/position-model.js";
export { type JobSender, type Jobs, type JobsOptions, makeJobs, type SendJobOptions } from "./jobs/make-jobs.js";
export type { JobLog, WriteLog } from "./queue/job-log.js";
export { makeQueues, type QueuesOptions } from "./queue/make-queues.js";
export type {
  FailedJob,
  JobRetries,
  JobRun,
  JobToSend,
  QueueCounts,
  QueueOptions,
  QueueSchedule,
  Queues,
  RunningJob,
  SendOptions,
} from "./queue/queues.js";
export { UnrecoverableError } from "./queue/unrecoverable-error.js";
export {
  type ModelSubscribers,
  makeSubscribers,
  type SubscribersOptions,
} from "./subscribers/make-subscribers.js";
export type {
  CreatedEvent,
  DeletedEvent,
  RowEvent,
  RowState,
  StoredValue,
  UpdatedEvent,
} from "./subscribers/row-event.js";
