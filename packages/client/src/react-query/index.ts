export type { Change, ChangeOptions, GrowingOptions, Hooks, ReadOptions } from "./hooks.js";
export { invalidateResource, listKey, rowKey } from "./keys.js";
export { makeHooks } from "./make-hooks.js";
