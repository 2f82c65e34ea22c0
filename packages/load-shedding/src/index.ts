export { judgeLoad, type LoadAllowed, type LoadSeen } from "./judge-load.js";
export { type LoadSheddingContext, openLoadShedding, withOverload } from "./open-load-shedding.js";
export type { RequestTarget } from "./read-whole-request.js";
export type { RefusalOptions } from "./refuse-overload.js";
export { type LoadShedding, type LoadSheddingOptions, shedLoad } from "./shed-load.js";
