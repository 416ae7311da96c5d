/**
 * `npm start`: the demonstration where no command is named, and a request where a URL is. So it was before there were
 * commands, and people have it in their notes.
 */

import { UsageError } from './arguments.ts';
import { REQUEST_OPTIONS } from './commands/request.ts';
import { GIVEN_UP, PERMANENT } from './exit-code.ts';

/** The arguments of `npm start` with the command that they mean in front. @throws UsageError */
export function startArguments(argv: readonly string[]): readonly string[] {
  const [first] = argv;
  if (first !== undefined && !first.startsWith('-')) return argv;
  if (argv.some((argument) => /^--url(?:=|$)/.test(argument))) return ['request', ...argv];
  const forRequest = argv.find((argument) => REQUEST_OPTIONS.includes(argument.split('=', 1)[0] ?? ''));
  if (forRequest !== undefined) throw new UsageError(`${forRequest} needs to know where to; add --url https://….`);
  return ['demo', ...argv];
}

/** The exit code as `npm start` promised it: what it had before has one code for everything that was given up. */
export function startExitCode([command]: readonly string[], exitCode: number): number {
  const isOld = command === 'demo' || command === 'request';
  return isOld && exitCode === PERMANENT ? GIVEN_UP : exitCode;
}
