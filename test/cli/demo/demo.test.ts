import { spawnSync } from 'node:child_process';
import { describe, expect, it } from 'vitest';
import { runCommandLine } from '../../../src/cli/command-line.ts';
import type { ScenarioName } from '../../../src/cli/demo/scenarios.ts';
import type { RetryEvent } from '../../../src/index.ts';
import { fakeTerminal } from '../fake-terminal.ts';

async function play(scenario: ScenarioName, speed: string, ...options: readonly string[]) {
  const terminal = fakeTerminal();
  const exitCode = await runCommandLine(['demo', '--scenario', scenario, '--speed', speed, ...options], terminal);
  return { exitCode, lines: terminal.output.lines, errors: terminal.errors.lines };
}

async function eventsOf(scenario: ScenarioName, speed: string): Promise<RetryEvent[]> {
  const { lines } = await play(scenario, speed, '--json');
  return lines.map((line): RetryEvent => JSON.parse(line)).filter(({ type }) => type !== 'attempt');
}

describe('the demo of a quota', () => {
  it('sends one request and says what to do', async () => {
    const { exitCode, lines } = await play('quota', '400');
    expect(exitCode).toBe(3);
    expect(lines).toEqual([
      '✗ Quota used up (HTTP 429) — a retry cannot help',
      expect.stringContaining('It does not come back by asking again soon.'),
      expect.stringMatching(/^ {2}→ Add credits/),
      '  → Google: https://aistudio.google.com/usage',
    ]);
  });

  it('prints one event for a program', async () => {
    expect(await eventsOf('quota', '400')).toMatchObject([
      { type: 'failed', attempts: 1, because: 'not-retryable', failure: { type: 'quota_exhausted' } },
    ]);
  });
});

describe('the demo of a fallback', () => {
  it('asks another model if the overload outlasts the retries', async () => {
    const { exitCode, lines } = await play('fallback', '400');
    expect(exitCode).toBe(0);
    expect(lines.slice(2)).toEqual([
      '⚠ Service overloaded (HTTP 529) — retrying in 5ms… retry 3 of 5',
      '⚠ Service overloaded (HTTP 529) — falling back from large to small',
      '⚠ Service overloaded (HTTP 529) — retrying now… retry 4 of 5',
      'The large model stayed overloaded, so',
      'a smaller one was asked instead.',
      expect.stringMatching(/^✓ answered after 4 retries: 4 × 529 overloaded — waited /),
    ]);
  });

  it('prints events for a program', async () => {
    expect(await eventsOf('fallback', '400')).toMatchObject([
      { type: 'retry', attempt: 1 },
      { type: 'retry', attempt: 2 },
      { type: 'retry', attempt: 3 },
      { type: 'fallback', from: 'large', to: 'small' },
      { type: 'retry', attempt: 4, because: 'fallback', delayMs: 0 },
      { type: 'recovered', attempts: 5, history: [{}, {}, {}, { target: 'large' }, { target: 'small' }] },
    ]);
  });
});

describe('the demo of a context that is too long', () => {
  it('asks a model with a larger context at once', async () => {
    const { exitCode, lines } = await play('context', '400');
    expect(exitCode).toBe(0);
    expect(lines[0]).toBe('⚠ Input too long (HTTP 400) — falling back from small window to large window');
    expect(lines.at(-1)).toMatch(/^✓ answered after 1 retry: 400 context too long/);
    expect(await eventsOf('context', '400')).toMatchObject([
      { type: 'fallback', failure: { type: 'context_too_long' } },
      { type: 'retry', attempt: 1, delayMs: 0, because: 'fallback' },
      { type: 'recovered', attempts: 2 },
    ]);
  });
});

describe('the demo of a key rotation', () => {
  it('uses the third key at once, and then waits for the first key that is free again', async () => {
    const events = await eventsOf('rotation', '4');
    expect(events).toMatchObject([
      { type: 'fallback', from: 'key 1', to: 'key 2' },
      { type: 'retry', attempt: 1, delayMs: 0 },
      { type: 'fallback', from: 'key 2', to: 'key 3' },
      { type: 'retry', attempt: 2, delayMs: 0 },
      { type: 'recovered', attempts: 3 },
      { type: 'retry', attempt: 1, because: 'cooldown' },
      { type: 'recovered', attempts: 2, history: [{ target: 'key 3' }, { target: 'key 2' }] },
    ]);
    const wait = events[5];
    // Less than its limit, of which a part has passed, and less than the other keys would take.
    expect(wait?.type === 'retry' && wait.delayMs > 0 && wait.delayMs <= 1_000).toBe(true);
    expect(JSON.stringify(events)).not.toContain('demonstration-key');
  });
});

describe.runIf(spawnSync('curl', ['--version']).status === 0)('the demonstration of the proxy', () => {
  it('gives curl, which sends one request, the answer to the fourth', async () => {
    const { exitCode, lines } = await play('proxy', '400');
    expect(exitCode).toBe(0);
    expect(lines).toEqual([
      expect.stringMatching(/^\$ curl -d '.*' http:\/\/127\.0\.0\.1:\d+\/v1\/messages$/),
      '⚠ Service overloaded (HTTP 429) — retrying in 2ms… retry 1 of 3',
      '⚠ Service overloaded (HTTP 502) — retrying in 3ms… retry 2 of 3',
      '⚠ Connection failed (ECONNRESET) — retrying in 5ms… retry 3 of 3',
      '{"role":"assistant","content":"curl sent one request; the proxy sent four."}',
      expect.stringMatching(/^✓ answered after 3 retries: 429 overloaded, 502 overloaded, connection reset — waited /),
    ]);
  });
});

it('says what to do if curl is not installed', async () => {
  const { PATH } = process.env;
  process.env.PATH = '';
  try {
    const { exitCode, lines } = await play('proxy', '400');
    expect([exitCode, lines.at(-1)]).toEqual([
      1,
      '✗ curl is not installed; the other scenarios need no other program: spawn curl ENOENT',
    ]);
  } finally {
    process.env.PATH = PATH;
  }
});

describe('the demo of a stream that breaks after its first words', () => {
  it.each([
    ['cut', /The connection broke/],
    ['stall', /The stream has sent nothing for \d+ ms/],
    ['truncated', /The stream ended before the answer was complete/],
  ] as const)('says what happened, and shows no short answer as a whole one: %s', async (scenario, reason) => {
    const { exitCode, lines } = await play(scenario, '20');
    expect(exitCode).toBe(1);
    expect(lines[0]).toMatch(/^You read along/);
    expect(lines.slice(1).join(' ')).toMatch(reason);
  });

  it('retries it if it is held until its end, and shows only the whole answer', async () => {
    const { exitCode, lines } = await play('hold', '20');
    expect(exitCode).toBe(0);
    expect(lines.join('\n')).not.toContain('You read along');
    expect(lines.at(-1)).toMatch(/^✓ answered after 2 retries: 2 × stream interrupted inside the answer/);
  });
});
