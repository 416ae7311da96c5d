import {
  type AttemptRecord,
  type Backoff,
  calculateBackoff,
  createRetryFetch,
  type Fetch,
  FetchTransport,
  type AnswerOptions,
  type HttpHeaders,
  type HttpTransport,
  type Jitter,
  presets,
  type RetryConfig,
  retryConfigFromEnv,
  type PlannedRetry,
  RetryExhaustedError,
  type RetryFetch,
  type RetryFetchConfig,
  type RetryPolicy,
  type CallInfo,
  type InnerFetch,
  RetryTransport,
  type Runtime,
  STOP_REASONS,
  type StopReason,
  type Strategy,
  type TransportResponse,
  type WaitReason,
  outcomeOf,
} from 'retry-transport';

// #region options
const config: RetryConfig = { ...presets.recommended, attemptTimeoutMs: 60_000 };
const ofFetch: RetryFetchConfig = { ...config, fetch: globalThis.fetch };
const fetch: RetryFetch = createRetryFetch(ofFetch);
const once = fetch.with({ maxRetries: 1 });
console.log(typeof once); // → function
// #endregion

// #region options from the environment
const fromEnvironment = retryConfigFromEnv({ MAX_RETRY_ATTEMPTS: '5' }); // or process.env
console.log(fromEnvironment.maxRetries); // → 4
// #endregion

// #region a schedule that grows
const jitter: Jitter = 'none';
console.log(typeof createRetryFetch({ baseDelayMs: 500, maxDelayMs: 4_000, jitter })); // → function
// #endregion

// #region a schedule of given waits
const listed: Backoff = [1_000, 5_000];
const computed: Backoff = (retry) => (retry < 3 ? 1_000 * (retry + 1) : undefined);
const waits = [createRetryFetch({ backoff: listed }), createRetryFetch({ backoff: computed, maxRetries: Infinity })];
console.log(waits.length); // → 2
// #endregion

// #region one wait by arithmetic
console.log(calculateBackoff(3, 1_000, 60_000, 2, 0)); // → 8000
// #endregion

// #region a schedule for one type of failure
const overloaded: Strategy = { maxRetries: 7, baseDelayMs: 2_000, backoffMultiplier: 2, maxDelayMs: 30_000 };
const patientWithOverload = createRetryFetch({ strategies: { overloaded } });
console.log(typeof patientWithOverload); // → function
// #endregion

// #region presets
const patient: RetryPolicy = presets.patient;
console.log(createRetryFetch({ ...patient, maxRetries: 3 }).name); // → fetch
// #endregion

// #region your own clock
let now = 0;
const runtime: Pick<Runtime, 'now' | 'sleep'> = { now: () => now, sleep: async (ms) => void (now += ms) };
const instant = createRetryFetch({ fetch: async () => new Response(null, { status: 503 }), runtime, jitter: 'none' });
await instant('https://api.example.com/');
console.log(now); // → 7000
// #endregion

// #region saying no to a retry
const isSecond = ({ attempt }: CallInfo): boolean => attempt >= 2;
const careful = createRetryFetch({
  fetch: async () => new Response(null, { status: 503 }),
  baseDelayMs: 0,
  stopIf: ({ failure, ...call }: PlannedRetry) => failure.type === 'quota_exhausted' || isSecond(call),
});
console.log(outcomeOf(await careful('https://api.example.com/'))?.attempts); // → 2
// #endregion

// #region the history of a call
const twice = createRetryFetch({
  fetch: async () => new Response(null, { status: 503 }),
  maxRetries: 1,
  baseDelayMs: 0,
});
const history: readonly AttemptRecord[] = outcomeOf(await twice('https://api.example.com/'))?.history ?? [];
const because: WaitReason | null | undefined = history[0]?.because;
console.log(history.length, because); // → 2 backoff
// #endregion

// #region an error in place of the last response
const throwing = createRetryFetch({
  fetch: async () => new Response('down', { status: 503 }),
  maxRetries: 1,
  baseDelayMs: 0,
  exhausted: 'throw',
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
const whole: AnswerOptions = { holdUntil: 'end', maxHoldBytes: 4 * 1024 * 1024 };
console.log(typeof createRetryFetch({ answers: whole })); // → function
// #endregion

// #region a transport
const inner: Fetch & InnerFetch = async (_url, init) => Response.json({ sent: init?.method });
const headers: HttpHeaders = { 'x-api-key': 'your-key' };
const transport: HttpTransport = new RetryTransport(new FetchTransport({ fetch: inner, headers }));
const answer: TransportResponse = await transport.post('https://api.example.com/', { prompt: 'Hello' });
console.log(answer.status, (await answer.json<{ sent: string }>()).sent); // → 200 POST
// #endregion
