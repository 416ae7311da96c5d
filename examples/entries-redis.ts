import { createRetryFetch, presets, createGate } from 'retry-transport';
import { type RedisPort, redisStore } from 'retry-transport/redis';

/**
 * Processes that share a Redis share one limit.
 *
 * @param port `fromNodeRedis(await createClient().connect())` or `fromIoredis(new Redis())`
 */
export function sharedFetch(port: RedisPort): typeof fetch {
  return createRetryFetch({ ...presets.fleet, gate: createGate({ store: redisStore(port) }) });
}
