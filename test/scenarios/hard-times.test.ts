/**
 * A judge of the waits: the troubles of the bench and some more, each met by the calls of a program in virtual time. It
 * knows only what a program sees, and the requests that have reached the server.
 */

import { expect, test } from 'vitest';
import { errorEvent, promptOf, refusal, streamedAnswer, wholeAnswer } from '../../bench/bad-day/protocol.ts';
import { callsOver, type Day, type PlannedCall, type Reply, type Trouble } from '../../bench/bad-day/trouble.ts';
import { troubles } from '../../bench/bad-day/troubles.ts';
import { createDice } from '../../bench/dice.ts';
import { VirtualTime } from '../../bench/virtual-time.ts';
import { createRetryFetch, presets, type RetryConfig } from '../../src/index.ts';
import { oneIn, times } from '../thorough.ts';

const CALLS = times({ thorough: 30, otherwise: 12 });

type Judged = Pick<Trouble, 'endsWellWith' | 'deadlineMs' | 'plan'>;

/** Calls within half a minute; what each request gets until a moment. */
const until = (endMs: number, reply: Reply, deadlineMs = 200_000): Judged => ({
  endsWellWith: endMs === Infinity ? 'once' : 'answer',
  deadlineMs,
  plan: (dice, count) => ({
    calls: callsOver(dice, count, 30_000),
    reply: ({ atMs }) => (atMs >= endMs ? { kind: 'answer' } : reply),
  }),
});
const limited = (hintMs: number): Reply => ({ kind: 'refusal', reason: 'rate-limit', hintMs });
const OVERLOADED: Reply = { kind: 'refusal', reason: 'overloaded' };

const TROUBLES: Readonly<Record<string, Judged>> = {
  ...Object.fromEntries(troubles),
  'an outage of 20 s': until(20_000, OVERLOADED),
  'an outage of 60 s': until(60_000, OVERLOADED),
  'an outage of 90 s': until(90_000, OVERLOADED),
  'an outage of four minutes': until(240_000, OVERLOADED, 400_000),
  'hints of 0 for 10 s': until(10_000, limited(0)),
  'hints of 28 ms for 12 s': until(12_000, limited(28)),
  'hints of 1 s for 25 s': until(25_000, limited(1_000)),
  'a hint of ten minutes': until(Infinity, limited(600_000)),
  'half of all requests fail': {
    ...until(0, OVERLOADED),
    plan: (dice, count) => ({
      calls: callsOver(dice, count, 30_000),
      reply: () => (dice() < 0.5 ? OVERLOADED : { kind: 'answer' }),
    }),
  },
};

const broken = (code: string): Error => Object.assign(new TypeError('fetch failed'), { cause: { code } });
const JSON_TYPE = 'application/json';
const SSE = 'text/event-stream';

/** What fetch gives for a reply of the provider. */
async function responseTo(reply: Reply, call: number, kind: PlannedCall['kind'], time: VirtualTime): Promise<Response> {
  const bodyOf = (parts: readonly string[], last: 'end' | 'reset' | 'silence', type: string): Response => {
    const start = async (body: ReadableStreamDefaultController<Uint8Array>): Promise<void> => {
      for (const part of parts) {
        body.enqueue(new TextEncoder().encode(part));
        await time.after(50);
      }
      if (last === 'reset') body.error(Object.assign(new TypeError('terminated'), { cause: { code: 'ECONNRESET' } }));
      if (last === 'end') body.close();
    };
    return new Response(new ReadableStream({ start }), { headers: { 'content-type': type } });
  };
  const { before, pieces, end } = streamedAnswer('chat', call);
  const whole = wholeAnswer('chat', call);
  await time.after('afterMs' in reply ? reply.afterMs : 400);
  switch (reply.kind) {
    case 'answer':
      await time.after(1_000);
      return kind === 'stream' ? bodyOf([...before, ...pieces, ...end], 'end', SSE) : bodyOf([whole], 'end', JSON_TYPE);
    case 'refusal': {
      const { status, body } = refusal('chat', reply.reason);
      const hint = reply.hintMs === undefined ? {} : { 'retry-after-ms': String(reply.hintMs) };
      return new Response(body, { status, headers: { 'content-type': JSON_TYPE, ...hint } });
    }
    case 'page':
      return new Response('<html>Bad Gateway</html>', { status: reply.status ?? 502 });
    case 'reset':
      if (reply.at === 'before-headers') throw broken('ECONNRESET');
      return bodyOf([], 'reset', kind === 'stream' ? SSE : JSON_TYPE);
    case 'body':
      return bodyOf([whole.slice(0, whole.length / 2)], reply.how === 'breaks' ? 'reset' : 'silence', JSON_TYPE);
    case 'error-event':
      return bodyOf([errorEvent('chat', call)], 'end', SSE);
    case 'stream': {
      const last = { cut: 'reset', stalls: 'silence', ends: 'end' } as const;
      return bodyOf([...before, ...pieces.slice(0, 2)], last[reply.how], SSE);
    }
  }
}

interface Outcome {
  readonly isWell: boolean;
  readonly requests: number;
  readonly isEarly: boolean;
  /** A part of the answer looked whole. */
  readonly isHarmful: boolean;
}

/** Leads the calls of a program through a trouble. */
async function runThrough(trouble: Judged, config: RetryConfig, seed: number): Promise<readonly Outcome[]> {
  const time = new VirtualTime();
  const dice = createDice(seed);
  const day: Day = trouble.plan(dice, CALLS);
  const seen = day.calls.map(() => ({ requests: 0, notBeforeMs: 0, isEarly: false }));
  const server = async (_url: unknown, init?: RequestInit): Promise<Response> => {
    const call = Number(/call number (\d+)/.exec(String(init?.body))?.[1]);
    const [known, planned] = [seen[call], day.calls[call]];
    if (known === undefined || planned === undefined) throw new Error('Expected a call of the day.');
    const atMs = time.elapsedMs;
    if (atMs < (day.isClosedForMs ?? 0)) throw broken('ECONNREFUSED');
    known.requests += 1;
    known.isEarly ||= atMs < known.notBeforeMs;
    const reply = day.reply({ call, kind: planned.kind, api: 'chat', nth: known.requests, atMs });
    const response = await responseTo(reply, call, planned.kind, time);
    if (reply.kind === 'refusal' && reply.hintMs !== undefined) known.notBeforeMs = time.elapsedMs + reply.hintMs;
    return response;
  };
  const retrying = createRetryFetch({ ...config, fetch: server, runtime: { random: dice } });
  const ask = async (call: number, isStreamed: boolean): Promise<'whole' | 'wrong'> => {
    const response = await retrying('https://api.openai.com/v1/chat/completions', {
      method: 'POST',
      headers: { 'content-type': JSON_TYPE },
      body: JSON.stringify({
        model: 'gpt-5',
        stream: isStreamed,
        messages: [{ role: 'user', content: promptOf(call) }],
      }),
    });
    if (!response.ok) throw new Error(`HTTP ${response.status}`);
    const { before, pieces, end } = streamedAnswer('chat', call);
    const whole = isStreamed ? [...before, ...pieces, ...end].join('') : wholeAnswer('chat', call);
    return (await response.text()) === whole ? 'whole' : 'wrong';
  };
  const meet = async ({ atMs, kind }: PlannedCall, call: number): Promise<Outcome> => {
    await time.after(atMs);
    const ended = ask(call, kind === 'stream').catch(() => 'error' as const);
    const end = await Promise.race([ended, time.after(trouble.deadlineMs).then(() => 'late' as const)]);
    const { requests, isEarly } = seen[call] ?? { requests: 0, isEarly: false };
    const isTold = end === 'whole' || end === 'error';
    const isWell = {
      answer: end === 'whole',
      told: isTold,
      once: end === 'error' && requests === 1,
      twice: isTold && requests <= 2,
    }[trouble.endsWellWith];
    return { isWell, requests, isEarly, isHarmful: end === 'wrong' };
  };
  return time.run(() => Promise.all(day.calls.map((call, index) => meet(call, index))));
}

/** Less than 95 % of the calls end well, or harm is done. */
const isLost = (outcomes: readonly Outcome[]): boolean =>
  outcomes.some(({ isHarmful }) => isHarmful) ||
  outcomes.filter(({ isWell }) => isWell).length < 0.95 * outcomes.length;

test.each<[string, RetryConfig, number]>([
  ['presets.recommended', presets.recommended, 3],
  ['the defaults', {}, 17],
])(
  '%s get through enough troubles, and no request is sent before the time that the server has named',
  async (_what, config, mostLost) => {
    const found = new Map<string, readonly Outcome[]>();
    for (const [name, trouble] of Object.entries(TROUBLES)) found.set(name, await runThrough(trouble, config, 1));
    const namesOf = (isFound: (outcomes: readonly Outcome[]) => boolean): readonly string[] =>
      [...found].flatMap(([name, outcomes]) => (isFound(outcomes) ? [name] : []));
    const lost = namesOf(isLost);
    expect(lost.length, `lost: ${lost.join(', ')}`).toBeLessThanOrEqual(mostLost);
    expect(namesOf((outcomes) => outcomes.some(({ isEarly }) => isEarly))).toEqual([]);
  },
);

test.each(['hints of 28 ms for 12 s', 'hints of 0 for 10 s', 'hints of 1 s for 25 s'])(
  'with presets.recommended, %s cost no answer, and at most seven requests a call',
  async (name) => {
    for (const seed of oneIn(2, [1, 2, 3, 4])) {
      const outcomes = await runThrough(TROUBLES[name] ?? expect.fail(name), presets.recommended, seed);
      expect(outcomes.filter(({ isWell }) => !isWell)).toEqual([]);
      expect(Math.max(...outcomes.map(({ requests }) => requests))).toBeLessThanOrEqual(7);
    }
  },
);
