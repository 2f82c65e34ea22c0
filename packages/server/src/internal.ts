// Used only by other packages of this repository. Unstable: it changes without a major version.
export { inSequence } from "./connections/in-sequence.js";
export { withinGate } from "./connections/memory-connection.js";
export { timeLimits } from "./connections/time-limits.js";
export { watchResponses } from "./connections/watch-responses.js";
export { openLoadShedding, withOverload } from "./overload/open-load-shedding.js";
export type { LoadShedding } from "./overload/shed-load.js";
export { joinWorkers, type WorkerLink } from "./workers/join-workers.js";
export { runWorkers } from "./workers/run-workers.js";
