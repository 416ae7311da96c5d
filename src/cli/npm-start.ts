/**
 * `npm start`: runs the demo without a command, and a request if `--url` is given. It did so before there were
 * commands, and people rely on it.
 */

import { UsageError } from './arguments.ts';
import { REQUEST_OPTIONS } from './commands/request.ts';
import { GIVEN_UP, PERMANENT } from './exit-code.ts';

/** The arguments with the command that they imply at the front. @throws UsageError */
export function startArguments(argv: readonly string[]): readonly string[] {
  const [first] = argv;
  if (first !== undefined && !first.startsWith('-')) return argv;
  if (argv.some((argument) => /^--url(?:=|$)/.test(argument))) return ['request', ...argv];
  const forRequest = argv.find((argument) => REQUEST_OPTIONS.includes(argument.split('=', 1)[0] ?? ''));
  if (forRequest !== undefined) throw new UsageError(`${forRequest} needs a URL; add --url https://….`);
  return ['demo', ...argv];
}

/**
 * Commands that `npm start` had before `PERMANENT` existed keep `GIVEN_UP` as the only code for calls without an
 * answer.
 */
export function startExitCode([command]: readonly string[], exitCode: number): number {
  const isOld = command === 'demo' || command === 'request';
  return isOld && exitCode === PERMANENT ? GIVEN_UP : exitCode;
}
