/** From arguments to an exit code: picks the command and the display that fits where its output goes. */

import { type Command, parseCommand, type Shown, UsageError } from './arguments.ts';
import { playDemo } from './demo.ts';
import { type Display, JsonDisplay, PlainDisplay } from './display.ts';
import { ANSWERED, BAD_ARGUMENTS } from './exit-code.ts';
import { HELP } from './help.ts';
import { readData, sendRequest } from './request.ts';
import { ScreenDisplay } from './screen-display.ts';
import { runSession } from './session.ts';
import { isScreen, type Terminal, type TerminalOutput, wantsColour } from './terminal.ts';

/** Runs the command that the arguments name. Never rejects for what a user can get wrong. */
export async function runCommandLine(argv: readonly string[], terminal: Terminal): Promise<number> {
  try {
    return await run(parseCommand(argv), terminal);
  } catch (error) {
    if (!(error instanceof UsageError)) throw error;
    terminal.errors.write(`${error.message} See --help.\n`);
    return BAD_ARGUMENTS;
  }
}

async function run(command: Command, terminal: Terminal): Promise<number> {
  if (command.name === 'help') {
    terminal.output.write(HELP);
    return ANSWERED;
  }
  if (command.name === 'demo') {
    const { display, keys } = chooseDisplay(command, terminal, terminal.output);
    return runSession(terminal, display, { keys }, (context) => playDemo(command.scenario, command.speed, context));
  }
  const body = await readData(command.data, terminal.input);
  // As with any program in a pipe, standard output is for the answer alone.
  const { display, keys } = chooseDisplay(command, terminal, terminal.errors);
  return runSession(terminal, display, { keys }, (context) => sendRequest(command, body, context));
}

function chooseDisplay(
  { json, colour }: Shown,
  terminal: Terminal,
  log: TerminalOutput,
): { readonly display: Display; readonly keys: boolean } {
  const { input, output, errors, environment } = terminal;
  if (json) return { display: new JsonDisplay(output, errors), keys: false };
  if (!isScreen(log, environment)) return { display: new PlainDisplay(log, output), keys: false };
  // Keys that are taken from a terminal have to be shown on one.
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
