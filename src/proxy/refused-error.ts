/**
 * What the proxy does not do, as an error: whoever finds a reason throws one, and the client reads it as one line of JSON.
 * Its shape is read as an error by the SDKs of OpenAI and Anthropic alike.
 */

/** Why, in one word for a program. */
export type RefusalCode =
  | 'bad_request'
  | 'bad_path'
  | 'body_too_large'
  | 'body_not_allowed'
  | 'expectation_failed'
  | 'foreign_host'
  | 'foreign_page'
  | 'head_too_large'
  | 'method_not_allowed'
  | 'request_timeout'
  | 'stopped'
  | 'transfer_encoding'
  | 'upgrade';

/** A request that is not sent on. The message names the remedy and nothing that the request said. */
export class RefusedError extends Error {
  override readonly name = 'RefusedError';
  readonly status: number;
  readonly code: RefusalCode;

  constructor(status: number, code: RefusalCode, message: string) {
    super(message);
    this.status = status;
    this.code = code;
  }
}
