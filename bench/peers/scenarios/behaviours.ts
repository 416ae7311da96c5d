/** The default behaviour of each subject when a request fails. Counted, not timed: a virtual clock makes hours pass. */

import { requestInit, URL_NOWHERE } from '../request.ts';
import { type Cell, type Scenario } from '../scenario.ts';
import { type Call, StatusError, type Subject } from '../subject.ts';
import { VirtualTime } from '../../virtual-time.ts';

type ByDefault = NonNullable<Subject['byDefault']>;
type Respond = (request: number) => Response;

/** Some waits are random, so the earliest of several runs counts. */
const TRIES = 20;
const ABORT_AFTER_MS = 20;

const JSON_TYPE = { 'content-type': 'application/json' };
const QUOTA = JSON.stringify({
  error: { message: 'You exceeded your current quota.', type: 'insufficient_quota', code: 'insufficient_quota' },
});
const OVERLOADED = `event: error\ndata: ${JSON.stringify({
  type: 'error',
  error: { type: 'overloaded_error', message: 'Overloaded' },
})}\n\n`;
const SPOKEN = `event: content_block_delta\ndata: ${JSON.stringify({
  type: 'content_block_delta',
  index: 0,
  delta: { type: 'text_delta', text: 'Hello' },
})}\n\nevent: message_stop\ndata: {"type":"message_stop"}\n\n`;

const limited = (seconds: number): Response =>
  new Response(JSON.stringify({ error: { message: 'Slow down.', type: 'rate_limit_error' } }), {
    status: 429,
    headers: { ...JSON_TYPE, 'retry-after': String(seconds) },
  });
const unavailable = (): Response => new Response('upstream is down', { status: 503 });
const streamed = (text: string): Response => new Response(text, { headers: { 'content-type': 'text/event-stream' } });

export const scenario: Scenario = {
  title: 'Behaviours: what each does by default',
  what: `Each package has two retries, and all other options as installed. It calls a stub, and a clock ends the waits at once. p-retry, fetch-retry and
cockatiel are told to retry 429 and 5xx, ky to retry POST. retry-transport ends a call if the server asks for more than
\`maxRetryAfterMs\`, a minute by default; with a higher limit it waits. The other packages have hooks (\`retryOn\`, \`shouldRetry\`,
\`beforeRetry\`, …), with which you can build most of what they lack; the table shows what happens without such hooks.`,
  columns: {
    quota: {
      title: 'requests spent on `insufficient_quota`',
      better: 'lower',
      overview: 'requests spent on an exhausted quota',
    },
    after20: { title: '`Retry-After: 20`, next request' },
    after90: { title: '`Retry-After: 90`, next request', overview: '`Retry-After: 90`, next request' },
    abort: { title: 'aborted during a wait, ends', overview: 'aborted during a wait, ends' },
    stream: {
      title: '`overloaded_error` as first event of a 200',
      overview: '`overloaded_error` as first event of a 200',
    },
    givenUp: { title: 'given up, the caller gets', overview: 'given up, the caller gets' },
  },
  suits: ({ byDefault }) => byDefault !== null,
  async measure({ byDefault }) {
    if (byDefault === null) return {};
    const cells: Record<string, Cell> = {
      quota: { median: await requestsOnQuota(byDefault) },
      after20: await earliestComeback(byDefault, 20),
      after90: await earliestComeback(byDefault, 90),
      abort: await abortWhileAsleep(byDefault),
      stream: await overloadInStream(byDefault),
      givenUp: await givenUp(byDefault),
    };
    return cells;
  },
};

/** Runs a call whose requests are answered by number, and records when each of them came. */
function scripted(byDefault: ByDefault, clock: VirtualTime, respond: Respond): { call: Call; requestsAt: number[] } {
  const requestsAt: number[] = [];
  const call = byDefault((input, init) => {
    const signal = init?.signal ?? (input instanceof Request ? input.signal : undefined);
    // Like fetch, sends nothing.
    if (signal?.aborted) return Promise.reject(signal.reason);
    requestsAt.push(clock.elapsedMs);
    return Promise.resolve(respond(requestsAt.length));
  });
  return { call, requestsAt };
}

async function requestsOnQuota(byDefault: ByDefault): Promise<number> {
  const clock = new VirtualTime();
  const { call, requestsAt } = scripted(
    byDefault,
    clock,
    () => new Response(QUOTA, { status: 429, headers: JSON_TYPE }),
  );
  await clock.run(() => Promise.allSettled([call(URL_NOWHERE, requestInit())]));
  return requestsAt.length;
}

async function earliestComeback(byDefault: ByDefault, seconds: number): Promise<string> {
  let earliestMs = Number.POSITIVE_INFINITY;
  for (let run = 0; run < TRIES; run += 1) {
    const clock = new VirtualTime();
    const { call, requestsAt } = scripted(byDefault, clock, (request) =>
      request === 1 ? limited(seconds) : new Response('{}', { headers: JSON_TYPE }),
    );
    await clock.run(() => Promise.allSettled([call(URL_NOWHERE, requestInit())]));
    const [first = Number.NaN, second] = requestsAt;
    if (second === undefined) return 'none: given up at once';
    earliestMs = Math.min(earliestMs, second - first);
  }
  return `after ${durationText(earliestMs)}`;
}

/** The latest end of several runs, because some waits are random. */
async function abortWhileAsleep(byDefault: ByDefault): Promise<string> {
  let latestMs = -1;
  let ending = '';
  for (let run = 0; run < TRIES; run += 1) {
    const clock = new VirtualTime();
    const { call } = scripted(byDefault, clock, unavailable);
    const controller = new AbortController();
    const reason = new Error('the user went away');
    const [outcome] = await clock.run(async () => {
      setTimeout(() => controller.abort(reason), ABORT_AFTER_MS);
      return await Promise.allSettled([call(URL_NOWHERE, requestInit(controller.signal))]);
    });
    if (clock.elapsedMs - ABORT_AFTER_MS <= latestMs) continue;
    latestMs = clock.elapsedMs - ABORT_AFTER_MS;
    ending = outcome.status === 'fulfilled' ? 'with a response' : `with ${describeAbort(outcome.reason, reason)}`;
  }
  return `${latestMs < 1 ? 'at once' : `up to ${durationText(latestMs)} later`}, ${ending}`;
}

function describeAbort(error: unknown, reason: Error): string {
  if (error === reason) return 'its reason';
  const carriesReason = error instanceof Error && error.cause === reason;
  return `${nameOf(error)}, its reason ${carriesReason ? 'as cause' : 'lost'}`;
}

async function overloadInStream(byDefault: ByDefault): Promise<string> {
  const clock = new VirtualTime();
  const { call, requestsAt } = scripted(byDefault, clock, (request) => streamed(request === 1 ? OVERLOADED : SPOKEN));
  const text = await clock.run(async () => (await call(URL_NOWHERE, requestInit())).text());
  if (text === OVERLOADED && requestsAt.length === 1) return 'handed on';
  return text === SPOKEN && requestsAt.length === 2 ? 'retried' : `${requestsAt.length} requests, ${text.length} bytes`;
}

async function givenUp(byDefault: ByDefault): Promise<string> {
  const clock = new VirtualTime();
  const { call, requestsAt } = scripted(byDefault, clock, unavailable);
  const [outcome] = await clock.run(() => Promise.allSettled([call(URL_NOWHERE, requestInit())]));
  const after = requestsAt.length === 3 ? '' : ` after ${requestsAt.length} requests`;
  if (outcome.status === 'rejected') return nameOf(outcome.reason) + after;
  const readable = (await outcome.value.text()) === 'upstream is down';
  return `the last response, ${readable ? 'readable' : 'already read'}${after}`;
}

const durationText = (ms: number): string => (ms < 1_000 ? `${Math.round(ms)} ms` : `${(ms / 1_000).toFixed(1)} s`);

function nameOf(error: unknown): string {
  if (!(error instanceof Error)) return typeof error;
  if (error instanceof StatusError) return "the caller's own error";
  // Some errors have the name "Error", and only their class says what they are.
  return error.name === 'Error' ? error.constructor.name : error.name;
}
