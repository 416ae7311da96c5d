import { createRetryFetch } from 'retry-transport';
import {
  type Answer,
  completions,
  type Expected,
  type Fidelity,
  type Pace,
  type PacedStep,
  type PlaywrightRoute,
  type Recording,
  recording,
  type RecordingName,
  recordings,
  replay,
  type Replayed,
  type ReplayFetch,
  replayFetch,
  type ReplayHandler,
  type ReplayRoute,
  replayRoute,
  responseOf,
  type SeenRequest,
  skipWaits,
  type Step,
  type Steps,
  stubFetch,
  type TestHooks,
} from 'retry-transport/mocks';

const url = 'https://api.openai.com/v1/chat/completions';

// #region one recording
const name: RecordingName = 'openai-429-insufficient-quota';
const found: Recording = recording(name);
const expected: Expected = found.expected;
const fidelity: Fidelity = found.fidelity;
console.log(expected.type, fidelity, Object.keys(recordings).includes(name)); // → quota_exhausted reserialised true
// #endregion

// #region a fetch that plays
const played: ReplayFetch = replayFetch('openai-503-server-is-overloaded', completions.openai('Hello'));
const answered = await createRetryFetch({ fetch: played, baseDelayMs: 0 })(
  'https://api.openai.com/v1/chat/completions',
  {
    method: 'POST',
    body: '{"model":"gpt-5"}',
  },
);
const [first]: readonly SeenRequest[] = played.requests;
console.log(answered.status, played.requests.length, first?.method); // → 200 2 POST
// #endregion

// #region steps with timing
const pace: Pace = { endAfterBytes: 200 };
const cut: PacedStep = { recording: completions.openaiStream('Hello'), asStream: true, ...pace };
const step: Step = 'network-error';
const steps: Steps = [step, cut, completions.openaiStream('Hello')];
console.log(replayFetch(...steps).requests.length); // → 0
// #endregion

// #region an answer as a response
const answer: Answer = completions.openai('Hello');
console.log(responseOf(answer).status); // → 200
// #endregion

// #region the global fetch, in a test
const hooks: TestHooks = { beforeEach: (hook) => hook(), afterEach: () => {} }; // those of vitest or Jest
const { fetch: before } = globalThis;
const stub: Replayed = stubFetch(hooks, url, completions.openai('Hello'));
console.log((await fetch(url, { method: 'POST' })).status, stub.requests.length); // → 200 1
globalThis.fetch = before;
// #endregion

// #region a route of Playwright
const route: ReplayRoute = replayRoute(completions.openai('Hello'));
const page = { route: async (_url: string, handler: (route: PlaywrightRoute) => Promise<void>) => void handler };
await page.route('https://api.openai.com/**', route);
console.log(route.requests.length); // → 0
// #endregion

// #region MSW, for programs that have it
const handler: ReplayHandler = replay('https://api.openai.com/*', 'nginx-502-html', completions.openai('Hello'));
console.log(handler.requests.length); // → 0
// #endregion

// #region no waits in a test run
const withWaits = skipWaits();
const start = Date.now();
await createRetryFetch({ fetch: async () => new Response(null, { status: 503 }) })('https://api.example.com/');
console.log(Date.now() - start < 1_000); // → true
withWaits();
// #endregion
