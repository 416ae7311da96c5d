/** Reads the input of `classify`: standard input, a file, or a recording of the project by its file or its name. */

import { createReadStream } from 'node:fs';
import { recording } from '../../../mocks/look-up.ts';
import { type Answer, bytesOf } from '../../../mocks/recording.ts';
import { recordings } from '../../../mocks/recordings.ts';
import { UsageError } from '../arguments.ts';
import { type PastedResponse, readPasted } from './curl-output.ts';
import type { TerminalInput } from '../display/terminal.ts';

/** A longer response holds no more information for a classification. */
export const MOST_BYTES: number = 1024 * 1024;

export interface ClassifyInput {
  readonly response: PastedResponse;
  /** Whether the input was longer than what was read. */
  readonly cut: boolean;
}

/** Reads the response; `-` is standard input. @throws UsageError if there is nothing to read */
export async function readInput(name: string, input: TerminalInput): Promise<ClassifyInput> {
  if (name === '-') return inputOf(await readBounded(input));
  const bytes = await readFile(name);
  if (bytes !== null) return inputOf(bytes);
  return { response: responseOf(recordings[named(name)].response), cut: false };
}

interface Bounded {
  readonly bytes: Uint8Array;
  readonly cut: boolean;
}

async function readBounded(source: AsyncIterable<Uint8Array | string>): Promise<Bounded> {
  const pieces: Uint8Array[] = [];
  let length = 0;
  for await (const piece of source) {
    const bytes = typeof piece === 'string' ? new TextEncoder().encode(piece) : piece;
    pieces.push(bytes);
    length += bytes.length;
    if (length > MOST_BYTES) break;
  }
  return { bytes: Buffer.concat(pieces).subarray(0, MOST_BYTES), cut: length > MOST_BYTES };
}

/** null if the file does not exist. */
async function readFile(path: string): Promise<Bounded | null> {
  try {
    return await readBounded(createReadStream(path, { end: MOST_BYTES }));
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? String(error.code) : 'unreadable';
    if (code === 'ENOENT') return null;
    throw new UsageError(`Expected a file that can be read, got ${JSON.stringify(path)} (${code}).`);
  }
}

function inputOf({ bytes, cut }: Bounded): ClassifyInput {
  if (bytes.length === 0) throw new UsageError('There was nothing to read; give a response as curl -i prints it.');
  const answer = recordedAnswer(bytes);
  return { response: answer === null ? readPasted(bytes) : responseOf(answer), cut };
}

function responseOf(answer: Answer): PastedResponse {
  return { status: answer.status, headers: new Headers(answer.headers), body: bytesOf(answer) };
}

/** The response in the file of a recording; null for any other text. */
function recordedAnswer(bytes: Uint8Array): Answer | null {
  try {
    const value: unknown = JSON.parse(new TextDecoder().decode(bytes));
    const answer = isRecord(value) ? value['response'] : undefined;
    return isAnswer(answer) ? answer : null;
  } catch {
    return null;
  }
}

function isAnswer(value: unknown): value is Answer {
  if (!isRecord(value)) return false;
  const { status, headers, body, encoding } = value;
  return (
    Number.isInteger(status) &&
    isRecord(headers) &&
    Object.values(headers).every((header) => typeof header === 'string') &&
    typeof body === 'string' &&
    (encoding === undefined || encoding === 'base64')
  );
}

const isRecord = (value: unknown): value is Record<string, unknown> => typeof value === 'object' && value !== null;

type RecordingName = keyof typeof recordings;

function named(name: string): RecordingName {
  const known = Object.keys(recordings).find((key): key is RecordingName => key === name);
  if (known !== undefined) return known;
  throw new UsageError(`There is no file ${JSON.stringify(name)}. ${adviceOn(name)}`);
}

/** Suggests recordings with similar names, from the error of the look-up. */
function adviceOn(name: string): string {
  try {
    recording(name as RecordingName);
  } catch (error) {
    const near = error instanceof RangeError ? /Did you mean .*$/.exec(error.message) : null;
    if (near !== null) return near[0].replace('Did you mean', 'Did you mean the recording');
  }
  return 'No recording has this name either; docs/failures.md lists them.';
}
