import { stripVTControlCharacters } from 'node:util';
import { describe, expect, it } from 'vitest';
import { FakeInput, FakeOutput, run } from '../fake-terminal.ts';

const screenOf = (columns: number): FakeOutput => new FakeOutput({ isTTY: true, columns });

describe('demo', () => {
  it('plays the overload as plain lines if there is no terminal', async () => {
    const { exitCode, lines, output, errors } = await run('demo --speed 400');
    expect([exitCode, errors]).toEqual([0, '']);
    expect(lines.slice(0, 4)).toEqual([
      '⚠ overloaded (HTTP 429): retry 1 of 4 in 2ms',
      '⚠ overloaded (HTTP 502): retry 2 of 4 in 3ms',
      '⚠ connection error (ECONNRESET): retry 3 of 4 in 5ms',
      '⚠ overloaded (inside the answer): retry 4 of 4 in 7ms',
    ]);
    expect(lines[4]).toMatch(
      /^✓ succeeded after 5 attempts in [\d.]+m?s \(3 × overloaded, connection error, waited [\d.]+m?s\)$/,
    );
    expect(lines[5]).toBe('An overloaded server asks for one');
    expect(output).not.toMatch(/[^\P{Cc}\n]/u);
  });

  it.each([40, 80])('plays it on a terminal of %i columns, in colour', async (columns) => {
    const { exitCode, output } = await run('demo --speed 400', { output: screenOf(columns) });
    expect(exitCode).toBe(0);
    expect(output).toContain('\u001B[33m⚠ overloaded (HTTP 429)');
    expect(output).toContain('\u001B[32m✓ succeeded after 5 attempts in ');
    for (const line of stripVTControlCharacters(output).split(/[\r\n]/)) expect(line.length).toBeLessThan(columns);
  });

  it.each([
    ['--no-color', ' --no-color', {}],
    ['NO_COLOR', '', { NO_COLOR: '1' }],
  ])('shows no colour with %s', async (_name, words, environment) => {
    const { output } = await run(`demo --speed 400${words}`, { output: screenOf(80), environment });
    expect(output).not.toMatch(/\p{Cc}\[\d+m/u);
  });

  it.each([
    ['\u001B', 130, /✗ cancelled after 1 attempt/],
    ['g', 1, /overloaded \(HTTP 429\): failed after 1 attempt in .*, the wait was ended by hand/],
  ])('reads keys from a terminal: %j ends a wait of minutes', async (key, exitCode, words) => {
    const [output, input] = [screenOf(200), new FakeInput({ isTTY: true })];
    const running = run('demo --speed 0.001', { output, input });
    await output.until('13m 20s left, enter retries, esc cancels');
    input.press(key);
    expect((await running).exitCode).toBe(exitCode);
    expect(output.text).toMatch(words);
    expect(input).toMatchObject({ raw: false, reading: false });
  });
});
