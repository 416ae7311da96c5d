import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { StalledStreamError } from '../../src/http/stream-errors.ts';
import { settle } from '../script.ts';
import { controlled } from './controlled-body.ts';
import { type Exchange, exchangeOf, streamed } from './exchanges.ts';
import { times } from '../thorough.ts';
import { watchBody } from './watched-call.ts';

/** A model in virtual time: what it sends, and how long before each part. */
interface Part {
  readonly afterMs: number;
  readonly bytes: Uint8Array;
}

beforeEach(() => void vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'performance'] }));
afterEach(() => void vi.useRealTimers());

const names = ['Anthropic Messages', 'OpenAI Chat', 'OpenAI Responses', 'Gemini'] as const;

/** Numbers from 0 to 1 that are the same in every run. */
function dice(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state * 1_103_515_245 + 12_345) % 2_147_483_648;
    return state / 2_147_483_648;
  };
}

/** Steady, bursty, thinking for up to 120 s, and silent thinking with pings each 15 s. */
function partsOf(exchange: Exchange, kind: number, draw: () => number): Part[] {
  const words = Array.from({ length: 12 }, (_, index) => exchange.content(`word ${index}`));
  const gap = (): number => (kind === 1 && draw() < 0.7 ? 0 : -Math.log(1 - draw()) * (kind === 1 ? 3_000 : 200));
  const thinksMs = kind >= 2 ? draw() * 120_000 : 0;
  const pings = kind === 3 ? Math.floor(thinksMs / 15_000) : 0;
  const thinking = Array.from({ length: pings }, () => ({
    afterMs: 15_000,
    bytes: exchange.ping ?? new Uint8Array([10]),
  }));
  const silence = kind === 3 ? thinksMs % 15_000 : thinksMs;
  return [
    { afterMs: draw() * 2_000, bytes: exchange.preamble },
    ...thinking,
    ...words.map((bytes, index) => ({ afterMs: gap() + (index === 0 ? silence : 0), bytes })),
    { afterMs: gap(), bytes: exchange.end },
  ];
}

const STREAMS = times({ thorough: 1_000, otherwise: 400 });
test(`of ${STREAMS} streams with the gaps of real ones none is cut, and every one that dies is told within its limit`, async () => {
  const watch = { checkEnd: true, idleTimeoutMs: 180_000, outputTimeoutMs: 300_000 };
  const draw = dice(7);
  let cut = 0;
  const late: number[] = [];
  for (let index = 0; index < STREAMS; index += 1) {
    const exchange = exchangeOf(names[index % names.length] ?? 'OpenAI Chat');
    const source = controlled();
    const response = streamed(exchange, source);
    watchBody(response, watch);
    let error: unknown;
    const read = response.text().catch((thrown: unknown) => void (error = thrown));
    const parts = partsOf(exchange, Math.floor(index / names.length) % 4, draw);
    const dies = index % 10 === 9;
    const said = dies ? parts.slice(0, 1 + Math.floor(draw() * (parts.length - 2))) : parts;
    for (const { afterMs, bytes } of said) {
      await vi.advanceTimersByTimeAsync(afterMs);
      if (error !== undefined) break;
      await source.say(bytes);
    }
    if (dies) {
      await vi.advanceTimersByTimeAsync(180_050);
      await settle();
      if (!(error instanceof StalledStreamError)) late.push(index);
    } else {
      if (error !== undefined) cut += 1;
      else source.close();
    }
    await read;
  }
  expect([cut, late]).toEqual([0, []]);
}, 60_000);
