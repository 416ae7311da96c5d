/** Chooses a display for the output: JSON for a program, lines for a log, a screen for a person. */

import type { Shown } from '../arguments.ts';
import { type Display, JsonDisplay, PlainDisplay } from './display.ts';
import { ScreenDisplay } from './screen-display.ts';
import { isScreen, type Terminal, type TerminalOutput, wantsColour } from './terminal.ts';

/** `log` receives the waits; the answer goes to standard output, with `json` to standard error. */
export function chooseDisplay(
  { json, colour }: Shown,
  terminal: Terminal,
  log: TerminalOutput,
): { readonly display: Display; readonly keys: boolean } {
  const { input, output, errors, environment } = terminal;
  if (json) return { display: new JsonDisplay(output, errors), keys: false };
  if (!isScreen(log, environment)) return { display: new PlainDisplay(log, output), keys: false };
  // A person who presses keys must see their effect on a terminal.
  const keys = input.isTTY === true;
  const screen = {
    screen: log,
    answer: output,
    colour: wantsColour(log, environment, colour),
    keys,
    now: () => terminal.now(),
  };
  return { display: new ScreenDisplay(screen), keys };
}
