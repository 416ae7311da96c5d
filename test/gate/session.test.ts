import { describe, expect, test, vi } from 'vitest';
import type { Failure, GateEvent, GateOptions } from '../../src/index.ts';
import type { GateRetry } from '../../src/gate/gate.ts';
import type { GateSession } from '../../src/gate/session.ts';
import { badRequest, serverError, unavailable } from './failures.ts';
import { bench, type Bench, REQUEST, waitOf } from './sessions.ts';

const START_MS = 1_000_000;
const retryAfter = (failure: Failure, atMs = START_MS): GateRetry => ({ failure, atMs });

/** Nothing gets through: from the fifth refusal on, at 1,001,250, every call is held, and the first probe is half a second away. */
function held(options?: GateOptions): Bench {
  const all = bench(options);
  for (let count = 1; count <= 5; count += 1) {
    const call = all.session();
    call.takeAnyway(START_MS + 250 * count - 10);
    call.report(START_MS + 250 * count, { type: 'failure', failure: unavailable });
  }
  return all;
}
const HELD_MS = START_MS + 1_250;

function send({ session }: Bench, failure: Failure | null, retry: GateRetry | null = null, nowMs = START_MS): void {
  const call = session();
  void call.take(nowMs, retry);
  call.report(nowMs, failure === null ? { type: 'success' } : { type: 'failure', failure });
}

const eventsOf = ({ events }: Bench, type: GateEvent['type']): readonly GateEvent[] =>
  events.filter((event) => event.type === type);
const key = bench().session().key;

describe('the events of a gate', () => {
  test('tell once that a hold began, how long it is and why', () => {
    const all = held();
    const cooldown = { type: 'cooldown', key, holdMs: 500, failure: unavailable.type, at: HELD_MS };
    expect(eventsOf(all, 'cooldown')).toEqual([cooldown]);
    send(all, unavailable, null, HELD_MS + 100);
    expect(eventsOf(all, 'cooldown')).toHaveLength(1);
  });

  test('tell once that a call waits, and for how long it has waited', () => {
    const all = held();
    const call = all.session();
    expect(call.take(HELD_MS, null)).toMatchObject({ waitMs: 500, holdMs: 500, heldBy: unavailable.type });
    void call.take(HELD_MS + 10, null);
    expect(eventsOf(all, 'held')).toEqual([{ type: 'held', key, waitMs: 500, waiting: 1, at: HELD_MS }]);
    expect(call.take(HELD_MS + 500, null)).toEqual({ go: true });
    expect(eventsOf(all, 'released')).toEqual([{ type: 'released', key, heldMs: 500, waiting: 0, at: HELD_MS + 500 }]);
    call.leave(HELD_MS + 600);
    expect(eventsOf(all, 'released')).toHaveLength(1);
  });

  test('tell that a call was refused, which leaves no place', () => {
    const all = held({ maxWaiting: 1, retryBudget: { capacity: 0 } });
    const waiting = all.session();
    void waiting.take(HELD_MS, null);
    const refused = all.session().take(HELD_MS, null);
    expect(refused).toEqual({ go: false, refused: 'too-many-waiting', waitMs: 0 });
    const event = { type: 'refused', key, at: HELD_MS };
    expect(eventsOf(all, 'refused')).toEqual([{ ...event, because: 'too-many-waiting' }]);
    // A call in the queue that may not be sent any more gives its place to another.
    void waiting.take(HELD_MS, retryAfter(serverError));
    expect(eventsOf(all, 'refused').at(-1)).toEqual({ ...event, because: 'retry-budget-empty' });
    expect(all.gate.waiting).toBe(0);
  });
});

describe('a call that waits for a stated limit', () => {
  const limits = { requestsPerSecond: 1 };

  test('is told once, with the number of those that wait', () => {
    const all = bench({ limits });
    send(all, null);
    const waitMs = waitOf(all.session().take(START_MS, null));
    expect(waitMs).toBeGreaterThanOrEqual(1_000);
    expect(all.events).toEqual([{ type: 'held', key, waitMs, waiting: 1, at: START_MS }]);
  });

  test('as a retry of a batch call stays behind first attempts', () => {
    const all = bench({ limits });
    send(all, null);
    const first = waitOf(all.session().take(START_MS, null));
    const batch = waitOf(all.session({ priority: 'batch' }).take(START_MS, retryAfter(unavailable)));
    expect(batch).toBeGreaterThanOrEqual(first + 1_000);
  });
});

describe('a limit on requests at a time that was learned', () => {
  /** Two at a time are served, each in 100 ms; a third is refused. */
  function full(): Bench {
    const all = bench();
    for (let round = 0; round < 12; round += 1) {
      const startMs = START_MS + 100 * round;
      const calls = [1, 2, 3].map(() => all.session());
      for (const call of calls) call.takeAnyway(startMs);
      for (const [index, call] of calls.reverse().entries())
        if (index === 0) call.report(startMs + 10, { type: 'failure', failure: unavailable });
        else call.report(startMs + 100, { type: 'success' });
    }
    return all;
  }
  const nowMs = START_MS + 20_000;

  test.each<[string, (sent: GateSession) => void]>([
    ['has succeeded', (sent) => sent.report(nowMs + 10, { type: 'success' })],
    ['has failed', (sent) => sent.report(nowMs + 10, { type: 'failure', failure: serverError })],
    ['was cancelled', (sent) => sent.leave(nowMs + 10)],
  ])('sends the next call as soon as a request %s', (_what, end) => {
    const all = full();
    const sent = [1, 2].map(() => all.session());
    for (const call of sent) expect(call.take(nowMs, null)).toEqual({ go: true });
    const next = all.session();
    const answer = next.take(nowMs, null);
    const wake = vi.fn();
    if (!answer.go && answer.refused === null) answer.onFree?.(wake);
    expect(wake).not.toHaveBeenCalled();
    if (sent[0] !== undefined) end(sent[0]);
    expect(wake).toHaveBeenCalledTimes(1);
    expect(next.take(nowMs + 10, null)).toEqual({ go: true });
  });

  test('sends another call if the one whose turn has come is given up', () => {
    const all = full();
    const sent = [1, 2].map(() => all.session());
    for (const call of sent) void call.take(nowMs, null);
    const wakes = [1, 2].map(() => {
      const call = all.session();
      const answer = call.take(nowMs, null);
      const wake = vi.fn();
      if (!answer.go && answer.refused === null) answer.onFree?.(wake);
      return { call, wake };
    });
    sent[0]?.report(nowMs + 10, { type: 'success' });
    expect(wakes.map(({ wake }) => wake.mock.calls.length)).toEqual([1, 0]);
    wakes[0]?.call.leave(nowMs + 11);
    expect(wakes.map(({ wake }) => wake.mock.calls.length)).toEqual([1, 1]);
  });
});

describe('a line', () => {
  test('is full only with calls that wait longer than they planned', () => {
    const all = held({ maxWaiting: 1 });
    const later = retryAfter(unavailable, HELD_MS + 60_000);
    expect([0, 1, 2].map(() => all.session().estimate(HELD_MS, later).go)).toEqual([true, true, true]);
    expect(waitOf(all.session().estimate(HELD_MS, null))).toBeGreaterThan(0);
  });
});

describe('what a probe ends in', () => {
  test.each<[string, Failure, boolean]>([
    ['an answer that blames the request: the server is back', badRequest, false],
    ['a fault of the server, which tells nothing', serverError, true],
    ['a failure that a person has to mend at the server', { ...serverError, retryable: false }, true],
  ])('decides over the hold: %s', (_what, failure, isHeld) => {
    const all = held();
    send(all, failure, null, HELD_MS + 500);
    // In a hold the next call is a probe again, and the one after it waits; else both keep the pace.
    const answers = [500, 501].map((ms) => all.session().take(HELD_MS + ms, null).go);
    expect(answers).toEqual([isHeld, false]);
  });
});

test.each<[string, (probe: GateSession) => void]>([
  ['is aborted', (probe) => probe.report(HELD_MS + 510, { type: 'cancelled' })],
  ['leaves without a report', (probe) => probe.leave(HELD_MS + 510)],
])('another call may be the probe if a probe %s', (_, end) => {
  const all = held();
  const probe = all.session();
  expect(probe.take(HELD_MS + 500, null).go).toBe(true);
  expect(all.session().take(HELD_MS + 500, null).go).toBe(false);
  end(probe);
  expect(all.session().take(HELD_MS + 520, null).go).toBe(true);
});

test('a call that is sent in spite of a hold frees its place', () => {
  const all = held();
  const call = all.session();
  void call.take(HELD_MS, null);
  expect(all.gate.waiting).toBe(1);
  call.takeAnyway(HELD_MS);
  expect(all.gate.waiting).toBe(0);
});

test('with `cooldown: false` nothing is held', () => {
  expect(held({ cooldown: false }).session().take(HELD_MS, null).go).toBe(true);
});

describe('the retry budget', () => {
  const tokensOf = (all: Bench): number | null | undefined => all.gate.readings(START_MS)[0]?.tokens;

  test('gets its share of each success, and never more than it holds', () => {
    const all = bench({ retryBudget: { capacity: 2, ratio: 0.2 } });
    send(all, serverError, retryAfter(serverError));
    expect(tokensOf(all)).toBe(1);
    send(all, null);
    expect(tokensOf(all)).toBe(1.2);
    for (let count = 0; count < 10; count += 1) send(all, null);
    expect(tokensOf(all)).toBe(2);
  });

  test('gets back what a cancelled retry took, and never more than it holds', () => {
    const all = bench({ retryBudget: { capacity: 1, ratio: 0.2 } });
    const call = all.session();
    void call.take(START_MS, retryAfter(serverError));
    expect(tokensOf(all)).toBe(0);
    send(all, null);
    call.report(START_MS, { type: 'cancelled' });
    call.report(START_MS, { type: 'cancelled' });
    expect(tokensOf(all)).toBe(1);
  });

  test('is not spent by first attempts', () => {
    const all = bench();
    send(all, serverError);
    expect(tokensOf(all)).toBe(20);
  });
});

describe('a circuit', () => {
  const once: GateOptions = { retryBudget: false, circuitBreaker: { opensAfter: { failures: 1 } } };

  test('covers retries alone, if the caller says nothing else', () => {
    const all = bench(once);
    send(all, serverError);
    expect(all.session().take(START_MS, null).go).toBe(true);
    const answer = all.session().estimate(START_MS, retryAfter(serverError));
    expect(answer).toEqual({ go: false, refused: 'circuit-open', waitMs: 5_000 });
  });

  test('is not opened by a request that is wrong, nor by one that was cancelled', () => {
    const all = bench({ ...once, circuitBreaker: { opensAfter: { failures: 1 }, covers: 'all' } });
    send(all, badRequest);
    const call = all.session();
    void call.take(START_MS, null);
    call.report(START_MS, { type: 'cancelled' });
    expect(all.gate.readings(START_MS)[0]?.circuit).toBe('closed');
    send(all, serverError);
    expect(all.gate.readings(START_MS)[0]?.circuit).toBe('open');
  });
});

describe('announced limits', () => {
  const empty = new Headers({
    'x-ratelimit-limit-requests': '60',
    'x-ratelimit-remaining-requests': '0',
    'x-ratelimit-reset-requests': '60s',
  });
  const waitAfter = (options: GateOptions, ...answers: readonly (Headers | undefined)[]): number => {
    const all = bench(options);
    for (const headers of answers) {
      const call = all.session();
      void call.take(START_MS, null);
      call.report(START_MS, { type: 'success', headers });
    }
    return waitOf(all.session().take(START_MS, null));
  };

  test('are obeyed unless the caller says otherwise', () => {
    expect(waitAfter({}, empty)).toBeGreaterThan(500);
    expect(waitAfter({ announced: true }, undefined, empty)).toBeGreaterThan(500);
    expect(waitAfter({ announced: false }, empty)).toBe(0);
  });

  test('are not looked for in twenty answers after one that had none', () => {
    const none = Array.from({ length: 20 }, () => empty);
    expect(waitAfter({ announced: true }, new Headers(), ...none)).toBe(0);
    expect(waitAfter({ announced: true }, new Headers(), ...none, empty)).toBeGreaterThan(500);
  });

  test('in tokens are worked out once for each call', () => {
    const cost = vi.fn(() => 5);
    const all = held({ cost });
    const call = all.session();
    const asked = cost.mock.calls.length;
    void call.estimate(HELD_MS, null);
    void call.take(HELD_MS, null);
    call.leave(HELD_MS);
    expect([cost.mock.calls.length, cost.mock.lastCall]).toEqual([asked + 1, [REQUEST]]);
  });

  test.each([Number.NaN, -1, Number.POSITIVE_INFINITY, 0])(
    'in tokens count nothing for an estimate of %d',
    (tokens) => {
      const left = new Headers({
        'x-ratelimit-limit-tokens': '1000',
        'x-ratelimit-remaining-tokens': '900',
        'x-ratelimit-reset-tokens': '60s',
      });
      expect(waitAfter({ announced: true, cost: () => tokens }, left)).toBe(0);
      expect(waitAfter({ announced: true, cost: () => 950 }, left)).toBeGreaterThan(0);
    },
  );
});
