/** The scenarios of the demo: what the server answers, and the options of the call. */

import { recordings, type RecordingName } from '../../../mocks/recordings.ts';
import { createFallback, createKeyRotation, createStreamWatch, type RetryConfig } from '../../index.ts';
import type { DemoStep } from './demo-server.ts';

const NAMES = [
  'overload',
  'quota',
  'fallback',
  'context',
  'rotation',
  'proxy',
  'cut',
  'stall',
  'truncated',
  'hold',
] as const;

export type ScenarioName = (typeof NAMES)[number];

export const SCENARIO_NAMES: readonly ScenarioName[] = NAMES;

/** The script of a server, and how the demo calls it. */
export interface Scenario {
  readonly steps: [DemoStep, ...DemoStep[]];
  readonly config: RetryConfig;
  /** The number of calls, one after the other. */
  readonly calls: number;
  /** Whether another program makes the call through the proxy. */
  readonly throughProxy?: boolean;
}

const FIRST_WAIT_MS = 800;

/** Lines are short, so that no terminal breaks a word. */
const PATIENCE = `An overloaded server asks for one
thing: time. So the request waited, a
little longer after each failure, and
was sent again when it had a chance.
No key was pressed, no one was paged,
and the answer came only once.
`;
const OTHER_MODEL = `The large model stayed overloaded, so
a smaller one was asked instead.
`;
const LARGE_WINDOW = `Nothing was waited for: no time makes
an input shorter. A model with a larger
window read it as it was.
`;
const THIRD_KEY = `Two keys had met their limits, so the
third one was used at once.
`;
const CURL_ANSWER = `{"role":"assistant","content":"curl sent one request; the proxy sent four."}\n`;
const HALF = `You read along, and in the middle of`;
const WHOLE = `This answer was begun three times. The
first was reset, the second ended early,
and none of their words were shown: the
stream was held until its end.
`;
const SILENCE_MS = 2_000;
const EARLIEST_KEY = `Then all three had to rest, and the
first of them to be free was used.
`;

/** The retry options of the demo. Without jitter, so that the waits are the same in each run. */
export function demoConfig(speed: number): RetryConfig {
  return {
    maxRetries: 3,
    baseDelayMs: Math.round(FIRST_WAIT_MS / speed),
    backoffMultiplier: 1.5,
    maxDelayMs: Number.POSITIVE_INFINITY,
    jitter: 'none',
  };
}

/** A scenario and its waits. `speed`: 2 is twice as fast. */
export function scenarioOf(name: ScenarioName, speed: number): Scenario {
  return SCENARIOS[name](speed);
}

const SCENARIOS: Readonly<Record<ScenarioName, (speed: number) => Scenario>> = {
  overload: (speed) => ({
    steps: [
      recorded('anthropic-429-overloaded-bare'),
      recorded('anthropic-502-overloaded-bare'),
      { kind: 'reset' },
      // A 200 whose first event is the error: the stream fails before its first token.
      recorded('anthropic-stream-first-event-overloaded'),
      completion(PATIENCE),
    ],
    config: { ...demoConfig(speed), maxRetries: 4 },
    calls: 1,
  }),
  quota: (speed) => ({ steps: [recorded('gemini-429-quota-zero')], config: demoConfig(speed), calls: 1 }),
  fallback: (speed) => {
    const overloaded = recorded('anthropic-529-overloaded-details-null');
    const fallback = createFallback({ primary: 'large', targets: [{ name: 'small', model: 'small' }] });
    return {
      steps: [overloaded, overloaded, overloaded, overloaded, completion(OTHER_MODEL)],
      config: { ...demoConfig(speed), fallback },
      calls: 1,
    };
  },
  context: (speed) => {
    const targets = [{ name: 'large window', kind: 'context', model: 'large-window' }] as const;
    const fallback = createFallback({ primary: 'small window', targets });
    return {
      steps: [recorded('anthropic-400-prompt-too-long'), completion(LARGE_WINDOW)],
      config: { ...demoConfig(speed), fallback },
      calls: 1,
    };
  },
  rotation: (speed) => {
    const keys = ['demonstration-key-1', 'demonstration-key-2', 'demonstration-key-3'];
    return {
      steps: [
        limited(6_000 / speed),
        limited(4_000 / speed),
        completion(THIRD_KEY),
        limited(8_000 / speed),
        completion(EARLIEST_KEY),
      ],
      config: { ...demoConfig(speed), fallback: createKeyRotation({ keys, header: 'x-api-key' }) },
      calls: 2,
    };
  },
  proxy: (speed) => ({
    steps: [
      recorded('anthropic-429-overloaded-bare'),
      recorded('anthropic-502-overloaded-bare'),
      { kind: 'reset' },
      { kind: 'response', status: 200, headers: { 'content-type': 'application/json' }, body: CURL_ANSWER },
    ],
    config: demoConfig(speed),
    calls: 1,
    throughProxy: true,
  }),
  cut: (speed) => broken('reset', speed),
  stall: (speed) => broken('silence', speed),
  truncated: (speed) => broken('end', speed),
  hold: (speed) => ({
    steps: [
      { kind: 'beginning', text: HALF, ending: 'reset' },
      { kind: 'beginning', text: HALF, ending: 'end' },
      completion(WHOLE),
    ],
    config: { ...demoConfig(speed), guardStreams: { until: 'end' } },
    calls: 1,
  }),
};

/** What was shown cannot be taken back, so nothing is retried; the watch says what happened. */
function broken(ending: 'reset' | 'end' | 'silence', speed: number): Scenario {
  const streamWatch = createStreamWatch({ idleTimeoutMs: SILENCE_MS / speed });
  return {
    steps: [{ kind: 'beginning', text: HALF, ending }],
    config: { ...demoConfig(speed), streamWatch },
    calls: 1,
  };
}

const completion = (text: string): DemoStep => ({ kind: 'completion', text });

function recorded(name: RecordingName): DemoStep {
  const { status, headers, body } = recordings[name].response;
  return { kind: 'response', status, headers, body };
}

/** A rate limit that renews after `renewsMs`. */
function limited(renewsMs: number): DemoStep {
  const error = { type: 'rate_limit_error', message: 'This key has met its rate limit.' };
  return {
    kind: 'response',
    status: 429,
    headers: { 'content-type': 'application/json', 'retry-after-ms': String(Math.ceil(renewsMs)) },
    body: JSON.stringify({ type: 'error', error }),
  };
}
