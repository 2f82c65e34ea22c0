export type { Hits } from "./borrowed-hits.js";
export type { Borrower, HitCount, LentHits, Loan } from "./hit-windows.js";
export { joinWorkers, type WorkerLink } from "./join-workers.js";
export type { WorkerText } from "./messages.js";
export { type RunWorkersOptions, runWorkers, type WorkersLog } from "./run-workers.js";
export { type SharedCounts, type SharedFace, shareOver } from "./share-over.js";
export { makeSharedState, type SharedAnswer, type SharedAsk, type SharedState } from "./shared-state.js";
