/**
 * A judge of the waits: 36 troubles of a provider, each met by some calls in virtual time. It knows only what a program sees:
 * the answer, the error, and the requests that have reached the server.
 */

import { expect, test } from 'vitest';
import { createDice, type Dice } from '../../bench/dice.ts';
import { VirtualTime } from '../../bench/virtual-time.ts';
import { createRetryFetch, presets, type RetryConfig } from '../../src/index.ts';
import { oneIn, times } from '../thorough.ts';

/** A request that has reached the server; `nth` of its call, from 1. */
interface Asked {
  readonly call: number;
  readonly nth: number;
  readonly atMs: number;
  readonly key: string;
  readonly time: VirtualTime;
}

/** How long the server asks to wait, where it does; `end`: what it writes last, if it does not stay silent. */
type Reply =
  | {
      readonly status: number;
      readonly body?: unknown;
      readonly hintMs?: number;
      readonly headers?: Readonly<Record<string, string>>;
    }
  | { readonly breaks: string }
  | { readonly writes: readonly string[]; readonly last: 'end' | 'reset' | 'silence'; readonly type?: string }
  | 'answer';

const CALLS = times({ thorough: 30, otherwise: 12 });

interface Trouble {
  /** `answer`: a call ends well with the whole answer in time. `told`: or with an error. `once`: with an error after one request. */
  readonly well?: 'answer' | 'told' | 'once';
  readonly deadlineMs?: number;
  readonly calls?: number;
  readonly isStreamed?: boolean;
  /** The model runs at most so many times for a call. */
  readonly mostRuns?: number;
  readonly tookMs?: number;
  reply(asked: Asked, dice: Dice): Reply | Promise<Reply>;
}

const STORY = 'The fox met the old crow and left.';
const PIECES = STORY.split(/(?<= )/);
const data = (value: unknown): string => `data: ${JSON.stringify(value)}\n\n`;
const chunk = (content: string, end: string | null = null): string =>
  data({ object: 'chat.completion.chunk', choices: [{ index: 0, delta: { content }, finish_reason: end }] });
const STREAM = [...PIECES.map((piece) => chunk(piece)), chunk('', 'stop'), 'data: [DONE]\n\n'];
const JSON_ANSWER = JSON.stringify({ choices: [{ message: { content: STORY }, finish_reason: 'stop' }] });
const SSE = 'text/event-stream';

const refuse = (status: number, message: string, rest: Partial<Extract<Reply, { status: number }>> = {}): Reply => ({
  status,
  body: { error: { message } },
  ...rest,
});
const OVERLOADED = refuse(529, 'Overloaded');
const limited = (hintMs?: number): Reply =>
  refuse(429, 'Rate limit reached for requests', hintMs === undefined ? {} : { hintMs });
const first =
  (failures: number, reply: Reply): Trouble['reply'] =>
  ({ nth }) =>
    nth > failures ? 'answer' : reply;
const until =
  (ms: number, reply: Reply | ((asked: Asked) => Reply)): Trouble['reply'] =>
  (asked) =>
    asked.atMs >= ms ? 'answer' : typeof reply === 'function' ? reply(asked) : reply;
const outage = (ms: number, deadlineMs = 200_000): Trouble => ({ reply: until(ms, OVERLOADED), deadlineMs });
const after =
  (ms: number, reply: Reply): Trouble['reply'] =>
  async ({ time }) => (await time.after(ms), reply);

/** A bucket of the server: whether it has a token now, and when it has the next one. */
function bucket(perS: number, burst: number): (atMs: number) => number {
  let [tokens, lastMs] = [burst, 0];
  return (atMs) => {
    tokens = Math.min(burst, tokens + ((atMs - lastMs) / 1_000) * perS);
    lastMs = atMs;
    if (tokens < 1) return ((1 - tokens) / perS) * 1_000;
    tokens -= 1;
    return 0;
  };
}

const TROUBLES: Readonly<Record<string, () => Trouble>> = {
  'overloaded one to three times': () => ({ reply: ({ call, nth }) => (nth > 1 + (call % 3) ? 'answer' : OVERLOADED) }),
  'an error of the server, twice': () => ({ reply: first(2, refuse(500, 'Internal server error')) }),
  'the 502 page of a gateway, three times': () => ({
    reply: first(3, { status: 502, body: '<html>Bad Gateway</html>' }),
  }),
  'the connection is reset, twice': () => ({ reply: first(2, { breaks: 'ECONNRESET' }) }),
  'the connection is refused for 15 s': () => ({ reply: until(15_000, { breaks: 'ECONNREFUSED' }) }),
  'an outage of 20 s': () => outage(20_000),
  'an outage of 45 s': () => outage(45_000),
  'an outage of 60 s': () => outage(60_000),
  'an outage of 90 s': () => outage(90_000),
  'an outage of four minutes': () => outage(240_000, 400_000),
  'half of all requests fail': () => ({ reply: (_asked, dice) => (dice() < 0.5 ? OVERLOADED : 'answer') }),
  'a minute of 429 without a hint': () => ({ reply: until(60_000, limited()), deadlineMs: 200_000 }),
  'a window of a minute, with its end as the hint': () => ({
    reply: until(60_000, ({ atMs }) => limited(60_000 - atMs)),
  }),
  'hints of 28 ms for 12 s': () => ({ reply: until(12_000, limited(28)) }),
  'hints of 0 for 10 s': () => ({ reply: until(10_000, limited(0)) }),
  'hints of 1 s for 25 s': () => ({ reply: until(25_000, limited(1_000)) }),
  'hints of 2 s that are wrong for 30 s': () => ({ reply: until(30_000, limited(2_000)) }),
  'a hint of 90 s that is right': () => ({ reply: first(1, limited(90_000)) }),
  'a hint of ten minutes': () => ({ well: 'once', reply: () => limited(600_000) }),
  'a hint of 20 s in words': () => ({ reply: first(1, refuse(429, 'Rate limit reached. Please try again in 20s.')) }),
  'a hint that is a Unix time': () => ({
    reply: ({ nth, time }) =>
      nth > 1
        ? 'answer'
        : refuse(429, 'Slow down', { headers: { 'retry-after': `${Math.ceil(time.nowMs / 1_000) + 30}` } }),
  }),
  'a used-up quota': () => ({
    well: 'once',
    reply: () => ({
      status: 429,
      body: { error: { code: 'insufficient_quota', message: 'You exceeded your current quota' } },
    }),
  }),
  'a wrong key': () => ({ well: 'once', reply: () => refuse(401, 'Incorrect API key provided') }),
  'the JSON body breaks off': () => ({ reply: first(1, { writes: [JSON_ANSWER.slice(0, 30)], last: 'reset' }) }),
  'the JSON body stalls': () => ({
    deadlineMs: 400_000,
    reply: first(1, { writes: [JSON_ANSWER.slice(0, 30)], last: 'silence' }),
  }),
  'an overload in the stream, twice': () => ({
    isStreamed: true,
    reply: first(2, {
      writes: [data({ error: { type: 'server_error', message: 'Overloaded' } })],
      last: 'end',
      type: SSE,
    }),
  }),
  'a stream that ends before its first content': () => ({
    isStreamed: true,
    reply: first(1, { writes: [': ping\n\n', chunk('')], last: 'end', type: SSE }),
  }),
  'a stream that is cut': () => ({
    isStreamed: true,
    well: 'told',
    reply: ({ call }) => ({ writes: STREAM.slice(0, 2), last: call % 2 === 0 ? 'reset' : 'end', type: SSE }),
  }),
  'a gateway whose time is always up after 60 s': () => ({
    well: 'told',
    mostRuns: 2,
    deadlineMs: 200_000,
    reply: after(60_000, { status: 504, body: '<html>Gateway Time-out</html>' }),
  }),
  'a gateway whose time is up once, after 100 s': () => ({
    deadlineMs: 200_000,
    reply: async (asked) => (asked.nth > 1 ? 'answer' : after(100_000, { status: 524 })(asked, Math.random)),
  }),
  "Node's limit of 300 s": () => ({
    well: 'told',
    mostRuns: 2,
    deadlineMs: 800_000,
    reply: after(300_000, { breaks: 'UND_ERR_HEADERS_TIMEOUT' }),
  }),
  'a model that thinks for 120 s': () => ({ mostRuns: 1, tookMs: 120_000, deadlineMs: 150_000, reply: () => 'answer' }),
  'another request holds the lock for 5 s': () => ({
    reply: until(5_000, refuse(409, 'Another request is in progress')),
  }),
  'one request a second, and more are offered': () => {
    const take = bucket(1, 10);
    return {
      calls: 50,
      reply: ({ atMs }) => {
        const waitMs = take(atMs);
        return waitMs === 0 ? 'answer' : limited(Math.ceil(waitMs / 1_000) * 1_000);
      },
    };
  },
  'three requests a second after an outage of 30 s': () => {
    const take = bucket(3, 3);
    return { reply: ({ atMs }) => (atMs < 30_000 || take(atMs) > 0 ? OVERLOADED : 'answer') };
  },
  'a key that expires after 20 s': () => ({
    reply: ({ atMs, key }) =>
      Number(key) < atMs - 20_000 ? refuse(401, 'The token has expired') : atMs < 30_000 ? OVERLOADED : 'answer',
  }),
};

interface Outcome {
  readonly isWell: boolean;
  readonly requests: number;
  readonly isEarly: boolean;
  /** A wrong answer that looked whole, or a model that ran too often. */
  readonly isHarmful: boolean;
}

/** Leads the calls of a client through a trouble. */
async function runThrough(trouble: Trouble, config: RetryConfig, seed: number): Promise<readonly Outcome[]> {
  const { well = 'answer', deadlineMs = 120_000, calls = CALLS, isStreamed = false, mostRuns = Infinity } = trouble;
  const time = new VirtualTime();
  const dice = createDice(seed);
  const seen = Array.from({ length: calls }, () => ({ runs: 0, notBeforeMs: 0, earlyByMs: 0, isDead: false }));
  const server = async (_url: unknown, init?: RequestInit): Promise<Response> => {
    const call = Number(/call (\d+)/.exec(String(init?.body))?.[1]);
    const known = seen[call] ?? { runs: 0, notBeforeMs: 0, earlyByMs: 0, isDead: false };
    const atMs = time.elapsedMs;
    known.runs += 1;
    known.earlyByMs = Math.max(known.earlyByMs, known.notBeforeMs - atMs);
    // The inner fetch of a program adds its key at each attempt.
    const asked = { call, nth: known.runs, atMs, key: String(atMs), time };
    await time.after(200);
    const reply = await trouble.reply(asked, dice);
    if (typeof reply === 'object' && 'breaks' in reply)
      throw Object.assign(new TypeError('fetch failed'), {
        cause: Object.assign(new Error(reply.breaks), { code: reply.breaks }),
      });
    if (typeof reply === 'object' && 'status' in reply) {
      const { status, body = '', hintMs, headers = {} } = reply;
      if (hintMs !== undefined) known.notBeforeMs = time.elapsedMs + hintMs;
      const hint = hintMs === undefined ? {} : { 'retry-after-ms': String(Math.ceil(hintMs)) };
      const text = typeof body === 'string' ? body : JSON.stringify(body);
      return new Response(text, { status, headers: { ...headers, ...hint } });
    }
    await time.after(trouble.tookMs ?? 1_000);
    const whole = {
      writes: isStreamed ? STREAM : [JSON_ANSWER],
      last: 'end',
      type: isStreamed ? SSE : undefined,
    } as const;
    const { writes, last, type = 'application/json' } = reply === 'answer' ? whole : reply;
    const body = new ReadableStream<Uint8Array>({
      start: async (controller) => {
        for (const text of writes) {
          controller.enqueue(new TextEncoder().encode(text));
          await time.after(50);
        }
        if (last === 'reset') controller.error(Object.assign(new TypeError('terminated'), { code: 'ECONNRESET' }));
        else if (last === 'end') controller.close();
      },
    });
    return new Response(body, { headers: { 'content-type': type } });
  };
  const retrying = createRetryFetch({ ...config, fetch: server, runtime: { random: dice } });
  const ask = async (call: number): Promise<string> => {
    const messages = [{ role: 'user', content: `call ${call}` }];
    const response = await retrying('https://api.openai.com/v1/chat/completions', {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ model: 'gpt-5', stream: isStreamed, messages }),
    });
    if (!response.ok) throw new Error(`HTTP ${response.status}`);
    return response.text();
  };
  const meet = async (call: number): Promise<Outcome> => {
    await time.after(dice() * 30_000);
    const ended = ask(call).then(
      (text) => (text === (isStreamed ? STREAM.join('') : JSON_ANSWER) ? 'whole' : 'wrong'),
      () => 'error',
    );
    const end = await Promise.race([ended, time.after(deadlineMs).then(() => 'late')]);
    const { runs, earlyByMs } = seen[call] ?? { runs: 0, earlyByMs: 0 };
    const isTold = end === 'whole' || end === 'error';
    const isWell = well === 'answer' ? end === 'whole' : well === 'told' ? isTold : end === 'error' && runs === 1;
    const isHarmful = end === 'wrong' || runs > mostRuns;
    return { isWell, requests: runs, isEarly: earlyByMs > 0, isHarmful };
  };
  return time.run(() => Promise.all(Array.from({ length: calls }, (_, call) => meet(call))));
}

const namesOf = (found: ReadonlyMap<string, readonly Outcome[]>, isFound: (outcomes: readonly Outcome[]) => boolean) =>
  [...found].filter(([, outcomes]) => isFound(outcomes)).map(([name]) => name);

/** Less than 95 % of the calls end well, or harm is done. */
const isLost = (outcomes: readonly Outcome[]): boolean =>
  outcomes.some(({ isHarmful }) => isHarmful) ||
  outcomes.filter(({ isWell }) => isWell).length < 0.95 * outcomes.length;

test.each<[string, RetryConfig, number]>([
  ['presets.recommended', presets.recommended, 33],
  ['the defaults', {}, 20],
])(
  '%s get through enough troubles, and no request is sent before the time that the server has named',
  async (_what, config, least) => {
    const found = new Map<string, readonly Outcome[]>();
    for (const [name, create] of Object.entries(TROUBLES)) found.set(name, await runThrough(create(), config, 1));
    const lost = namesOf(found, isLost);
    expect(found.size - lost.length, `lost: ${lost.join(', ')}`).toBeGreaterThanOrEqual(least);
    expect(namesOf(found, (outcomes) => outcomes.some(({ isEarly }) => isEarly))).toEqual([]);
  },
);

test.each(['hints of 28 ms for 12 s', 'hints of 0 for 10 s', 'hints of 1 s for 25 s'])(
  'with presets.recommended, %s cost no answer, and at most seven requests a call',
  async (name) => {
    for (const seed of oneIn(2, [1, 2, 3, 4])) {
      const outcomes = await runThrough(TROUBLES[name]?.() ?? expect.fail(name), presets.recommended, seed);
      expect(outcomes.filter(({ isWell }) => !isWell)).toEqual([]);
      expect(Math.max(...outcomes.map(({ requests }) => requests))).toBeLessThanOrEqual(7);
    }
  },
);
