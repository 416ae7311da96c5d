import { describe, expect, it } from 'vitest';
import { chooseDisplay } from '../../../src/cli/display/choose-display.ts';
import { JsonDisplay, PlainDisplay } from '../../../src/cli/display/display.ts';
import { ScreenDisplay } from '../../../src/cli/display/screen-display.ts';
import { FakeInput, FakeOutput, fakeTerminal } from '../fake-terminal.ts';

const SHOWN = { json: false, colour: true };
const atTerminal = (environment: Record<string, string> = {}, isTTY = true) =>
  fakeTerminal({ input: new FakeInput({ isTTY }), errors: new FakeOutput({ isTTY: true }), environment });

describe('chooseDisplay', () => {
  it.each([
    ['a screen with keys at a terminal', atTerminal(), SHOWN, ScreenDisplay, true],
    ['a screen without keys where the input is a pipe', atTerminal({}, false), SHOWN, ScreenDisplay, false],
    ['lines at a terminal that cannot be repainted', atTerminal({ TERM: 'dumb' }), SHOWN, PlainDisplay, false],
    ['lines in a pipe', fakeTerminal(), SHOWN, PlainDisplay, false],
    ['events for a program, also at a terminal', atTerminal(), { json: true, colour: true }, JsonDisplay, false],
  ])('is %s', (_what, terminal, shown, kind, keys) => {
    const chosen = chooseDisplay(shown, terminal, terminal.errors);
    expect(chosen.display).toBeInstanceOf(kind);
    expect(chosen.keys).toBe(keys);
  });
});
