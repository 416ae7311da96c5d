/** `retry-transport/redis`: one limit for many processes. Give the store to `presets.fleet({ store })`. */

export { fromIoredis, fromNodeRedis, type RedisPort, redisStore, type RedisStoreOptions } from './redis-store.ts';
export { memoryStore } from './store.ts';
export type { Store, StoreReport, StoreShare } from './store.ts';
