/**
 * Reads a response as `curl -i` prints it: a status line, headers, a blank line, the body. Also reads `curl -v`, which
 * marks the lines of the response with `<` and prints notes around them. Responses before the last one (`100 Continue`,
 * redirects, a proxy's `200 Connection established`) are skipped. Lines end in CRLF or LF.
 */

export interface PastedResponse {
  /** undefined: the text is only a body. */
  readonly status: number | undefined;
  readonly headers: Headers;
  readonly body: Uint8Array;
}

const STATUS_LINE = /^HTTP\/\d(?:\.\d)? ([1-9]\d\d)(?: .*)?$/;
const HEADER = /^([!#$%&'*+.^_`|~0-9A-Za-z-]+):(.*)$/;

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
  const found = lastHeadOf(text);
  if (found.status === undefined && MARKED_STATUS_LINE.test(text)) {
    return readPasted(new Uint8Array(Buffer.from(withoutMarks(text), 'latin1')));
  }
  return { status: found.status, headers: found.headers, body: bytes.subarray(found.end) };
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

function lastHeadOf(text: string): Head {
  // Skips a byte order mark and the blank lines that pasting adds.
  const start = /^(?:ï»¿)?\s*/.exec(text)?.[0].length ?? 0;
  let found: Head = { status: undefined, headers: new Headers(), end: 0 };
  for (let next = headAt(text, start); next !== null; next = headAt(text, next.end)) found = next;
  return found;
}

interface Head {
  readonly status: number | undefined;
  readonly headers: Headers;
  /** Where the body or the next status line begins. */
  readonly end: number;
}

function headAt(text: string, start: number): Head | null {
  let line = lineAt(text, start);
  const status = STATUS_LINE.exec(line.text.trimEnd())?.[1];
  if (status === undefined) return null;
  const headers = new Headers();
  for (;;) {
    const { end } = line;
    if (end >= text.length) return { status: Number(status), headers, end };
    line = lineAt(text, end);
    if (line.text === '') return { status: Number(status), headers, end: line.end };
    const header = HEADER.exec(line.text);
    // No header and no blank line follow: the blank line was not pasted.
    if (header === null) return { status: Number(status), headers, end };
    append(headers, header[1] ?? '', header[2] ?? '');
  }
}

function lineAt(text: string, start: number): { readonly text: string; readonly end: number } {
  const newline = text.indexOf('\n', start);
  const end = newline === -1 ? text.length : newline + 1;
  return { text: text.slice(start, end).replace(/\r?\n$/, ''), end };
}

/** Leaves out a value that is invalid in a header. */
function append(headers: Headers, name: string, value: string): void {
  try {
    headers.append(name, value.trim());
  } catch {
    // Such a value cannot matter for a classification: fetch would have refused the whole response.
  }
}
