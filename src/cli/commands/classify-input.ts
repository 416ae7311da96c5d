/**
 * Reads the input of `classify`: standard input, a file, or a recording of the project by its file or its name. Text is
 * read as `curl -i` prints a response: a status line, headers, a blank line, the body; or as `curl -v` does, which marks
 * the lines of the response with `<` and prints notes around them. Responses before the last one (`100 Continue`,
 * redirects, a proxy's `200 Connection established`) are skipped. Lines end in CRLF or LF.
 */

import { createReadStream } from 'node:fs';
import { recording } from '../../../mocks/look-up.ts';
import { type Answer, bytesOf } from '../../../mocks/recording.ts';
import type { RecordingName } from '../../../mocks/recordings.ts';
import { isObject, own, parseJson } from '../../runtime/values.ts';
import { UsageError } from '../command.ts';
import { codeOf, readBytes, type TerminalInput } from '../display/terminal.ts';

export interface PastedResponse {
  /** undefined: the text is only a body. */
  readonly status: number | undefined;
  readonly headers: Headers;
  readonly body: Uint8Array;
}

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

/** A status line, headers, and the blank line after them, which may not have been pasted. */
const HEAD =
  /HTTP\/\d(?:\.\d)? ([1-9]\d\d)(?:[ \t\r][^\n]*)?(?:\n|$)((?:[!#$%&'*+.^_`|~0-9A-Za-z-]+:[^\n]*(?:\n|$))*)(?:\r?\n)?/y;

/** The mark that `curl -v` puts before each line of the response. */
const MARK = /^<(?: |\r?$)/;
const MARKED_STATUS_LINE = /^< HTTP\/\d/m;
/**
 * The notes of `curl -v` around a body: bytes transferred, progress, the connection. The body may end without a line
 * break.
 */
const REMARK =
  /^[{}] \[\d+ bytes data\]\s*$|^[\s\S]*--:--:--[\s\S]*$|\* (?:Connection #\d+ to host|Closing connection|shutting down connection)[\s\S]*$/;

/** Reads pasted text. Never refuses it: text that does not begin with a status line is a body. */
export function readPasted(bytes: Uint8Array): PastedResponse {
  // One character per byte, so that positions in the text are positions in the bytes.
  const text = Buffer.from(bytes).toString('latin1');
  // Skips a byte order mark and the blank lines that pasting adds.
  HEAD.lastIndex = /^(?:ï»¿)?\s*/.exec(text)?.[0].length ?? 0;
  let head = HEAD.exec(text);
  if (head === null && MARKED_STATUS_LINE.test(text))
    return readPasted(new Uint8Array(Buffer.from(withoutMarks(text), 'latin1')));
  let last: PastedResponse = { status: undefined, headers: new Headers(), body: bytes };
  for (; head !== null; head = HEAD.exec(text)) {
    const [, status, lines = ''] = head;
    last = { status: Number(status), headers: headersIn(lines), body: bytes.subarray(HEAD.lastIndex) };
  }
  return last;
}

function headersIn(lines: string): Headers {
  const headers = new Headers();
  for (const line of lines.split('\n')) {
    const colon = line.indexOf(':');
    try {
      if (colon > 0) headers.append(line.slice(0, colon), line.slice(colon + 1).trim());
    } catch {
      // An invalid value cannot matter for a classification: fetch would have refused the whole response.
    }
  }
  return headers;
}

/** Turns verbose output into plain output: the marked lines without their marks, then the text after the last one. */
function withoutMarks(text: string): string {
  const lines = text.split('\n');
  const last = lines.findLastIndex((line) => MARK.test(line));
  const head = lines.slice(0, last + 1).flatMap((line) => (MARK.test(line) ? [line.replace(/^< ?|\r+$/g, '')] : []));
  const body = lines.slice(last + 1).flatMap((line) => {
    const said = line.replace(REMARK, '');
    return said === '' && line !== '' ? [] : [said];
  });
  return `${head.join('\n')}\n${body.join('\n')}`;
}
