import { describe, expect, test } from 'vitest';
import { protocolOf } from '../../src/protocol/event-kinds.ts';
import { StreamFollower } from '../../src/protocol/stream-follower.ts';
import { answerOf, exchanges } from '../stream/exchanges.ts';

describe.each(Object.entries(exchanges))('a long answer of %s', (_name, exchange) => {
  const texts = Array.from({ length: 200 }, (_, index) => `Zürich ☕ ${index}`);
  const follow = (body: Uint8Array, size: number, passesOver: boolean) => {
    let visits = 0;
    const count = (): boolean => {
      visits += 1;
      return false;
    };
    const follower = new StreamFollower(protocolOf(exchange.contentType) ?? 'text', passesOver, count);
    const outputs: boolean[] = [];
    for (let at = 0; at < body.length; at += size) outputs.push(follower.feed(body.subarray(at, at + size)));
    const endsInside = follower.endsInsideEvent();
    return { visits, outputs, endsInside, isOver: follower.progress.isOver, position: follower.progress.position };
  };

  test.each([2_000, 4_099, 65_536])('in chunks of %i bytes is followed alike with and without passing over', (size) => {
    const whole = answerOf(exchange, texts);
    for (const body of [whole, whole.subarray(0, -exchange.end.length), whole.subarray(0, 5_001)]) {
      const { visits: every, ...looked } = follow(body, size, false);
      const { visits: some, ...passed } = follow(body, size, true);
      expect(passed).toEqual(looked);
      expect(some).toBeLessThanOrEqual(every);
    }
  });

  test('is passed over for the most part, once its protocol is known', () => {
    if (protocolOf(exchange.contentType) === 'frames') return expect(exchange.contentType).toMatch(/^application/);
    const { visits } = follow(answerOf(exchange, texts), 4_096, true);
    expect(visits).toBeLessThan(texts.length);
  });
});
