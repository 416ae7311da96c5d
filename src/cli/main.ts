#!/usr/bin/env node
/** The command `retry-transport`. Only connects the command line to this process. */

import { runCommandLine } from './command-line.ts';
import { terminalOf } from './display/terminal.ts';

const exitCode = await runCommandLine(process.argv.slice(2), terminalOf(process));
// The exit code is already set if standard output failed, which the command does not see.
process.exitCode ??= exitCode;
