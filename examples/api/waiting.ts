import {
  type AttemptRecord,
  type Backoff,
  calculateBackoff,
  createRetryFetch,
  exponential,
  type ExponentialOptions,
  type Fetch,
  FetchTransport,
  type FetchTransportOptions,
  type GuardLimits,
  type HttpHeaders,
  type HttpTransport,
  type Jitter,
  type Presets,
  presets,
  type RetryConfig,
  retryConfigFromEnv,
  type RetryContext,
  RetryExhaustedError,
  type RetryFetch,
  retryHistory,
  RetryTransport,
  type Runtime,
  STOP_REASONS,
  type StopReason,
  stepped,
  type SteppedOptions,
  type Strategy,
  type TransportResponse,
  type WaitReason,
} from 'retry-transport';

// #region options
const config: RetryConfig = { maxRetries: 6, maxRetryAfterMs: 120_000, attemptTimeoutMs: 60_000 };
const fetch: RetryFetch = createRetryFetch(config);
const once = fetch.with({ maxRetries: 1 });
console.log(typeof once); // → function
// #endregion

// #region options from the environment
const fromEnvironment = createRetryFetch(retryConfigFromEnv({ RETRY_MAX_RETRIES: '5' }));
console.log(typeof fromEnvironment); // → function
// #endregion

// #region a schedule that grows
const jitter: Jitter = 'none';
const growing: ExponentialOptions = { baseDelayMs: 500, maxDelayMs: 4_000, jitter };
const grown: Backoff = exponential(growing);
console.log([0, 1, 2, 3, 4].map((retry) => grown.delayFor(retry)).join()); // → 500,1000,2000,4000,4000
// #endregion

// #region a schedule of given waits
const ending: SteppedOptions = { tailMs: null };
const steps = stepped([1_000, 5_000], ending);
console.log(steps.delayFor(1), steps.delayFor(2)); // → 5000 undefined
// #endregion

// #region one wait by arithmetic
console.log(calculateBackoff(3, 1_000, 60_000, 2, 0)); // → 8000
// #endregion

// #region a schedule for one type of failure
const overloaded: Partial<Strategy> = { maxAttempts: 8, initialDelayMs: 2_000, multiplier: 2, maxDelayMs: 30_000 };
const patientWithOverload = createRetryFetch({ strategies: { overloaded } });
console.log(typeof patientWithOverload); // → function
// #endregion

// #region presets
const { patient }: Presets = presets;
console.log(createRetryFetch({ ...patient, maxRetries: 3 }).name); // → fetch
// #endregion

// #region your own clock
let now = 0;
const runtime: Pick<Runtime, 'now' | 'sleep'> = { now: () => now, sleep: async (ms) => void (now += ms) };
const instant = createRetryFetch(async () => new Response(null, { status: 503 }), { runtime, jitter: 'none' });
await instant('https://api.example.com/');
console.log(now); // → 7000
// #endregion

// #region saying no to a retry
const careful = createRetryFetch(async () => new Response(null, { status: 503 }), {
  baseDelayMs: 0,
  shouldRetry: ({ attempt, failure }: RetryContext) => attempt < 2 && failure.type !== 'quota_exhausted',
});
console.log(retryHistory(await careful('https://api.example.com/')).length); // → 2
// #endregion

// #region the history of a call
const twice = createRetryFetch(async () => new Response(null, { status: 503 }), { maxRetries: 1, baseDelayMs: 0 });
const history: readonly AttemptRecord[] = retryHistory(await twice('https://api.example.com/'));
const because: WaitReason | null | undefined = history[0]?.because;
console.log(history.length, because); // → 2 backoff
// #endregion

// #region an error in place of the last response
const throwing = createRetryFetch(async () => new Response('down', { status: 503 }), {
  maxRetries: 1,
  baseDelayMs: 0,
  throwOnExhausted: true,
});
try {
  await throwing('https://api.example.com/');
} catch (error) {
  if (!(error instanceof RetryExhaustedError)) throw error;
  const reason: StopReason = error.because;
  console.log(error.attempts, STOP_REASONS[reason]); // → 2 No retries are left.
}
// #endregion

// #region how a stream is held
const whole: GuardLimits = { until: 'end', maxHoldBytes: 4 * 1024 * 1024 };
console.log(typeof createRetryFetch({ guardStreams: whole })); // → function
// #endregion

// #region a transport
const inner: Fetch = async (_url, init) => Response.json({ sent: init?.method });
const headers: HttpHeaders = { 'x-api-key': 'your-key' };
const options: FetchTransportOptions = { fetch: inner, headers };
const transport: HttpTransport = new RetryTransport(new FetchTransport(options));
const answer: TransportResponse = await transport.post('https://api.example.com/', { prompt: 'Hello' });
console.log(answer.status, (await answer.json<{ sent: string }>()).sent); // → 200 POST
// #endregion
