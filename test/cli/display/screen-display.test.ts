import { stripVTControlCharacters } from 'node:util';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { ScreenDisplay } from '../../../src/cli/display/screen-display.ts';
import { FakeOutput } from '../fake-terminal.ts';
import { cancelledEvent, fallbackEvent, recoveredEvent, retryEvent, START } from '../samples.ts';

const signal = new AbortController().signal;

beforeEach(() => {
  vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval', 'Date'], now: START });
});
afterEach(() => {
  vi.useRealTimers();
});

function screenOf({
  columns = 200,
  answer,
}: { readonly columns?: number | undefined; readonly answer?: FakeOutput } = {}) {
  const screen = new FakeOutput({ isTTY: true, columns });
  const options = { screen, answer: answer ?? screen, colour: false, keys: true, now: () => Date.now() };
  const display = new ScreenDisplay(options);
  /** Everything that was ever shown, one state of the screen after the other. */
  const shown = () =>
    screen.text
      .split('\r')
      .map((state) => stripVTControlCharacters(state).trim())
      .filter((state) => state !== '');
  return { screen, display, shown };
}

describe('ScreenDisplay', () => {
  it('reads a terminal without a size as one of 80 columns', () => {
    const { display, shown } = screenOf({ columns: 0 });
    display.show(retryEvent({ delayMs: 3_000 }));
    const longest = Math.max(...shown().flatMap((state) => state.split('\n').map((line) => line.length)));
    expect(longest).toBeGreaterThan(40);
  });

  it('counts a wait down in place, and leaves one line of it', () => {
    const { display, shown } = screenOf();
    display.show(retryEvent({ delayMs: 3_000 }));
    vi.advanceTimersByTime(3_500);
    display.show(recoveredEvent());
    display.end({ how: 'answered', event: recoveredEvent() });
    const states = shown();
    expect(states.map((state) => /retrying (in \d+s|now)/.exec(state)?.[1]).filter(Boolean)).toEqual([
      'in 3s',
      'in 2s',
      'in 1s',
      'now',
    ]);
    expect(states.at(-1)?.split('\n')).toEqual([
      '⚠ Service overloaded (HTTP 429) — waited 3s',
      '✓ answered after 3 retries: 429 overloaded, 502 overloaded, connection reset — waited 1.2s',
    ]);
    expect(vi.getTimerCount()).toBe(0);
  });

  it('shows a wait that a person ended, with its real length', () => {
    const { display, shown } = screenOf();
    display.show(retryEvent({ delayMs: 10_000 }));
    vi.advanceTimersByTime(1_500);
    display.hurry();
    vi.advanceTimersByTime(700);
    expect(shown().at(-1)).toBe('⚠ Service overloaded (HTTP 429) — retrying now… retry 1 of 3, esc to cancel');
    display.show(retryEvent({ attempt: 2, delayMs: 1_000, nextAttemptAt: Date.now() + 1_000, at: Date.now() }));
    expect(shown().at(-1)?.split('\n')).toEqual([
      '⚠ Service overloaded (HTTP 429) — waited 1.5s',
      '⚠ Service overloaded (HTTP 429) — retrying in 1s… retry 2 of 3, esc to cancel, enter to retry now',
    ]);
    display.close();
  });

  it('does nothing on hurry if nothing waits', () => {
    const { display, screen } = screenOf();
    display.hurry();
    expect(screen.text).toBe('');
  });

  it('ends a wait that was cancelled', () => {
    const { display, shown } = screenOf();
    display.show(retryEvent());
    vi.advanceTimersByTime(400);
    display.show(cancelledEvent(1));
    display.end({ how: 'cancelled', event: cancelledEvent(1) });
    expect(shown().at(-1)?.split('\n')).toEqual([
      '⚠ Service overloaded (HTTP 429) — waited 400ms',
      '✗ cancelled after 1 attempt',
    ]);
  });

  it('shows a fallback as a line that stays', () => {
    const { display, screen } = screenOf();
    display.show(fallbackEvent());
    expect(screen.text).toBe('⚠ Service overloaded (HTTP 429) — falling back from sonnet to haiku\n');
  });

  it('ends the wait before the answer begins, and the line before the end', async () => {
    const { display, shown } = screenOf();
    display.show(retryEvent({ delayMs: 1_000 }));
    vi.advanceTimersByTime(1_000);
    await display.answer(new TextEncoder().encode('the answer'), signal);
    display.end({ how: 'answered', event: undefined });
    expect(shown().at(-1)).toBe('⚠ Service overloaded (HTTP 429) — waited 1s\nthe answer');
  });

  it('removes control sequences from an answer, and splits no character', async () => {
    const { display, screen } = screenOf();
    const bytes = new TextEncoder().encode('ü\u001B[2J\r\n');
    for (const byte of bytes) await display.answer(Uint8Array.of(byte), signal);
    await display.answer('\u001Btext', signal);
    expect(screen.text).toBe('ü[2J\ntext');
  });

  it('passes an answer to a file on byte for byte', async () => {
    const file = new FakeOutput();
    const { display, screen } = screenOf({ answer: file });
    const bytes = Uint8Array.of(0, 27, 255, 13);
    await display.answer(bytes, signal);
    display.end({ how: 'answered', event: undefined });
    expect(file.bytes).toEqual(Buffer.from(bytes));
    expect(screen.text).toBe('');
  });

  it.each([
    [10, 20],
    [40, 39],
    [undefined, 79],
  ])('leaves the last of %s columns free, and uses at least 20', (columns, longest) => {
    const { display, screen } = screenOf();
    screen.columns = columns;
    display.show(retryEvent({ delayMs: 3_000 }));
    const widths = stripVTControlCharacters(screen.text)
      .split('\n')
      .map((line) => line.length);
    expect(Math.max(...widths)).toBeLessThanOrEqual(longest);
    display.close();
  });

  it('restores the terminal during a wait', () => {
    const { display, screen } = screenOf();
    display.show(retryEvent());
    display.close();
    expect(screen.text.endsWith('\n\u001B[?25h')).toBe(true);
    expect(vi.getTimerCount()).toBe(0);
  });
});
