export { idempotencyErrors } from "./errors.js";
export { type DatabaseKeys, makeDatabaseKeys } from "./keys/database-keys.js";
export { readKeyModel } from "./keys/key-model.js";
export type { Claim, Claimed, KeyedRequest, KeyStore, KeyTimes, StoredResponse } from "./keys/key-store.js";
export { makeMemoryKeys } from "./keys/memory-keys.js";
export { makeRedisKeys } from "./keys/redis-keys.js";
export {
  type Idempotency,
  type IdempotencyOptions,
  makeIdempotency,
  type StoreResponse,
  type WrittenResponse,
} from "./make-idempotency.js";
