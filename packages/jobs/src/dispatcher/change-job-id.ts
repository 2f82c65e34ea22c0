import type { Change } from "@servicekit/changes";
import { orderedId } from "../ordered-id.js";
import type { RunningJob } from "../queues.js";

/** What identifies a change, also after the log has assigned its id again. */
type ChangeIdentity = Pick<Change, "id" | "transaction">;

/** The id of a job that refers to a change. It contains the transaction, because ids of changes restart with a truncated table. */
export const changeJobId = (
  { id, transaction }: ChangeIdentity,
  { queue, target, key }: { readonly queue: string; readonly target: string; readonly key: string },
): string => orderedId(id, JSON.stringify([String(transaction), queue, target, key]));

/** Whether a job refers to this change, and not to an earlier one with the same id. */
export const isJobOf = ({ id, queue, target, key = "" }: RunningJob, change: ChangeIdentity): boolean =>
  id === changeJobId(change, { queue, target: target?.name ?? "", key });
