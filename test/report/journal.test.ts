import fs, {
  existsSync,
  mkdirSync,
  readdirSync,
  renameSync,
  rmdirSync,
  rmSync,
  statSync,
  truncateSync,
  writeFileSync,
} from 'node:fs';
import { dirname } from 'node:path';
import { describe, expect, it, vi } from 'vitest';
import type { RetryEvent } from '../../src/index.ts';
import { type JournalEntry, readJournal, RunJournal } from '../../src/report/index.ts';
import {
  AT,
  attempt,
  contentsOf,
  failedEvent,
  failure,
  linesOf,
  recoveredEvent,
  retryEvent,
  SECRET,
  temporaryFile,
  untyped,
  watchFile,
} from './samples.ts';

const { method, url } = failedEvent();
const base = { version: 1, callId: 'request-1', method, url, at: AT, context: {} };

describe('a run journal', () => {
  it.each([
    ['', {}, 'Expected `path` to be the path of a file, got "".'],
    [null, {}, 'Expected `path` to be the path of a file, got null.'],
    ['x', { maxFiles: 0 }, 'Expected `maxFiles` to be an integer ≥ 1, got 0.'],
    ['x', { maxbytes: 5 }, 'Unknown option `maxbytes`. Did you mean `maxBytes`?'],
    ['x', { onError: 'log' }, 'Expected `onError` to be a function, got "log".'],
    ['x', { context: 'plan' }, 'Expected `context` to be an object such as { phase: \'plan\' }, got "plan".'],
    ['x', null, 'Expected `options` to be an object such as { maxFiles: 5 }, got null.'],
  ])('of %j with %j is a TypeError that names the fix', (path, options, message) => {
    expect(() => new RunJournal(untyped(path), untyped(options))).toThrow(new TypeError(message));
  });

  it('has one line per attempt, written before the wait, and one for the outcome', () => {
    const path = temporaryFile();
    const journal = new RunJournal(path);
    journal.listener(retryEvent(1));
    const attemptLine = {
      ...base,
      kind: 'attempt',
      attempt: 1,
      failure: failure(),
      delayMs: 800,
      because: 'backoff',
      nextAttemptAt: AT + 800,
    };
    expect(linesOf(path).map((line) => JSON.parse(line))).toEqual([attemptLine]);
    journal.listener(failedEvent());
    expect(linesOf(path).map((line) => JSON.parse(line))).toEqual([
      attemptLine,
      { ...base, kind: 'attempt', attempt: 2, failure: failure(), delayMs: null, because: null },
      {
        ...base,
        kind: 'outcome',
        outcome: 'failed',
        attempts: 2,
        elapsedMs: 1_200,
        because: 'retries-exhausted',
        summary:
          'overloaded (HTTP 503): failed after 2 attempts in 1.2s (2 × overloaded, waited 800ms), no retries are left',
        timings: [
          { attempt: 1, startedAt: AT + 1_000, durationMs: 200 },
          { attempt: 2, startedAt: AT + 2_000, durationMs: 200 },
        ],
      },
    ]);
    expect(statSync(path).mode & 0o777).toBe(0o600);
  });

  it('records a success, a cancelled call and a change of target', () => {
    const path = temporaryFile();
    const journal = new RunJournal(path, { context: { plan: 'p' } });
    const { at, history } = failedEvent();
    const call = { callId: 'request-2', method, url, at };
    journal.listener(retryEvent(1));
    journal.listener(recoveredEvent());
    journal.listener({ ...call, type: 'fallback', from: 'opus', to: 'haiku', failure: failure() });
    journal.listener({ ...call, type: 'cancelled', attempts: 1, elapsedMs: 5, history: history.slice(1) });
    const { runs } = readJournal(path);
    expect(runs.map(({ entries }) => entries.map(({ kind }) => kind))).toEqual([
      ['attempt', 'attempt', 'outcome'],
      ['fallback', 'attempt', 'outcome'],
    ]);
    expect(runs.map(({ outcome }) => outcome?.outcome)).toEqual(['succeeded', 'cancelled']);
    expect(runs[0]?.entries[1]).toMatchObject({ attempt: 2, failure: null, context: { plan: 'p' } });
    expect(runs[1]?.entries[0]).toMatchObject({ from: 'opus', to: 'haiku', failureType: 'overloaded' });
    expect(runs[0]?.outcome).not.toHaveProperty('because');
  });

  it('writes an attempt once, with concurrent calls and with a repeated request id', () => {
    const path = temporaryFile();
    const journal = new RunJournal(path);
    const inTurn: RetryEvent[] = [
      retryEvent(1),
      retryEvent(1, { callId: 'request-2' }),
      retryEvent(2),
      failedEvent({ attempts: 3, history: [attempt(1), attempt(2), attempt(3, { delayMs: null, target: 'spare' })] }),
      failedEvent({ callId: 'request-2' }),
      failedEvent({ attempts: 1, history: [attempt(1, { delayMs: null })] }),
    ];
    for (const event of inTurn) journal.listener(event);
    const { runs } = readJournal(path);
    const attempts = runs.map(({ callId, entries }) => [
      callId,
      ...entries.flatMap((entry) => (entry.kind === 'attempt' ? [entry.attempt] : [])),
    ]);
    expect(attempts).toEqual([
      ['request-1', 1, 2, 3],
      ['request-2', 1, 2],
      ['request-1', 1],
    ]);
    expect(runs[0]?.entries[2]).toMatchObject({ target: 'spare' });
  });

  it('adds the context of the caller', () => {
    const path = temporaryFile();
    new RunJournal(path, { context: { plan: 'p', phase: 'plan' } }).listenerFor({ phase: 'build' })(retryEvent(1));
    expect(readJournal(path).entries[0]?.context).toEqual({ plan: 'p', phase: 'build' });
  });

  it('continues after a line that was cut at any byte', () => {
    const path = temporaryFile();
    new RunJournal(path).listener(failedEvent());
    const size = statSync(path).size;
    for (const length of [size - 1, size - 2, size - 100, 1]) {
      truncateSync(path, length);
      new RunJournal(path).listener(retryEvent(7));
      expect(readJournal(path).entries.at(-1)).toMatchObject({ kind: 'attempt', attempt: 7 });
    }
  });

  it('has no secret in its lines', () => {
    const path = temporaryFile();
    const leaky = failure('auth_invalid', { message: `Incorrect key: ${SECRET}`, code: SECRET });
    const journal = new RunJournal(path, { context: { plan: SECRET } });
    journal.listener(retryEvent(1, { failure: leaky }));
    journal.listener(
      failedEvent({
        callId: SECRET,
        failure: leaky,
        history: [attempt(1, { failure: leaky, target: SECRET, delayMs: null })],
      }),
    );
    for (const contents of Object.values(contentsOf(dirname(path))))
      expect(contents.includes(SECRET.slice(0, 12))).toBe(false);
    expect(readJournal(path).entries).toHaveLength(3);
  });
});

const fill = (journal: RunJournal, count: number): void => {
  for (let number = 1; number <= count; number += 1) journal.listener(retryEvent(number));
};

describe('the size of a journal', () => {
  it('is bounded: older lines move to older files, and the oldest are deleted', () => {
    const path = temporaryFile();
    fill(new RunJournal(path, { maxBytes: 2_000, maxFiles: 3 }), 100);
    const contents = contentsOf(dirname(path));
    expect(Object.keys(contents)).toEqual(expect.arrayContaining(['file.ndjson.1', 'file.ndjson.2']));
    expect(Object.keys(contents)).not.toContain('file.ndjson.3');
    for (const { length } of Object.values(contents)) expect(length).toBeLessThan(2_500);
    const attempts = readJournal(path).entries.map((entry) => (entry.kind === 'attempt' ? entry.attempt : 0));
    expect(attempts.at(-1)).toBe(100);
    expect(attempts).toEqual(attempts.map((_, index) => 101 - attempts.length + index));
  });

  it('may be that of one file', () => {
    const path = temporaryFile();
    fill(new RunJournal(path, { maxBytes: 2_000, maxFiles: 1 }), 20);
    expect(readdirSync(dirname(path)).filter((name) => name !== 'file.ndjson')).toEqual([]);
    expect(existsSync(path) ? statSync(path).size : 0).toBeLessThanOrEqual(2_000);
  });

  it('is left to another process that rotates it, or has done so', () => {
    const path = temporaryFile();
    const journal = new RunJournal(path, { maxBytes: 1_000, maxFiles: 2 });
    writeFileSync(`${path}.lock`, '');
    fill(journal, 4);
    expect(statSync(path).size).toBeGreaterThan(1_000);
    rmSync(`${path}.lock`);
    watchFile('writeSync').mockImplementationOnce((fd, bytes) => {
      const written = fs.writeSync(fd, Buffer.from(bytes));
      renameSync(path, `${path}.1`);
      writeFileSync(path, '');
      return written;
    });
    journal.listener(retryEvent(5));
    expect(linesOf(`${path}.1`)).toHaveLength(5);
  });
});

describe('a journal that cannot write', () => {
  it('does not break the call, keeps the lines and writes them when it can', () => {
    const path = temporaryFile();
    mkdirSync(path);
    const onError = vi.fn<(error: Error) => void>();
    const journal = new RunJournal(path, { onError });
    journal.listener(retryEvent(1));
    journal.listener(failedEvent());
    expect(journal.waiting).toBe(3);
    expect(onError).toHaveBeenCalledTimes(3);
    rmdirSync(path);
    journal.listener(retryEvent(1));
    expect(journal.waiting).toBe(0);
    expect(readJournal(path).entries).toHaveLength(4);
  });

  it('reports an invalid event, and a file that cannot be renamed', () => {
    const path = temporaryFile();
    const onError = vi.fn<(error: Error) => void>();
    const journal = new RunJournal(path, { maxBytes: 10, onError });
    journal.listener(untyped({ ...retryEvent(1), url: 5 }));
    expect(onError).toHaveBeenCalledOnce();
    mkdirSync(`${path}.1`);
    writeFileSync(`${path}.1/x`, '');
    mkdirSync(`${path}.2`);
    writeFileSync(`${path}.2/x`, '');
    journal.listener(retryEvent(1));
    expect(onError).toHaveBeenCalledTimes(2);
    renameSync(`${path}.1`, `${path}.elsewhere`);
    journal.listener(retryEvent(2));
    expect(linesOf(`${path}.1`)).toHaveLength(2);
  });
});

const fallback = {
  type: 'fallback',
  callId: 'request-1',
  method,
  url,
  at: AT,
  from: 'opus',
  to: 'haiku',
  failure: failure(),
} as const;
/** One of each kind, with all of its members. */
const ENTRIES = (): readonly JournalEntry[] => {
  const path = temporaryFile();
  const { listener } = new RunJournal(path, { context: { plan: 'p' } });
  for (const event of [retryEvent(1), fallback, failedEvent({ history: [attempt(1, { target: 't', delayMs: null })] })])
    listener(event);
  return readJournal(path).entries;
};

describe('an entry that is read', () => {
  const read = (entries: readonly unknown[]) =>
    readJournal(temporaryFile(entries.map((entry) => `${JSON.stringify(entry)}\n`).join('')));
  /** What may be missing: it is left out if it is invalid. */
  const OPTIONAL = ['nextAttemptAt', 'target', 'because'];

  it('has no unknown members, and is frozen', () => {
    const entries = ENTRIES();
    const { entries: copies } = read(entries.map((entry) => ({ ...entry, extra: 1, failure_: {} })));
    expect(copies).toEqual(entries);
    expect(copies.every((entry) => Object.isFrozen(entry) && Object.isFrozen(entry.context))).toBe(true);
  });

  it('is damaged if any of its members is invalid', () => {
    for (const entry of ENTRIES()) {
      const names = Object.keys(entry).filter((name) => !OPTIONAL.includes(name));
      expect(names.length).toBeGreaterThan(8);
      const { damagedLines } = read(names.map((name) => ({ ...entry, [name]: ['x'] })));
      expect([entry.kind, damagedLines]).toEqual([entry.kind, names.length]);
    }
  });

  it.each<readonly [JournalEntry['kind'], object]>([
    ['attempt', { version: 2 }],
    ['attempt', { kind: 'toString' }],
    ['attempt', { at: 9e15 }],
    ['attempt', { attempt: 1.5 }],
    ['attempt', { failure: { type: 'overloaded' } }],
    ['attempt', { failure: { ...failure(), category: '__proto__' } }],
    ['attempt', { failure: { ...failure(), phase: 3 } }],
    ['attempt', { delayMs: -1 }],
    ['attempt', { because: 'whim' }],
    ['fallback', { failureType: 'constructor' }],
    ['outcome', { outcome: 'exploded' }],
    ['outcome', { timings: [{}] }],
    ['outcome', { timings: Array.from({ length: 101 }, () => ({ attempt: 1, startedAt: AT, durationMs: 5 })) }],
  ])('is damaged if it is an %s with %j', (kind, change) => {
    const entry = ENTRIES().find((each) => each.kind === kind);
    expect(read([{ ...entry, ...change }])).toMatchObject({ entries: [], damagedLines: 1 });
  });

  it('has texts of limited length, and no prototype of a planted name', () => {
    const [entry] = ENTRIES();
    const context = Object.fromEntries(Array.from({ length: 40 }, (_, index) => [`name ${index}`, 'x'.repeat(600)]));
    const line = JSON.stringify({ ...entry, callId: 'r'.repeat(1_000), context });
    const { entries } = readJournal(temporaryFile(`${line.replace('"name 0"', '"__proto__"')}\n`));
    expect(entries[0]?.callId).toHaveLength(200);
    expect(Object.keys(entries[0]?.context ?? {})).toHaveLength(32);
    expect(entries[0]?.context['name 1']).toHaveLength(512);
    expect(({} as Record<string, unknown>)['name 0']).toBeUndefined();
  });
});
