import { describe, expect, test, vi } from 'vitest';
import { createGate, type GateEvent } from '../../src/index.ts';
import type { GateSession } from '../../src/gate/session.ts';
import { Limit } from '../../src/gate/limit.ts';
import { SharedLimits } from '../../src/gate/shared-limits.ts';
import { Traffic } from '../../src/gate/traffic.ts';
import { unavailable } from './failures.ts';
import { report } from './store-contract.ts';
import { REQUEST } from './sessions.ts';
import { openSession } from '../../src/gate/open-gate.ts';
import {
  openMemoryStore,
  type OpenStore,
  sealStore,
  type StoreAnswer,
  type StoreRequest,
} from '../../src/gate/store.ts';

const runtime = { now: Date.now, random: () => 0.5 };
const settled = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

interface Process {
  readonly events: GateEvent[];
  readonly session: () => GateSession;
}

function processOver(store: OpenStore): Process {
  const events: GateEvent[] = [];
  const gate = createGate({ store: sealStore(store), onEvent: (event) => events.push(event) });
  return { events, session: () => openSession(gate, REQUEST, { runtime }) };
}

function refuseUntilHeld({ session }: Process, fromMs: number): number {
  let nowMs = fromMs;
  for (let count = 0; count < 8; count += 1) {
    const call = session();
    call.takeAnyway(nowMs);
    call.report((nowMs += 250), { type: 'failure', failure: unavailable });
  }
  return nowMs;
}

/** A store that answers when the test says so. */
function answeredByHand() {
  const asked: { readonly request: StoreRequest; readonly answer: (answer: StoreAnswer | Error) => Promise<void> }[] =
    [];
  const events: GateEvent[] = [];
  const store: OpenStore = {
    ...openMemoryStore(),
    ask: (_key, request) =>
      new Promise((resolve, reject) => {
        const answer = (given: StoreAnswer | Error): Promise<void> => {
          if (given instanceof Error) reject(given);
          else resolve(given);
          return settled();
        };
        asked.push({ request, answer });
      }),
  };
  const limits = new SharedLimits(store, (event) => events.push(event));
  return { limits, limit: new Limit(new Traffic(0)), asked, events };
}

describe('a limit in trouble', () => {
  const total = [1, 5_000, 5_000] as const;
  const rest = { mayProbe: false, slots: 0, before: 0, owed: 0, atMs: [] };
  const answer: StoreAnswer = { nowMs: 500_000, part: 2_008, total, ...rest };

  test('asks its store once at a time, and again a second after the last answer', async () => {
    const { limits, limit, asked } = answeredByHand();
    limits.renew('k', limit, 1_000);
    limits.renew('k', limit, 1_900);
    expect(asked.map(({ request }) => request.counted)).toEqual([undefined]);
    await asked[0]?.answer(answer);
    expect(limit.leasedMs).toBeGreaterThanOrEqual(1_000);
    limits.renew('k', limit, limit.leasedMs + 999);
    expect(asked).toHaveLength(1);
    // The tenth of a millisecond is for the rounding of the sum.
    limits.renew('k', limit, limit.leasedMs + 1_000.1);
    expect(asked.map(({ request }) => request.counted?.part)).toEqual([undefined, 2_008]);
    expect(limit.asksForProbes).toBe(true);
  });

  test('pauses for a second when its store fails, and tells when it is back', async () => {
    const { limits, limit, asked, events } = answeredByHand();
    limits.renew('k', limit, 1_000);
    await asked[0]?.answer(new Error('gone'));
    const [lost] = events;
    expect(lost).toMatchObject({ type: 'store-unreachable', reason: 'error', message: 'gone' });
    const lostMs = lost?.at ?? 0;
    limits.renew('k', limit, lostMs + 999);
    expect([asked.length, limit.asksForProbes]).toEqual([1, false]);
    limits.renew('k', limit, lostMs + 1_000);
    await asked[1]?.answer(new Error('still gone'));
    limits.renew('k', limit, lostMs + 9_000);
    await asked[2]?.answer(answer);
    expect(events).toMatchObject([{ type: 'store-unreachable' }, { type: 'store-reachable' }]);
    const [, found] = events;
    expect(found?.type === 'store-reachable' && found.at - found.afterMs).toBeCloseTo(lostMs);
    limits.renew('k', limit, lostMs + 20_000);
    await asked[3]?.answer(answer);
    expect([events.length, limit.asksForProbes]).toEqual([2, true]);
  });

  test('takes an answer without its numbers for a failure of the store, and keeps its own pace', async () => {
    const { limits, limit, asked, events } = answeredByHand();
    limits.renew('k', limit, 1_000);
    await asked[0]?.answer({ ...answer, total: [1, Number.NaN, 5_000] });
    expect(events).toMatchObject([
      {
        type: 'store-unreachable',
        reason: 'error',
        message: expect.stringContaining('its time, sums, slots and turns'),
      },
    ]);
    expect(limit.leasedMs).toBe(Number.NEGATIVE_INFINITY);
  });

  test('does not wait for a store that hangs, nor listens to it later, and leaves no timer behind when it answers', async () => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
    const { limits, limit, asked, events } = answeredByHand();
    limits.renew('k', limit, 1_000);
    await vi.advanceTimersByTimeAsync(49);
    expect(events).toEqual([]);
    await vi.advanceTimersByTimeAsync(1);
    const message = 'No answer within 50 ms (timeoutMs of the store).';
    expect(events).toMatchObject([{ type: 'store-unreachable', reason: 'timeout', message }]);
    await asked[0]?.answer(answer);
    expect(limit.leasedMs).toBe(Number.NEGATIVE_INFINITY);
    limits.renew('k', limit, 60_000);
    expect(vi.getTimerCount()).toBe(1);
    await asked[1]?.answer(answer);
    expect(vi.getTimerCount()).toBe(0);
    vi.useRealTimers();
  });
});

describe('processes that share a limit', () => {
  test('do not use the store while all is well, not even for a new key', async () => {
    const requests: StoreRequest[] = [];
    const { session } = processOver({
      ...openMemoryStore(),
      ask: (_, request) => (requests.push(request), Promise.reject(new Error('never'))),
    });
    for (let count = 0; count < 500; count += 1) {
      const call = session();
      expect(call.take(1_000 + count, null).go).toBe(true);
      call.report(1_010 + count, { type: 'success' });
    }
    await settled();
    expect(requests).toEqual([]);
  });

  test('send one probe among them while no call gets through', async () => {
    let timeMs = 0;
    const store = openMemoryStore(() => timeMs);
    const all = [processOver(store), processOver(store), processOver(store)];
    const [nowMs = 0] = all.map((each) => refuseUntilHeld(each, 1_000));
    let sent = 0;
    for (timeMs = nowMs + 3_000; timeMs < nowMs + 4_000; timeMs += 100) {
      for (const { session } of all) {
        const call = session();
        if (call.take(timeMs, null).go) sent += 1;
        await settled();
      }
    }
    expect(sent).toBe(1);
  });

  test('continue as soon as another process succeeds', async () => {
    let timeMs = 0;
    const store = openMemoryStore(() => timeMs);
    const held = processOver(store);
    const nowMs = refuseUntilHeld(held, 1_000);
    timeMs = nowMs + 100;
    const call = held.session();
    await store.ask(`${call.key}:pace`, report('another', { counts: [1, 5_000, 5_000] }));
    void call.take(timeMs, null);
    await settled();
    expect(held.session().estimate(timeMs + 1, null)).not.toMatchObject({ because: 'cooldown' });
  });

  test('continue alone when the store is lost, report that once, and send their own probes', async () => {
    const lost = processOver({
      ...openMemoryStore(),
      ask: () => Promise.reject(new Error('connection refused by sk-ant-api03-secretsecretsecret')),
    });
    const nowMs = refuseUntilHeld(lost, 1_000);
    void lost.session().take(nowMs, null);
    await settled();
    expect(lost.session().take(nowMs + 10, null).go).toBe(true);
    await settled();
    const unreachable = lost.events.filter(({ type }) => type === 'store-unreachable');
    expect(unreachable).toEqual([expect.objectContaining({ reason: 'error' })]);
    expect(JSON.stringify(unreachable)).not.toContain('secretsecret');
  });
});
