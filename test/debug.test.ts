import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { createFallback, createRetryFetch } from '../src/index.ts';
import { changeProcessWide } from '../src/runtime/process-wide.ts';
import { fakeRuntime, respond, respondError, script, URL_OF_TEST } from './script.ts';

let lines: string[] = [];

beforeEach(async () => {
  lines = [];
  vi.resetModules();
  vi.spyOn(process.stderr, 'write').mockImplementation((line) => lines.push(String(line)) > 0);
  await import('../src/debug.ts');
});

afterEach(() => changeProcessWide({ onEvent: undefined, onLeftOut: undefined }));

const options = () => ({ runtime: fakeRuntime(), jitter: 'none', callId: 'call-1' }) as const;
const said = (): readonly string[] => lines.map((line) => line.replace(/^\S+ retry-transport call-1 /, ''));

test('every event of a call is a line, although the call has no listener', async () => {
  const runtime = fakeRuntime();
  const fetch = createRetryFetch({ fetch: script(runtime, 503, 200), ...options(), runtime });
  await fetch(`${URL_OF_TEST}?key=secret`, { method: 'POST', body: '{}' });
  expect(said()).toEqual([
    expect.stringMatching(/^POST \S+: overloaded \(HTTP 503\): retry 1 of 3 in 1s: HTTP 503\n$/),
    expect.stringMatching(/^POST \S+: retry 1 is sent\n$/),
    expect.stringMatching(/^POST \S+: succeeded after 2 attempts in 1s \(overloaded, waited 1s\)\n$/),
  ]);
  expect(lines.join('')).not.toContain('secret');
});

test('a call that is given up says why, and when it would have been possible', async () => {
  const runtime = fakeRuntime();
  const fetch = createRetryFetch({
    fetch: script(runtime, respond(429, { 'retry-after': '600' })),
    ...options(),
    runtime,
  });
  await fetch(URL_OF_TEST);
  expect(said()).toEqual([
    expect.stringMatching(
      /: rate limit \(HTTP 429\): failed after 1 attempt in 0s, .*, possible again in 10m: HTTP 429\n$/,
    ),
  ]);
});

test('a message of the server cannot begin a line of its own', async () => {
  const runtime = fakeRuntime();
  const inner = script(runtime, respondError(400, { message: 'no\nretry-transport forged\r\u2028line' }));
  await createRetryFetch({ fetch: inner, ...options(), runtime })(URL_OF_TEST);
  expect(lines).toHaveLength(1);
  expect(lines[0]?.trimEnd()).not.toMatch(/[\n\r\u2028]/);
});

test('direction marks of the server, of a URL or of a target are left out', async () => {
  const runtime = fakeRuntime();
  const marks = '\u202A\u202B\u202C\u202D\u202E\u2066\u2067\u2068\u2069\u200E\u200F\u061C';
  const fallback = createFallback({ targets: [{ name: `back${marks}up`, url: `https://backup.example/${marks}v1` }] });
  const inner = script(runtime, respondError(529, { message: `ab${marks}cd`, code: `e${marks}f` }));
  await createRetryFetch({ fetch: inner, ...options(), runtime, fallback })(`${URL_OF_TEST}/${marks}`);
  expect(lines.join('')).toContain('abcd');
  expect(lines.join('')).not.toMatch(/[\u061C\u200E\u200F\u202A-\u202E\u2066-\u2069]/);
});

test('another target and an abort are named', async () => {
  const runtime = fakeRuntime();
  const fallback = createFallback({ targets: [{ name: 'backup', url: 'https://backup.example/v1' }] });
  const leaving = new AbortController();
  const inner = script(runtime, 529, 529, 529, 529, 529, () => {
    leaving.abort();
    throw leaving.signal.reason;
  });
  const fetch = createRetryFetch({ fetch: inner, ...options(), runtime, fallback });
  await fetch(URL_OF_TEST, { signal: leaving.signal }).catch(() => {});
  expect(said().join('')).toMatch(/: overloaded \(HTTP 529\): falls back from \S+ to backup: /);
  expect(said().at(-1)).toMatch(/: cancelled after 6 attempts in /);
});

test('a call that succeeds at once says nothing', async () => {
  const runtime = fakeRuntime();
  await createRetryFetch({ fetch: script(runtime, 200), ...options(), runtime })(URL_OF_TEST);
  expect(lines).toEqual([]);
});

test('a POST that `retryOnly` leaves alone is a line, once for each origin and without the path', async () => {
  const runtime = fakeRuntime();
  const fetch = createRetryFetch({ fetch: script(runtime, 503), ...options(), runtime, retryOnly: 'model-requests' });
  const body = '{"text":"Hi"}';
  for (const origin of ['https://hooks.example', 'https://hooks.example', 'https://other.example'])
    await fetch(`${origin}/services/SECRET`, { method: 'POST', body });
  await fetch(new Request('https://third.example/v1/messages', { method: 'POST', body }));
  await fetch('https://hooks.example/feed');
  expect(said()).toEqual(
    ['hooks', 'other', 'third'].map((name) =>
      expect.stringMatching(
        new RegExp(`POST https://${name}\\.example: left alone, because .retryOnly. does not choose it`),
      ),
    ),
  );
  expect(lines.join('')).not.toContain('SECRET');
});
