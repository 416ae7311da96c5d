/**
 * A response as `curl -i` prints it: a status line, headers, a blank line, the body; or as `curl -v` does, which marks the
 * lines of the response with `<` and tells more around them. What came before the final response (`100 Continue`,
 * redirects, a proxy's `200 Connection established`) is passed over. Lines end in CRLF or LF.
 */

/** A response that was read from text. */
export interface PastedResponse {
  /** Undefined: the text is a body alone. */
  readonly status: number | undefined;
  readonly headers: Headers;
  readonly body: Uint8Array;
}

const STATUS_LINE = /^HTTP\/\d(?:\.\d)? ([1-9]\d\d)(?: .*)?$/;
const HEADER = /^([!#$%&'*+.^_`|~0-9A-Za-z-]+):(.*)$/;

/** What `curl -v` puts before each line of the response. */
const MARK = /^<(?: |\r?$)/;
const MARKED_STATUS_LINE = /^< HTTP\/\d/m;
/** What it says around a body, whose last line seldom ends: the bytes of a transfer, its progress, what became of the connection. */
const REMARK =
  /^[{}] \[\d+ bytes data\]\s*$|^[\s\S]*--:--:--[\s\S]*$|\* (?:Connection #\d+ to host|Closing connection|shutting down connection)[\s\S]*$/;

/** Reads what was pasted. Never refuses: what does not begin with a status line is a body. */
export function readPasted(bytes: Uint8Array): PastedResponse {
  // One character for each byte, so that places in the text are places in the bytes.
  const text = Buffer.from(bytes).toString('latin1');
  const found = lastHeadOf(text);
  if (found.status === undefined && MARKED_STATUS_LINE.test(text)) {
    return readPasted(new Uint8Array(Buffer.from(withoutMarks(text), 'latin1')));
  }
  return { status: found.status, headers: found.headers, body: bytes.subarray(found.end) };
}

/** Verbose output as plain output: the marked lines without their marks, then what came after the last of them. */
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
  // A byte order mark, and the blank lines that pasting leaves behind.
  const start = /^(?:ï»¿)?\s*/.exec(text)?.[0].length ?? 0;
  let found: Head = { status: undefined, headers: new Headers(), end: 0 };
  for (let next = headAt(text, start); next !== null; next = headAt(text, next.end)) found = next;
  return found;
}

interface Head {
  readonly status: number | undefined;
  readonly headers: Headers;
  /** Where the body begins, or the next head. */
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
    // No header and no blank line: the blank line was not pasted.
    if (header === null) return { status: Number(status), headers, end };
    append(headers, header[1] ?? '', header[2] ?? '');
  }
}

function lineAt(text: string, start: number): { readonly text: string; readonly end: number } {
  const newline = text.indexOf('\n', start);
  const end = newline === -1 ? text.length : newline + 1;
  return { text: text.slice(start, end).replace(/\r?\n$/, ''), end };
}

/** A value that no header can have is left out, as fetch would have left out the response. */
function append(headers: Headers, name: string, value: string): void {
  try {
    headers.append(name, value.trim());
  } catch {
    // Nothing is lost that a classification could use.
  }
}
