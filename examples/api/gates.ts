import {
  createGate,
  createRetryFetch,
  type Gate,
  type GateEvent,
  type GateLimits,
  type GateOptions,
  type GateReading,
  GateRefusedError,
  type GateRequest,
  type CircuitBreakerOptions,
  type RetryBudgetOptions,
  type SlotHolder,
  presets,
} from 'retry-transport';
import {
  fromIoredis,
  fromNodeRedis,
  memoryStore,
  type RedisPort,
  redisStore,
  type RedisStoreOptions,
  type Store,
} from 'retry-transport/redis';

// #region a gate with a limit
// Once for the program: calls wait for their turn.
const slowly = createRetryFetch({ gate: createGate({ limits: { requestsPerMinute: 40, concurrent: 4 } }) });
console.log(typeof slowly); // → function
// #endregion

// #region a limit that you know
const limits: GateLimits = { requestsPerMinute: 40, concurrent: 4 };
const options: GateOptions = { limits };
const gate: Gate = createGate(options);
console.log(gate.waiting); // → 0
// #endregion

// #region a fleet
const fleet = createGate({ limits: { requestsPerSecond: 5 }, maxWaiting: 1_000 });
console.log(typeof createRetryFetch({ ...presets.fleet, gate: fleet })); // → function
// #endregion

// #region a circuit breaker, and a budget for retries
const circuitBreaker: CircuitBreakerOptions = { opensAfter: { failures: 5 }, openMs: 10_000 };
const retryBudget: RetryBudgetOptions = { capacity: 50, ratio: 0.1 };
console.log(createGate({ circuitBreaker, retryBudget }).waiting); // → 0
// #endregion

// #region events of a gate
const listen = (event: GateEvent): void => {
  if (event.type !== 'slots-held') return;
  const [holder]: readonly SlotHolder[] = event.holders;
  console.log(`${holder?.url} is ${holder?.state}`);
};
console.log(createGate({ onEvent: listen }).readings().length); // → 0
// #endregion

// #region what a gate knows
const request: GateRequest = {
  url: 'https://api.example.com/v1/chat/completions',
  headers: { authorization: 'Bearer a' },
};
const known = createGate();
await createRetryFetch({ fetch: async () => new Response('Hello'), gate: known })(request.url);
const [reading]: readonly GateReading[] = known.readings();
console.log(reading?.circuit, reading?.cooldownMs); // → closed 0
// #endregion

// #region a call that a gate denies
const strict = createGate({ maxWaiting: 0, limits: { requestsPerMinute: 1, burst: 1 } });
const limited = createRetryFetch({ fetch: async () => new Response('Hello'), gate: strict });
await limited('https://api.example.com/');
try {
  await limited('https://api.example.com/');
} catch (error) {
  if (!(error instanceof GateRefusedError)) throw error;
  console.log(error.because); // → too-many-waiting
}
// #endregion

// #region one limit for many processes
const port: RedisPort = { eval: async () => [] };
const storeOptions: RedisStoreOptions = { prefix: 'my-program:', timeoutMs: 100 };
const shared: Store = redisStore(port, storeOptions);
console.log(createGate({ store: shared }).waiting); // → 0
// #endregion

// #region the clients of Redis
/** `createClient` of `redis`, or `new Redis()` of `ioredis`. */
export const portOf = (
  client: { readonly node: Parameters<typeof fromNodeRedis>[0] } | { readonly io: Parameters<typeof fromIoredis>[0] },
): RedisPort => ('node' in client ? fromNodeRedis(client.node) : fromIoredis(client.io));
// #endregion

// #region a store for tests
console.log(createGate({ store: memoryStore() }).waiting); // → 0
// #endregion
