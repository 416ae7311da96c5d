/** Reads the input of `classify`: standard input, a file, or a recording of the project by its file or its name. */

import { createReadStream } from 'node:fs';
import { recording } from '../../../mocks/look-up.ts';
import { type Answer, bytesOf } from '../../../mocks/recording.ts';
import type { RecordingName } from '../../../mocks/recordings.ts';
import { isObject, own, parseJson } from '../../runtime/values.ts';
import { UsageError } from '../command.ts';
import { type PastedResponse, readPasted } from './curl-output.ts';
import { codeOf, readBytes, type TerminalInput } from '../display/terminal.ts';

/** A longer response holds no more information for a classification. */
export const MOST_BYTES: number = 1024 * 1024;

export interface ClassifyInput {
  readonly response: PastedResponse;
  readonly cut: boolean;
}

/** Reads the response; `-` is standard input. @throws UsageError if there is nothing to read */
export async function readInput(name: string, input: TerminalInput): Promise<ClassifyInput> {
  try {
    const source = name === '-' ? input : createReadStream(name, { end: MOST_BYTES });
    const { bytes, isCut } = await readBytes(source, MOST_BYTES);
    return { response: responseIn(bytes), cut: isCut };
  } catch (error) {
    if (error instanceof UsageError) throw error;
    if (codeOf(error) === 'ENOENT') return { response: responseOf(recordedUnder(name)), cut: false };
    throw new UsageError(`Expected a file that can be read, got ${JSON.stringify(name)} (${codeOf(error)}).`);
  }
}

function responseIn(bytes: Uint8Array): PastedResponse {
  if (bytes.length === 0) throw new UsageError('There was nothing to read; give a response as curl -i prints it.');
  // The file of a recording has more than the answer.
  const answer = own(parseJson(new TextDecoder().decode(bytes)), 'response');
  return isAnswer(answer) ? responseOf(answer) : readPasted(bytes);
}

function responseOf(answer: Answer): PastedResponse {
  return { status: answer.status, headers: new Headers(answer.headers), body: bytesOf(answer) };
}

function isAnswer(value: unknown): value is Answer {
  if (!isObject(value) || !isObject(value.headers)) return false;
  const texts = [...Object.values(value.headers), value.body];
  return Number.isInteger(value.status) && texts.every((text) => typeof text === 'string');
}

/** The answer of a recording; the error suggests similar names. */
function recordedUnder(name: string): Answer {
  try {
    return recording(name as RecordingName).response;
  } catch (error) {
    const near = error instanceof RangeError ? /Did you mean .*$/.exec(error.message)?.[0] : undefined;
    const advice =
      near?.replace('Did you mean', 'Did you mean the recording') ??
      'No recording has this name either; docs/failures.md lists them.';
    throw new UsageError(`There is no file ${JSON.stringify(name)}. ${advice}`);
  }
}
