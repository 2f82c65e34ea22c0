export { inSequence } from "./in-sequence.js";
export { type FetchHandler, makeFetch } from "./make-fetch.js";
export { type PeerFacts, withinGate } from "./memory-connection.js";
export { type RunningRequests, type ServerStop, watchConnections } from "./stop-server.js";
export { type RequestTimes, timeLimits } from "./time-limits.js";
export { type AnswerTimes, watchAnswers } from "./watch-answers.js";
export type { BodyTimes } from "./watch-body.js";
