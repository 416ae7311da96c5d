/** The troubles by name, in the order of the table: those that pass by themselves, then those that never do. */

import { exponentialTime } from '../dice.ts';
import { limitHeaders } from './protocol.ts';
import { callsOver, draw, failuresPerCall, type Asked, type Reply, type Trouble } from './trouble.ts';

const CALLS = 20;

const HOWS = ['cut', 'stalls', 'ends'] as const;

/** One request a second, and ten in reserve. */
const PER_MS = 1 / 1_000;
const BURST = 10;

/** The same reply to every request before that moment. */
const until =
  (endMs: number, reply: Reply) =>
  ({ atMs }: Asked): Reply =>
    atMs >= endMs ? { kind: 'answer' } : reply;

const TROUBLES = {
  overload: {
    name: 'Overload',
    what: 'One to three requests of each call are refused because the model is overloaded; half of the refusals say how long to wait, 2 to 20 s.',
    source: 'Anthropic: 529 overloaded_error; OpenAI: 503; Gemini: 503 UNAVAILABLE, from their pages on errors.',
    endsWellWith: 'answer',
    deadlineMs: 120_000,
    plan(dice) {
      const failures = failuresPerCall(dice, CALLS, 1, 3);
      const hints = Array.from({ length: CALLS }, () => draw(dice, 2, 20) * 1_000);
      return {
        calls: callsOver(dice, CALLS, 60_000),
        reply: ({ call, nth }) => {
          if (nth > failures(call)) return { kind: 'answer' };
          const hintMs = hints[call];
          return { kind: 'refusal', reason: 'overloaded', ...(call % 4 < 2 && hintMs !== undefined && { hintMs }) };
        },
      };
    },
  },
  minute: {
    name: 'A minute of 429',
    what: 'For 60 s every request gets a 429 that does not say how long to wait.',
    source: 'Limits per minute of gateways and resellers that send no Retry-After.',
    endsWellWith: 'answer',
    deadlineMs: 180_000,
    plan: (dice, count) => ({
      calls: callsOver(dice, count, 50_000),
      reply: until(60_000, { kind: 'refusal', reason: 'rate-limit' }),
    }),
  },
  'bad-gateway': {
    name: '502 pages',
    what: 'One or two requests of each call get the 502 page of a gateway.',
    source: 'The page that nginx sends when the server behind it is down.',
    endsWellWith: 'answer',
    deadlineMs: 120_000,
    plan(dice, count) {
      const failures = failuresPerCall(dice, count, 1, 2);
      return {
        calls: callsOver(dice, count, 60_000),
        reply: ({ call, nth }) => (nth > failures(call) ? { kind: 'answer' } : { kind: 'page' }),
      };
    },
  },
  resets: {
    name: 'Connection resets',
    what: 'The connection of the first request of each call is reset, before or after the response headers. Every fourth call runs a tool, and the connection is reset after the tool has run. The good end of such a call is an error, without a second run of the tool. Clients that call no tools have only the other calls.',
    source: 'ECONNRESET and "terminated" in the issues of the SDKs; tools/call of the Model Context Protocol.',
    endsWellWith: 'answer',
    deadlineMs: 120_000,
    plan: (dice, count) => ({
      calls: callsOver(dice, count, 60_000, ['json', 'stream', 'json', 'tool']),
      reply: ({ call, nth }) =>
        nth > 1
          ? { kind: 'answer' }
          : { kind: 'reset', at: (call >> 1) % 2 === 0 ? 'before-headers' : 'after-headers' },
    }),
  },
  'json-body': {
    name: 'JSON body breaks',
    what: 'The first JSON answer of each call breaks off or stalls in its middle.',
    source: 'Gateways that send 200 before the model has finished; ECONNRESET while a body is read.',
    endsWellWith: 'answer',
    deadlineMs: 400_000,
    plan: (dice, count) => ({
      calls: callsOver(dice, count, 60_000, ['json']),
      reply: ({ call, nth }) =>
        nth > 1 ? { kind: 'answer' } : { kind: 'body', how: call % 2 === 0 ? 'breaks' : 'stalls' },
    }),
  },
  'error-event': {
    name: 'Overload inside a 200',
    what: 'The first one or two attempts of each call get a stream with status 200 whose first event is an overload.',
    source: 'Anthropic: "errors after a 200 response"; OpenAI: response.failed.',
    endsWellWith: 'answer',
    deadlineMs: 120_000,
    plan(dice, count) {
      const failures = failuresPerCall(dice, count, 1, 2);
      return {
        calls: callsOver(dice, count, 60_000, ['stream']),
        reply: ({ call, nth }) => (nth > failures(call) ? { kind: 'answer' } : { kind: 'error-event' }),
      };
    },
  },
  'broken-stream': {
    name: 'Stream breaks',
    what: 'The first stream of each call breaks after two pieces of its answer: it is reset, falls silent, or ends without its last events.',
    source: 'The most frequent complaint in the issues of LLM clients.',
    endsWellWith: 'told',
    deadlineMs: 400_000,
    plan: (dice, count) => ({
      calls: callsOver(dice, count + 1, 60_000, ['stream']),
      reply: ({ call, nth }) =>
        nth > 1 ? { kind: 'answer' } : { kind: 'stream', how: HOWS[call % HOWS.length] ?? 'cut' },
    }),
  },
  outage: {
    name: 'Outage of 45 s',
    what: 'For 45 s every request fails: overloads, 502 pages and resets in turn.',
    source: 'Status pages: incidents of about a minute.',
    endsWellWith: 'answer',
    deadlineMs: 180_000,
    plan: (dice, count) => ({
      calls: callsOver(dice, count, 40_000),
      reply: ({ atMs, call, nth }) => {
        if (atMs >= 45_000) return { kind: 'answer' };
        const turn = (call + nth) % 3;
        if (turn === 0) return { kind: 'refusal', reason: 'overloaded' };
        return turn === 1 ? { kind: 'page' } : { kind: 'reset', at: 'before-headers' };
      },
    }),
  },
  refused: {
    name: 'Connection refused',
    what: 'For 20 s nothing listens at the port of the server.',
    source: 'ECONNREFUSED while a local engine or a gateway starts again.',
    endsWellWith: 'answer',
    deadlineMs: 120_000,
    plan: (dice, count) => ({
      calls: callsOver(dice, count, 15_000),
      isClosedForMs: 20_000,
      reply: () => ({ kind: 'answer' }),
    }),
  },
  herd: {
    name: 'Herd after an outage',
    what: 'For 30 s every request is refused; then the server comes back with a tenth of the day in each second, and refuses what is more.',
    source: 'Providers that come back slowly while all clients repeat their calls.',
    endsWellWith: 'answer',
    deadlineMs: 120_000,
    plan(dice, count) {
      const bySecond = new Map<number, number>();
      return {
        calls: callsOver(dice, count, 25_000),
        reply: ({ atMs }) => {
          const second = Math.floor(atMs / 1_000);
          const before = bySecond.get(second) ?? 0;
          if (second < 30 || before >= count / 10) return { kind: 'refusal', reason: 'overloaded' };
          bySecond.set(second, before + 1);
          return { kind: 'answer' };
        },
      };
    },
  },
  'tiny-hints': {
    name: 'Tiny hints',
    what: 'For 12 s every request gets a 429 that asks to wait 28 ms, as after each request a little is free again.',
    source: 'OpenAI: "Please try again in 28ms", while the limit of tokens per minute is exceeded.',
    endsWellWith: 'answer',
    deadlineMs: 120_000,
    plan: (dice, count) => ({
      calls: callsOver(dice, count, 10_000),
      reply: until(12_000, { kind: 'refusal', reason: 'rate-limit', hintMs: 28 }),
    }),
  },
  'wrong-hints': {
    name: 'Wrong hints',
    what: 'For 30 s every request gets a 429 that asks to wait 2 s.',
    source: 'Gateways that send a fixed Retry-After.',
    endsWellWith: 'answer',
    deadlineMs: 120_000,
    plan: (dice, count) => ({
      calls: callsOver(dice, count, 25_000),
      reply: until(30_000, { kind: 'refusal', reason: 'rate-limit', hintMs: 2_000 }),
    }),
  },
  'long-hint': {
    name: 'Hint of 5 min',
    what: 'The first request of each call is asked to wait five minutes, and the next one after that is answered.',
    source: 'Limits of tokens per hour of resellers; Anthropic sends waits of minutes.',
    endsWellWith: 'answer',
    deadlineMs: 400_000,
    plan(dice, count) {
      const freeAtMs = new Map<number, number>();
      return {
        calls: callsOver(dice, count, 60_000),
        reply: ({ call, atMs }) => {
          const hintMs = (freeAtMs.get(call) ?? atMs + 300_000) - atMs;
          freeAtMs.set(call, atMs + hintMs);
          return hintMs <= 0 ? { kind: 'answer' } : { kind: 'refusal', reason: 'rate-limit', hintMs };
        },
      };
    },
  },
  concurrency: {
    name: 'Four at a time',
    what: 'The server answers four requests at a time (for each 20 calls of the day), and refuses all others without a hint; a program makes its calls within 10 s.',
    source: 'Limits on concurrent requests: Z.ai, Moonshot, Ollama, vLLM behind a gateway.',
    endsWellWith: 'answer',
    deadlineMs: 120_000,
    plan(dice, count) {
      const open: number[] = [];
      return {
        calls: callsOver(dice, count, 10_000),
        reply: ({ atMs, kind }) => {
          const running = open.filter((endsAtMs) => endsAtMs > atMs);
          if (running.length >= count / 5) return { kind: 'refusal', reason: 'rate-limit' };
          open.splice(0, open.length, ...running, atMs + (kind === 'json' ? 5_500 : 6_150));
          return { kind: 'answer', afterMs: 4_000 };
        },
      };
    },
  },
  load: {
    name: 'Rate limit under load',
    what: 'The limit is one request a second, with a burst of ten, and a program makes 90 calls in a minute. Headers announce the limit, and refusals say how long to wait.',
    source: 'The headers and buckets that OpenAI and Anthropic document; arrivals are drawn at random.',
    endsWellWith: 'answer',
    deadlineMs: 180_000,
    plan(dice) {
      const calls: { atMs: number; kind: 'json' | 'stream' }[] = [];
      for (let atMs = 0; calls.length < 90; atMs += exponentialTime(667, dice))
        calls.push({ atMs: Math.round(atMs), kind: calls.length % 2 === 0 ? 'json' : 'stream' });
      let tokens = BURST;
      let lastMs = 0;
      return {
        calls,
        reply: ({ atMs, api }) => {
          tokens = Math.min(BURST, tokens + (atMs - lastMs) * PER_MS);
          lastMs = atMs;
          const isLetThrough = tokens >= 1;
          if (isLetThrough) tokens -= 1;
          const headers = limitHeaders(api, BURST, Math.floor(tokens), (BURST - tokens) / PER_MS, Date.now());
          return isLetThrough
            ? { kind: 'answer', headers }
            : {
                kind: 'refusal',
                reason: 'rate-limit',
                hintMs: Math.max(1_000, Math.ceil((1 - tokens) / PER_MS)),
                headers,
              };
        },
      };
    },
  },
  'slow-first-byte': {
    name: 'Slow first byte',
    what: 'Nothing fails: the model thinks for two minutes before its first byte. A client that loses its patience fails, or pays twice.',
    source: 'Models that think, without a stream, or behind a gateway that sends no pings.',
    endsWellWith: 'answer',
    deadlineMs: 200_000,
    plan: (dice, count) => ({
      calls: callsOver(dice, count, 60_000),
      reply: () => ({ kind: 'answer', afterMs: 120_000 }),
    }),
  },
  'mixed-day': {
    name: 'Mixed day',
    what: 'In ten minutes, a third of the calls meet one of the other troubles, drawn at random. One outage of 5 to 20 s hits all calls.',
    source: 'Drawn from a seed; how often each failure occurs is our choice.',
    endsWellWith: 'answer',
    deadlineMs: 180_000,
    plan(dice, count) {
      const outageAtMs = draw(dice, 60, 500) * 1_000;
      const outageMs = draw(dice, 5, 20) * 1_000;
      const troubles = Array.from({ length: 2 * count }, () => ({
        isHit: dice() < 1 / 3,
        which: dice(),
        times: draw(dice, 1, 2),
        hintMs: draw(dice, 2, 15) * 1_000,
      }));
      return {
        calls: callsOver(dice, 2 * count, 600_000),
        reply: ({ call, nth, atMs, kind }) => {
          if (atMs >= outageAtMs && atMs < outageAtMs + outageMs) return { kind: 'refusal', reason: 'overloaded' };
          const trouble = troubles[call];
          if (trouble === undefined || !trouble.isHit || nth > trouble.times) return { kind: 'answer' };
          const inBody: Reply = kind === 'stream' ? { kind: 'error-event' } : { kind: 'body', how: 'breaks' };
          const replies: readonly Reply[] = [
            { kind: 'refusal', reason: 'overloaded' },
            { kind: 'refusal', reason: 'rate-limit', hintMs: trouble.hintMs },
            { kind: 'refusal', reason: 'server-error' },
            { kind: 'page' },
            { kind: 'reset', at: 'before-headers' },
            { kind: 'reset', at: 'after-headers' },
            inBody,
          ];
          return replies[Math.floor(trouble.which * replies.length)] ?? { kind: 'answer' };
        },
      };
    },
  },
  quota: {
    name: 'Used-up quota',
    what: 'The quota of the key is used up, so that no request is answered any more. A good client asks once for each call.',
    source: 'OpenAI: insufficient_quota with 429; Anthropic: credit balance with 400; Gemini: a quota of 0 with 429.',
    endsWellWith: 'once',
    deadlineMs: 120_000,
    plan: (dice, count) => ({
      calls: callsOver(dice, count, 60_000),
      reply: () => ({ kind: 'refusal', reason: 'quota' }),
    }),
  },
  'too-long': {
    name: 'Prompt too long',
    what: 'Each prompt is longer than the model accepts. A good client asks once for each call.',
    source: 'context_length_exceeded (OpenAI), "prompt is too long" (Anthropic), INVALID_ARGUMENT (Gemini).',
    endsWellWith: 'once',
    deadlineMs: 120_000,
    plan: (dice, count) => ({
      calls: callsOver(dice, count, 60_000),
      reply: () => ({ kind: 'refusal', reason: 'too-long' }),
    }),
  },
  'gateway-timeout': {
    name: 'Gateway time-out',
    what: 'The model needs longer than the gateway before it waits: each request gets a 504 after 60 s, and is billed. A good client asks at most twice.',
    source: 'nginx and load balancers with a limit of 60 s before models that think.',
    endsWellWith: 'twice',
    deadlineMs: 400_000,
    plan: (dice, count) => ({
      calls: callsOver(dice, count, 60_000, ['json']),
      reply: () => ({ kind: 'page', status: 504, afterMs: 60_000 }),
    }),
  },
} satisfies Readonly<Record<string, Trouble>>;

export const troubles: ReadonlyMap<string, Trouble> = new Map(Object.entries(TROUBLES));
