export type { Change } from "./change.js";
export { readChangeModel } from "./change-model.js";
export {
  type ChangeSignal,
  type ChangeSignalOptions,
  type ChangeSignalTimes,
  makeChangeSignal,
} from "./change-signal.js";
export {
  type ChangeRetention,
  type ChangeRetentionOptions,
  makeChangeRetention,
  type RetentionRule,
} from "./delete-changes.js";
export {
  type ChangeBatch,
  type ChangeFollower,
  type ChangeFollowerOptions,
  type ChangeSubscription,
  type FollowOptions,
  makeChangeFollower,
} from "./follow-changes.js";
export type { LogPosition } from "./log-positions.js";
export { type ChangeLogOptions, type ChangeOrigin, makeChangeLog } from "./make-change-log.js";
export {
  type ChangeReader,
  type ChangeReaderOptions,
  makeChangeReader,
  type ReadChangesOptions,
} from "./read-changes.js";
export {
  makeRowHistory,
  type RowHistory,
  type RowHistoryBatch,
  type RowHistoryOptions,
  type RowHistoryPage,
} from "./read-history.js";
export { readStoredSecret } from "./stored-secret.js";
