/**
 * A recording: one exchange with a provider as data, with its source and its correct classification; and functions that
 * turn it into a `Response`. Needs no MSW.
 */

import type { FailureType } from '../src/failure/failure.ts';

/** A response as data. */
export interface Answer {
  /** From 200 to 599. */
  readonly status: number;
  /** The reason phrase; empty over HTTP/2, and for statuses that have none. @default '' */
  readonly statusText?: string | undefined;
  /** Names in lower case. */
  readonly headers: Readonly<Record<string, string>>;
  /** The body, byte for byte once encoded as UTF-8; base64 if `encoding` says so. */
  readonly body: string;
  /** Only for binary bodies, such as the event streams of AWS. */
  readonly encoding?: 'base64' | undefined;
}

/**
 * How close a recording is to the wire.
 *
 * - `verbatim`: as the source shows it
 * - `verbatim-body`: only the body is as the source shows it; the rest is what the provider documents
 * - `reserialised`: the same JSON with other white space or key order
 * - `composed`: a payload from one place in the envelope or framing of another
 * - `abridged`: the source had shortened it
 * - `redacted`: a secret was removed
 */
export type Fidelity = 'verbatim' | 'verbatim-body' | 'reserialised' | 'composed' | 'abridged' | 'redacted';

/** The correct classification of an answer. */
export interface Expected {
  readonly type: FailureType;
  /** Other correct types, if the answer is ambiguous. */
  readonly alsoAcceptable?: readonly FailureType[] | undefined;
  /** Whether the request may be retried without the caller noticing; false for a transient error after content. */
  readonly retryable: boolean;
  /** The wait that the server asks for, in milliseconds, also if no wait can help; null for none. */
  readonly retryAfterMs: number | null;
  /** The longer wait, if the answer names two. Any hint between the two is right. */
  readonly retryAfterAtMostMs?: number | undefined;
  /** `response`: a failed status. The other two: inside a body that began as a success. */
  readonly phase: 'response' | 'before-content' | 'after-content';
  /** A detail that is easily misread. */
  readonly note?: string | undefined;
}

/** One exchange with a provider. Its name is the name of its file: `<provider>-<status or "stream">-<case>`. */
export interface Recording {
  /** The server that answered, in lower case: `anthropic`, `openai`, `cloudflare`, … */
  readonly provider: string;
  /** Where and when the failure was seen, so that it can be checked. */
  readonly source: string;
  readonly fidelity: Fidelity;
  readonly request: { readonly method: string; readonly url: string };
  readonly response: Answer & { readonly statusText: string };
  readonly expected: Expected;
}

/** Statuses that must not have a body. */
const WITHOUT_BODY = [204, 205, 304];

/** `Uint8Array<ArrayBuffer>`, which TypeScript before 5.7 writes `Uint8Array`. */
type Bytes = ReturnType<InstanceType<typeof TextEncoder>['encode']>;

/** The bytes of an answer's body. */
export function bytesOf(answer: Answer | Recording): Bytes {
  const { body, encoding } = answerOf(answer);
  return encoding === 'base64'
    ? Uint8Array.from(atob(body), (byte) => byte.charCodeAt(0))
    : new TextEncoder().encode(body);
}

/** A new `Response` with the status, headers and body of the answer. Its `url` is empty. */
export function responseOf(answer: Answer | Recording): Response {
  const { status, statusText = '', headers } = answerOf(answer);
  return new Response(WITHOUT_BODY.includes(status) ? null : bytesOf(answer), { status, statusText, headers });
}

/** The answer of a recording; returns an answer unchanged. */
export function answerOf(answer: Answer | Recording): Answer {
  return 'response' in answer ? answer.response : answer;
}
