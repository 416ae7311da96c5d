import { createHash } from 'node:crypto';
import { fc, test } from '@fast-check/vitest';
import { afterAll, beforeAll, describe, expect } from 'vitest';
import { type GateRules, nothing, type Report } from '../../src/gate/key-state.ts';
import { memoryStore } from '../../src/gate/memory-store.ts';
import { fromIoredis, fromNodeRedis, type RedisPort, redisStore } from '../../src/gate/redis.ts';
import { redisScript, redisScriptSha1 } from '../../src/gate/redis-script.ts';
import type { Store, StoreAnswer } from '../../src/gate/store.ts';
import { type Subject, testStore } from './contract.ts';
import { connectRedis, hasRedis, type RedisClient, type RedisServer, startRedis } from './redis-server.ts';

const RULES: GateRules = {
  cooldown: { maxMs: 60_000, startIntervalMs: 0 },
  budget: { capacity: 5, ratio: 0.1 },
  circuit: null,
};
const REPLY = ['go', '0', '0', '0', '0', '0', '17', 'closed', '5'];

const answering = (reply: unknown): RedisPort => ({ eval: async () => reply });
const settle = async (store: Store, report: Partial<Report> = {}): Promise<unknown> =>
  store.settle('key', { ...nothing, ...report }, RULES, 0);

describe('the Redis store', () => {
  test('runs one script per operation, with its key and plain arguments', async () => {
    const calls: unknown[] = [];
    const store = redisStore({
      eval: async (...call) => {
        calls.push(call);
        return REPLY;
      },
    });
    await settle(store, { successes: 3 });
    const report = JSON.stringify({ ...nothing, successes: 3 });
    expect(calls).toEqual([
      [redisScript, ['retry-transport:key'], ['settle', JSON.stringify(RULES), report, '600000']],
    ]);
  });

  test('names its keys as it was told', async () => {
    const keys: (readonly string[])[] = [];
    const port: RedisPort = {
      eval: async (_, names) => {
        keys.push(names);
        return REPLY;
      },
    };
    await settle(redisStore(port, { prefix: '{team}:' }));
    expect(keys).toEqual([['{team}:key']]);
  });

  test('sends the text of the script once, and what names it from then on', async () => {
    const sent: string[] = [];
    const store = redisStore({
      eval: async () => (sent.push('text'), REPLY),
      evalsha: async (sha1) => (sent.push(sha1), REPLY),
    });
    await Promise.all([settle(store), settle(store), settle(store)]);
    expect(sent).toEqual(['text', redisScriptSha1, redisScriptSha1]);
  });

  test('sends the text again to a Redis that has not seen it, and nothing twice after any other error', async () => {
    const sent: string[] = [];
    let message = 'NOSCRIPT No matching script. Please use EVAL.';
    const store = redisStore({
      eval: async () => (sent.push('text'), REPLY),
      evalsha: async () => {
        sent.push('name');
        throw new Error(message);
      },
    });
    await settle(store);
    await settle(store);
    message = 'OOM command not allowed';
    await expect(settle(store)).rejects.toThrow('OOM');
    expect(sent).toEqual(['text', 'name', 'text', 'name']);
  });

  test('names the script by its SHA-1', () => {
    expect(redisScriptSha1).toBe(createHash('sha1').update(redisScript).digest('hex'));
  });

  test.each([
    ['no list', 'OK'],
    ['a list of nothing', []],
    ['a verdict that nobody gives', ['maybe', ...REPLY.slice(1)]],
    ['a number that is none', ['go', 'soon', ...REPLY.slice(2)]],
    ['too short a list', REPLY.slice(0, 7)],
  ])('believes no reply that its script cannot give: %s', async (_, reply) => {
    await expect(settle(redisStore(answering(reply)))).rejects.toThrow(/^Expected Redis to answer with /);
  });

  test('refuses what is no port, and names the fix', () => {
    expect(() => redisStore({} as RedisPort)).toThrow(
      'Expected a port with eval(script, keys, args); make one with fromNodeRedis(client) or fromIoredis(client).',
    );
    expect(() => redisStore(answering(REPLY), { expireAfterMs: 0 })).toThrow(/^Expected `expireAfterMs` to be /);
  });

  test('speaks to the clients of both packages', async () => {
    const calls: unknown[] = [];
    const record = async (...call: unknown[]): Promise<unknown> => (calls.push(call), REPLY);
    const nodeRedis = fromNodeRedis({ eval: record, evalSha: record });
    const ioredis = fromIoredis({ eval: record, evalsha: record });
    for (const port of [nodeRedis, ioredis]) {
      await port.eval('return 1', ['k'], ['a', 'b']);
      await port.evalsha?.('sha', ['k'], ['a', 'b']);
    }
    expect(calls).toEqual([
      ['return 1', { keys: ['k'], arguments: ['a', 'b'] }],
      ['sha', { keys: ['k'], arguments: ['a', 'b'] }],
      ['return 1', 1, 'k', 'a', 'b'],
      ['sha', 1, 'k', 'a', 'b'],
    ]);
  });
});

if (hasRedis) testOnRedis();
else console.warn('redis-server is not installed: the store contract was tested in memory only.');

function testOnRedis(): void {
  let server: RedisServer;
  let client: RedisClient;
  beforeAll(async () => {
    server = await startRedis();
    client = await connectRedis(server.port);
  });
  afterAll(async () => {
    client.close();
    await server.stop();
  });

  /** The script with the clock of the test in place of Redis's own. */
  const onClock = (clock: { timeMs: number }): Store =>
    redisStore({
      eval: (script, keys, args) =>
        client.eval(
          script.replace("redis.call('TIME')", '{ math.floor(ARGV[5] / 1000), ARGV[5] % 1000 * 1000 }'),
          keys,
          [...args, String(clock.timeMs)],
        ),
    });

  testStore('Redis', () => {
    const clock = { timeMs: 1_800_000_000_000 };
    const subject: Subject = {
      store: onClock(clock),
      get timeMs() {
        return clock.timeMs;
      },
      set timeMs(timeMs) {
        clock.timeMs = timeMs;
      },
    };
    return subject;
  });

  describe('on a real Redis', () => {
    test('the clock is the one of Redis, whatever the caller says', async () => {
      const store = redisStore(client);
      await store.settle('clock', { ...nothing, hintMs: 30_000 }, RULES, 0);
      const { waitMs } = await store.admit('clock', { place: null, line: 0, retry: false }, RULES, 9e15);
      expect(waitMs).toBeGreaterThan(20_000);
      expect(waitMs).toBeLessThanOrEqual(30_000);
    });

    test('keys expire, and no hint is forgotten before it is over', async () => {
      const store = redisStore(client, { expireAfterMs: 5_000 });
      await store.settle('expires', nothing, RULES, 0);
      const quietMs = Number(await client.command('PTTL', 'retry-transport:expires'));
      await store.settle('expires', { ...nothing, hintMs: 50_000 }, RULES, 0);
      const hintedMs = Number(await client.command('PTTL', 'retry-transport:expires'));
      expect(quietMs).toBeGreaterThan(0);
      expect(quietMs).toBeLessThanOrEqual(5_000);
      expect(hintedMs).toBeGreaterThan(45_000);
      expect(hintedMs).toBeLessThanOrEqual(55_000);
    });

    test('an operation is one round trip, also the first one', async () => {
      const store = redisStore(client);
      const before = client.sent;
      await store.settle('trips', nothing, RULES, 0);
      await store.admit('trips', { place: null, line: 0, retry: false }, RULES, 0);
      expect(client.sent - before).toBe(2);
    });

    test('a Redis that is full rejects, and changes nothing', async () => {
      const full = await startRedis(undefined, '--maxmemory', '100kb', '--maxmemory-policy', 'noeviction');
      const port = await connectRedis(full.port);
      await expect(settle(redisStore(port))).rejects.toThrow(/OOM/);
      port.close();
      await full.stop();
    });

    const rules = fc.record({
      cooldown: fc.constantFrom(null, { maxMs: 60_000, startIntervalMs: 0 }, { maxMs: 60_000, startIntervalMs: 10 }),
      budget: fc.constantFrom(null, { capacity: 3, ratio: 0.25 }),
      circuit: fc.constantFrom<GateRules['circuit'][]>(
        null,
        { count: { kind: 'consecutive', failures: 2 }, openMs: 400, probes: 2, covers: 'all' },
        { count: { kind: 'consecutive', failures: 2 }, openMs: 400, probes: 1, covers: 'retries' },
        {
          count: { kind: 'windowed', windowMs: 1_000, failureRatio: 0.5, minimumCalls: 3 },
          openMs: 400,
          probes: 1,
          covers: 'all',
        },
      ),
    });
    const step = fc.record({
      passedMs: fc.oneof(fc.nat(20), fc.nat(600), fc.nat(4_000)),
      pick: fc.nat(),
      operation: fc.constantFrom('admit', 'ask again', 'permitRetry', 'settle', 'settle'),
      retry: fc.boolean(),
      report: fc.record({
        successes: fc.constantFrom(0, 1, 1, 7),
        failures: fc.constantFrom(0, 0, 1, 2),
        hintMs: fc.constantFrom(0, 0, 30, 400, 2_500),
        left: fc.constantFrom(0, 0, 0, 2),
        probe: fc.constantFrom(null, null, 'success' as const, 'failure' as const, 'neither' as const),
      }),
    });

    let runs = 0;
    test.prop([rules, fc.array(step, { minLength: 5, maxLength: 40 })], { numRuns: 40 })(
      'the script answers what the transitions in memory answer',
      async (each, steps) => {
        const clock = { timeMs: 1_800_000_000_000 };
        const [redis, memory] = [onClock(clock), memoryStore()];
        const key = `parity ${(runs += 1)}`;
        const places: (readonly [StoreAnswer, StoreAnswer])[] = [];
        const both = async (ask: (store: Store, place: 0 | 1) => unknown): Promise<unknown[]> =>
          Promise.all([ask(redis, 0), ask(memory, 1)]);
        for (const { passedMs, pick, operation, retry, report } of steps) {
          clock.timeMs += passedMs;
          if (operation === 'settle') {
            const [there, here] = await both((store) => store.settle(key, report, each, clock.timeMs));
            expect(differences(there, here)).toEqual([]);
            continue;
          }
          const held = operation === 'ask again' ? places[pick % places.length] : undefined;
          const [there, here] = (await both((store, which) =>
            operation === 'permitRetry'
              ? store.permitRetry(key, { cost: 1, hinted: retry, delayMs: pick % 600 }, each, clock.timeMs)
              : store.admit(
                  key,
                  { place: held?.[which].place ?? null, line: held?.[which].standing.line ?? 0, retry },
                  each,
                  clock.timeMs,
                ),
          )) as [StoreAnswer, StoreAnswer];
          expect(differences(there, here)).toEqual([]);
          if (there.place !== null) places.push([there, here]);
        }
      },
    );
  });
}

/** What two answers disagree about. Lines have names of their own, and waits are rounded up from what JSON keeps. */
function differences(there: unknown, here: unknown, path = ''): readonly string[] {
  if (typeof there === 'object' && there !== null && typeof here === 'object' && here !== null) {
    const others = new Map(Object.entries(here));
    return Object.entries(there)
      .filter(([name]) => name !== 'line')
      .flatMap(([name, value]) => differences(value, others.get(name), `${path}.${name}`));
  }
  const close = typeof there === 'number' && typeof here === 'number' && Math.abs(there - here) <= 1.01;
  return there === here || close ? [] : [`${path}: ${String(there)} in Redis, ${String(here)} in memory`];
}
