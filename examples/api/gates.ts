import {
  createGate,
  createRetryFetch,
  type FleetOptions,
  type Gate,
  type GateAnswer,
  type GateEvent,
  type GateLimits,
  type GateOptions,
  type GateOutcome,
  type GateReading,
  GateRefusedError,
  type GateRefusedReason,
  type GateRequest,
  type GateRetry,
  type GateSession,
  type GateSessionOptions,
  presets,
  type SlotHolder,
} from 'retry-transport';
import {
  fromIoredis,
  fromNodeRedis,
  memoryStore,
  type RedisPort,
  redisStore,
  type RedisStoreOptions,
  type Store,
  type StoreReport,
  type StoreRequest,
  type StoreShare,
  type StoreTurns,
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
const fleet: FleetOptions = { limits: { requestsPerSecond: 5 }, maxWaiting: 1_000 };
console.log(typeof createRetryFetch(presets.fleet(fleet))); // → function
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
await createRetryFetch(async () => new Response('Hello'), { gate: known })(request.url);
const [reading]: readonly GateReading[] = known.readings();
console.log(reading?.circuit, reading?.cooldownMs); // → closed 0
// #endregion

// #region a call that a gate denies
const strict = createGate({ maxWaiting: 0, limits: { requestsPerMinute: 1, burst: 1 } });
const limited = createRetryFetch(async () => new Response('Hello'), { gate: strict });
await limited('https://api.example.com/');
try {
  await limited('https://api.example.com/');
} catch (error) {
  if (!(error instanceof GateRefusedError)) throw error;
  const reason: GateRefusedReason = error.reason;
  console.log(reason); // → too-many-waiting
}
// #endregion

// #region a gate around a call of your own
const session = (of: Gate): GateSession => {
  const runtime: GateSessionOptions = { runtime: { now: Date.now, random: Math.random } };
  return of.session({ url: 'https://api.example.com/' }, runtime);
};
const own = session(createGate());
const retry: GateRetry | null = null;
const answer: GateAnswer = await own.take(Date.now(), retry);
const outcome: GateOutcome = { type: 'success' };
own.report(Date.now(), outcome);
own.leave(Date.now());
console.log(answer.go); // → true
// #endregion

// #region one limit for many processes
const port: RedisPort = { eval: async () => [] };
const storeOptions: RedisStoreOptions = { prefix: 'my-program:' };
const shared: Store = redisStore(port, storeOptions);
console.log(typeof createGate({ store: shared }).session); // → function
// #endregion

// #region the clients of Redis
/** `createClient` of `redis`, or `new Redis()` of `ioredis`. */
export const portOf = (
  client: { readonly node: Parameters<typeof fromNodeRedis>[0] } | { readonly io: Parameters<typeof fromIoredis>[0] },
): RedisPort => ('node' in client ? fromNodeRedis(client.node) : fromIoredis(client.io));
// #endregion

// #region a store of your own
const memory = memoryStore(() => 0);
const own2: Store = {
  exchange: (key: string, report: StoreReport): StoreShare | Promise<StoreShare> => memory.exchange(key, report),
  reserve: async (key: string, wanted: StoreRequest): Promise<StoreTurns> => {
    if (memory.reserve === undefined) throw new Error('This store keeps no stated limits.');
    return memory.reserve(key, wanted);
  },
};
console.log(typeof createGate({ store: own2 }).session); // → function
// #endregion
