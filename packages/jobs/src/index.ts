export { isJobOf } from "./dispatcher/change-job-id.js";
export {
  type ChangeConsumer,
  type ChangeJob,
  type Dispatcher,
  type DispatcherOptions,
  makeDispatcher,
} from "./dispatcher/make-dispatcher.js";
export { readPositionModel } from "./dispatcher/position-model.js";
export type { ConsumerLag } from "./dispatcher/positions.js";
export type { JobLog, WriteLog } from "./job-log.js";
export { type JobSender, type Jobs, type JobsOptions, makeJobs, type SendJobOptions } from "./jobs/make-jobs.js";
export { makeQueues, type QueuesOptions } from "./queue/make-queues.js";
export type {
  ChangeJobToSend,
  FailedChange,
  FailedJob,
  JobRetries,
  JobRun,
  JobToSend,
  Leadership,
  QueueCounts,
  QueueOptions,
  QueueSchedule,
  Queues,
  QueueTargets,
  RunningJob,
  RunningTarget,
  SendOptions,
} from "./queues.js";
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
export { UnrecoverableError } from "./unrecoverable-error.js";
