export { type FetchHandler, makeFetch } from "./connections/make-fetch.js";
export type { ConnectionInfo } from "./connections/memory-connection.js";
export { type RunningRequests, type ServerStop, watchConnections } from "./connections/stop-server.js";
export type { RequestTimes } from "./connections/time-limits.js";
export type { BodyTimes } from "./connections/watch-body.js";
export type { ResponseTimes } from "./connections/watch-responses.js";
