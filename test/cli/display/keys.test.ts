import { describe, expect, it } from 'vitest';
import { type Key, keysIn, listenForKeys } from '../../../src/cli/display/keys.ts';
import { FakeInput } from '../fake-terminal.ts';

describe('keysIn', () => {
  it.each([
    ['\r', ['enter']],
    ['\n', ['enter']],
    ['\u001B', ['escape']],
    ['\u001B\u001B', ['escape', 'escape']],
    ['g', ['give-up']],
    ['G\r', ['give-up', 'enter']],
    ['\u0003', ['interrupt']],
    ['x', []],
    ['\u001B[A', []],
    ['\u001B[1;5C\r', ['enter']],
    ['\u001BOP', []],
    ['\u001Bg', []],
  ])('reads %j as %j', (chunk, keys) => {
    expect(keysIn(chunk)).toEqual(keys);
  });
});

describe('listenForKeys', () => {
  it('switches the terminal to raw mode, and restores it', () => {
    const input = new FakeInput({ isTTY: true });
    const keys: Key[] = [];
    const stop = listenForKeys(input, (key) => keys.push(key));
    expect(input).toMatchObject({ raw: true, reading: true });
    input.press('\r');
    input.emit('data', 'g');
    stop();
    input.press('\r');
    expect(keys).toEqual(['enter', 'give-up']);
    expect(input).toMatchObject({ raw: false, reading: false });
  });

  it('does not touch an input that is not a terminal', () => {
    const input = new FakeInput();
    listenForKeys(input, () => {})();
    expect(input).toMatchObject({ raw: false, reading: false });
    expect(input.listenerCount('data')).toBe(0);
  });
});
