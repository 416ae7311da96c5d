import { describe, expect, test } from 'vitest';
import { createGate, type GateEvent, type GateSession } from '../../src/index.ts';
import type { Store, StoreReport } from '../../src/gate/redis.ts';
import { memoryStore } from '../../src/gate/store.ts';
import { unavailable } from './failures.ts';
import { atOnce, REQUEST } from './sessions.ts';

const runtime = { now: Date.now, random: () => 0.5 };
const settled = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

interface Process {
  readonly events: GateEvent[];
  readonly session: () => GateSession;
}

function processOver(store: Store): Process {
  const events: GateEvent[] = [];
  const gate = createGate({ store, onEvent: (event) => events.push(event) });
  return { events, session: () => gate.session(REQUEST, { runtime }) };
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

describe('processes that share a limit', () => {
  test('do not talk to the store while all is well, not even about a new key', async () => {
    const reports: StoreReport[] = [];
    const { session } = processOver({
      exchange: (_, report) => (reports.push(report), Promise.reject(new Error('never'))),
    });
    for (let count = 0; count < 500; count += 1) {
      const call = session();
      expect(atOnce(call.take(1_000 + count, null)).go).toBe(true);
      call.report(1_010 + count, { type: 'success' });
    }
    await settled();
    expect(reports).toEqual([]);
  });

  test('send one probe among them when nothing gets through', async () => {
    let timeMs = 0;
    const store = memoryStore(() => timeMs);
    const all = [processOver(store), processOver(store), processOver(store)];
    const [nowMs = 0] = all.map((each) => refuseUntilHeld(each, 1_000));
    let sent = 0;
    for (timeMs = nowMs + 3_000; timeMs < nowMs + 4_000; timeMs += 100) {
      for (const { session } of all) {
        const call = session();
        if (atOnce(call.take(timeMs, null)).go) sent += 1;
        await settled();
      }
    }
    expect(sent).toBe(1);
  });

  test('follow as soon as another process gets answers', async () => {
    let timeMs = 0;
    const store = memoryStore(() => timeMs);
    const held = processOver(store);
    const nowMs = refuseUntilHeld(held, 1_000);
    timeMs = nowMs + 100;
    await store.exchange('https://api.example.com#other', {
      process: 'x',
      delivered: 1,
      wanted: 1,
      wantsProbe: false,
      sentAtMs: null,
    });
    const call = held.session();
    await store.exchange(call.key, {
      process: 'another',
      delivered: 5_000,
      wanted: 5_000,
      wantsProbe: false,
      sentAtMs: null,
    });
    void call.take(timeMs, null);
    await settled();
    expect(atOnce(held.session().estimate(timeMs + 1, null))).not.toMatchObject({ because: 'cooldown' });
  });

  test('go on by themselves when the store is lost, say so once, and send their own probes', async () => {
    const lost = processOver({
      exchange: () => Promise.reject(new Error('connection refused by sk-ant-api03-secretsecretsecret')),
    });
    const nowMs = refuseUntilHeld(lost, 1_000);
    void lost.session().take(nowMs, null);
    await settled();
    expect(atOnce(lost.session().take(nowMs + 10, null)).go).toBe(true);
    await settled();
    const unreachable = lost.events.filter(({ type }) => type === 'store-unreachable');
    expect(unreachable).toEqual([expect.objectContaining({ reason: 'error' })]);
    expect(JSON.stringify(unreachable)).not.toContain('secretsecret');
  });
});
