/**
 * The error for a request that the proxy refuses or ends itself; the client gets it as one line of JSON. The SDKs of
 * OpenAI and Anthropic both read that JSON as an error.
 */

export type RefusalCode =
  | 'bad_request'
  | 'bad_path'
  | 'body_too_large'
  | 'body_not_allowed'
  | 'busy'
  | 'foreign_host'
  | 'foreign_page'
  | 'head_too_large'
  | 'method_not_allowed'
  | 'request_timeout'
  | 'signed_host'
  | 'stopped'
  | 'transfer_encoding'
  | 'upgrade';

/** The message says what to do and repeats nothing of the request. */
export class RefusedError extends Error {
  override readonly name = 'RefusedError';
  readonly status: number;
  readonly code: RefusalCode;
  readonly headers: Readonly<Record<string, string>>;

  constructor(status: number, code: RefusalCode, message: string, headers: Readonly<Record<string, string>> = {}) {
    super(message);
    this.status = status;
    this.code = code;
    this.headers = headers;
  }
}

/** The proxy has no room now, but may have some a second later. */
export function busy(message: string): RefusedError {
  return new RefusedError(503, 'busy', message, { 'retry-after': '1' });
}
