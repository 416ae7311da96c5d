#!/usr/bin/env node
/** The command `retry-transport`. Binds the command line to this process, and nothing more. */

import { runCommandLine } from './command-line.ts';
import { terminalOf } from './display/terminal.ts';

const exitCode = await runCommandLine(process.argv.slice(2), terminalOf(process));
// It is set where standard output failed, of which the command does not know.
process.exitCode ??= exitCode;
