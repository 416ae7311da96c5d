import {
  appendFileSync,
  existsSync,
  mkdirSync,
  readFileSync,
  rmdirSync,
  statSync,
  truncateSync,
  writeFileSync,
} from 'node:fs';
import { dirname } from 'node:path';
import { fc, test } from '@fast-check/vitest';
import { describe, expect, it, vi } from 'vitest';
import { ErrorRegistry } from '../../src/report/error-registry.ts';
import {
  AT,
  contentsOf,
  failedEvent,
  failure,
  linesOf,
  recoveredEvent,
  report,
  retryEvent,
  SECRET,
  temporaryFile,
  untyped,
} from './samples.ts';

const idsOf = (registry: ErrorRegistry): readonly string[] => registry.list().map(({ callId }) => callId);

function registryWith(callIds: readonly string[], options = {}): { registry: ErrorRegistry; path: string } {
  const path = temporaryFile();
  const registry = new ErrorRegistry(path, options);
  for (const id of callIds) registry.add(report(id));
  return { registry, path };
}

describe('an error registry', () => {
  it('records failed calls only', () => {
    const path = temporaryFile();
    const registry = new ErrorRegistry(path, { context: { plan: 'p-1', phase: 'plan' } });
    registry.listener(retryEvent(1));
    registry.listener(recoveredEvent());
    expect(existsSync(path)).toBe(false);
    registry.listener(failedEvent());
    registry.listenerFor({ phase: 'build' })(failedEvent({ callId: 'request-2' }));
    expect(registry.list()).toMatchObject([
      { callId: 'request-2', context: { plan: 'p-1', phase: 'build' } },
      { callId: 'request-1', context: { plan: 'p-1', phase: 'plan' } },
    ]);
    expect(statSync(path).mode & 0o777).toBe(0o600);
  });

  it('returns the same reports to another registry over the file', () => {
    const { registry, path } = registryWith(['a', 'b']);
    expect(new ErrorRegistry(path).list()).toEqual(registry.list());
  });

  it('is empty if there is no file', () => {
    expect(new ErrorRegistry(temporaryFile()).list()).toEqual([]);
  });

  it('keeps the newest hundred', () => {
    const { registry } = registryWith(Array.from({ length: 130 }, (_, index) => `r${index}`));
    expect(idsOf(registry)).toHaveLength(100);
    expect([idsOf(registry).at(0), idsOf(registry).at(-1)]).toEqual(['r129', 'r30']);
  });

  it('keeps the newest in two files that stay small', () => {
    const { registry, path } = registryWith(
      Array.from({ length: 401 }, (_, index) => `r${index}`),
      { maxReports: 5, maxBytes: 10_000 },
    );
    const contents = contentsOf(dirname(path));
    expect(['file.ndjson', 'file.ndjson.1']).toEqual(expect.arrayContaining(Object.keys(contents)));
    for (const { length } of Object.values(contents)) expect(length).toBeLessThan(12_000);
    expect(idsOf(registry)).toEqual(['r400', 'r399', 'r398', 'r397', 'r396']);
  });

  it('renames no file that holds less than it keeps', () => {
    const { registry, path } = registryWith(['a', 'b', 'c'], { maxReports: 3, maxBytes: 1 });
    for (const id of ['d', 'e']) registry.add(report(id));
    expect(idsOf(registry)).toEqual(['e', 'd', 'c']);
    expect(existsSync(`${path}.2`)).toBe(false);
  });

  it.each([
    ['category', { category: 'non-retryable' }, ['quota']],
    ['type', { type: 'rate_limit' }, ['limited']],
    ['provider', { provider: 'openai' }, ['limited', 'quota']],
    ['time, inclusive', { since: AT + 10, until: AT + 20 }, ['limited', 'quota']],
    ['all at once', { category: 'retryable', provider: 'openai', since: AT + 11 }, ['limited']],
    ['being resolved', { resolved: true }, ['quota']],
    ['not being resolved', { resolved: false }, ['limited', 'overloaded']],
    ['nothing', {}, ['limited', 'quota', 'overloaded']],
  ] as const)('filters by %s', (_, filter, expected) => {
    const { registry } = registryWith([]);
    registry.add(report('overloaded'));
    const quota = failure('quota_exhausted', { retryable: false, category: 'non-retryable', provider: 'openai' });
    registry.add(report('quota', { failure: quota, at: AT + 10 }));
    registry.add(report('limited', { failure: failure('rate_limit', { provider: 'openai' }), at: AT + 20 }));
    registry.resolve(registry.list({ type: 'quota_exhausted' })[0]?.id ?? '');
    expect(registry.list(filter).map(({ callId }) => callId)).toEqual(expected);
  });

  it('marks a report as resolved once, for every reader', () => {
    let time = AT;
    const { registry, path } = registryWith(['a', 'b'], { now: () => (time += 1_000) });
    const [, first] = registry.list();
    expect(registry.resolve(first?.id ?? '')).toBe(true);
    expect(registry.resolve(first?.id ?? '')).toBe(true);
    expect(registry.resolve('none')).toBe(false);
    expect(registry.list().map(({ resolvedAt }) => resolvedAt)).toEqual([undefined, AT + 1_000]);
    expect(new ErrorRegistry(path).list()[1]?.resolvedAt).toBe(AT + 1_000);
  });

  it('takes the time of a resolution from the system by default', () => {
    const { registry } = registryWith(['a']);
    const before = Date.now();
    registry.resolve(registry.list()[0]?.id ?? '');
    expect(registry.list()[0]?.resolvedAt).toBeGreaterThanOrEqual(before);
  });

  it('refuses an invalid report, and invalid options', () => {
    expect(() => registryWith([]).registry.add(untyped({}))).toThrow(TypeError);
    expect(() => new ErrorRegistry('x', { maxReports: 0 })).toThrow(
      'Expected `maxReports` to be an integer ≥ 1, got 0.',
    );
    expect(() => new ErrorRegistry('x', { maxBytes: Number.NaN })).toThrow('maxBytes');
    expect(() => new ErrorRegistry('x', untyped({ now: 5 }))).toThrow('Expected `now` to be a function, got 5.');
    expect(() => new ErrorRegistry('')).toThrow('Expected `path` to be the path of a file, got "".');
  });
});

describe('a registry that cannot write', () => {
  it('does not break the call, keeps the reports and writes them when it can', () => {
    const path = temporaryFile();
    mkdirSync(path);
    const onError = vi.fn<(error: Error) => void>();
    const registry = new ErrorRegistry(path, { maxReports: 3, onError });
    for (const callId of ['a', 'b', 'c', 'd']) registry.listener(failedEvent({ callId }));
    expect(registry.waiting).toBe(3);
    expect(onError.mock.calls.map(([error]) => error.message).at(-1)).toContain('is lost');
    rmdirSync(path);
    // Read before they are written: they are reports all the same.
    expect(idsOf(registry)).toEqual(['d', 'c', 'b']);
    registry.listener(failedEvent({ callId: 'e' }));
    expect([registry.waiting, linesOf(path).length]).toEqual([0, 4]);
    expect(idsOf(registry)).toEqual(['e', 'd', 'c']);
  });

  it('reports an invalid event, and continues', () => {
    const onError = vi.fn<(error: Error) => void>();
    const registry = new ErrorRegistry(temporaryFile(), { onError });
    registry.listener(untyped({ ...failedEvent(), method: 7 }));
    registry.listener(failedEvent());
    expect(onError).toHaveBeenCalledOnce();
    expect(idsOf(registry)).toEqual(['request-1']);
  });
});

describe('a file with any content', () => {
  it('loses no other report if the last one is cut at any byte', () => {
    const { path } = registryWith(['a', 'b', 'torn']);
    const whole = readFileSync(path);
    const [first = '', second = ''] = linesOf(path);
    const start = Buffer.byteLength(`${first}\n${second}\n`);
    for (let length = start; length <= whole.length; length += 7) {
      writeFileSync(path, whole);
      truncateSync(path, length);
      const registry = new ErrorRegistry(path);
      registry.add(report('next'));
      const expected = length >= whole.length - 1 ? ['next', 'torn', 'b', 'a'] : ['next', 'b', 'a'];
      expect(idsOf(registry)).toEqual(expected);
    }
  });

  const garbage = fc.oneof(
    fc.uint8Array({ minLength: 1, maxLength: 200 }).map((bytes) => Buffer.from(bytes)),
    fc.json().map((text) => Buffer.from(text)),
    fc
      .constantFrom('{"version":1,', '{"version":2,"id":"x"}', '{"__proto__":{"version":1}}', '['.repeat(100_000))
      .map((text) => Buffer.from(text)),
  );

  test.prop([fc.array(garbage, { minLength: 1, maxLength: 6 })], { numRuns: 30 })(
    'keeps every report between garbage',
    (pieces) => {
      const path = temporaryFile();
      const registry = new ErrorRegistry(path);
      for (const [index, piece] of pieces.entries()) {
        registry.add(report(`r${index}`));
        appendFileSync(path, piece);
      }
      registry.add(report('last'));
      const expected = ['last', ...pieces.map((_, index) => `r${index}`).toReversed()];
      expect(idsOf(registry)).toEqual(expected);
    },
  );

  it('has no character that moves a cursor, breaks a line or turns the text', () => {
    const { registry, path } = registryWith([]);
    const message = 'a\u009b2Jb\u007fc\u2028d\u202ee\u2066f\u{e0041}g\ufeff';
    registry.listener(failedEvent({ failure: failure('overloaded', { message }) }));
    const stored = readFileSync(path, 'utf8');
    expect(stored).toMatch(/^[^\u007f-\u009f\u2028\u2029\p{Cf}]+\n$/u);
    expect(stored).toContain('a\\u009b2Jb\\u007fc\\u2028d\\u202ee\\u2066f\\udb40\\udc41g\\ufeff');
    expect(registry.list()[0]?.rootCause.message).toBe(message);
  });

  it('has no secret, and no file next to it has one', () => {
    const leaky = failure('auth_invalid', { message: `Incorrect key: ${SECRET}` });
    const { registry, path } = registryWith([]);
    registry.listenerFor({ plan: SECRET })(failedEvent({ failure: leaky, callId: SECRET, body: SECRET }));
    for (const contents of Object.values(contentsOf(dirname(path))))
      expect(contents.includes(SECRET.slice(0, 12))).toBe(false);
  });
});
