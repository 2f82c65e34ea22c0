// What only other packages of this repository use. Unstable: it changes without a major version.
export { inSequence } from "./connections/in-sequence.js";
export { withinGate } from "./connections/memory-connection.js";
export { timeLimits } from "./connections/time-limits.js";
export { watchAnswers } from "./connections/watch-answers.js";
export { openLoadShedding, withOverload } from "./overload/open-load-shedding.js";
export type { LoadShedding } from "./overload/shed-load.js";
export { joinWorkers, type WorkerLink } from "./workers/join-workers.js";
export { runWorkers } from "./workers/run-workers.js";
