/**
 * What a recording is: one exchange with a provider as data, with its source and with what a correct reading of it is;
 * and how it becomes a `Response`. Nothing here needs MSW: tests that want data alone take it from here and from
 * `recordings.ts`.
 */

import type { FailureType } from '../src/failure/failure.ts';

/** A response as data. */
export interface Answer {
  /** From 200 to 599. */
  readonly status: number;
  /** The reason phrase; empty over HTTP/2, and for statuses that have none. */
  readonly statusText: string;
  /** Names in lower case. */
  readonly headers: Readonly<Record<string, string>>;
  /** The body, byte for byte once encoded as UTF-8; base64 where `encoding` says so. */
  readonly body: string;
  /** Only for bodies that are no text, such as the binary event streams of AWS. */
  readonly encoding?: 'base64' | undefined;
}

/**
 * How close a recording is to the wire.
 *
 * - `verbatim`: as the source shows it
 * - `verbatim-body`: only the body is; the rest is what the provider documents
 * - `reserialised`: the same JSON with other white space or key order
 * - `composed`: a payload from one place in the envelope or framing of another
 * - `abridged`: shortened by whoever published it
 * - `redacted`: a secret was taken out
 */
export type Fidelity = 'verbatim' | 'verbatim-body' | 'reserialised' | 'composed' | 'abridged' | 'redacted';

/** What a correct reading of the answer is. */
export interface Expected {
  readonly type: FailureType;
  /** Other types that can be defended, where the answer is ambiguous. */
  readonly alsoAcceptable?: readonly FailureType[] | undefined;
  /** May this very answer be replayed, unseen by the caller? So it is false for a transient error after content. */
  readonly retryable: boolean;
  /** The wait that the server asks for, in milliseconds; null for none. Recorded also where no wait can help. */
  readonly retryAfterMs: number | null;
  /** Where the answer names two waits: the longer one. Any hint from `retryAfterMs` to it is right. */
  readonly retryAfterAtMostMs?: number | undefined;
  /** `response`: the status says it. The other two: inside a body that began as a success. */
  readonly phase: 'response' | 'before-content' | 'after-content';
  /** What is easily misread here. */
  readonly note?: string | undefined;
}

/** One exchange with a provider. Its name is the name of its file: `<provider>-<status or "stream">-<case>`. */
export interface Recording {
  /** Who answered, in lower case: `anthropic`, `openai`, `cloudflare`, … */
  readonly provider: string;
  /** Where and when it was seen, so that a reader can check it. */
  readonly source: string;
  readonly fidelity: Fidelity;
  readonly request: { readonly method: string; readonly url: string };
  readonly response: Answer;
  readonly expected: Expected;
}

/** Statuses that must not have a body. */
const WITHOUT_BODY = [204, 205, 304];

/** `Uint8Array<ArrayBuffer>`, which TypeScript before 5.7 writes `Uint8Array`. */
type Bytes = ReturnType<TextEncoder['encode']>;

/** The bytes of an answer's body. */
export function bytesOf(answer: Answer | Recording): Bytes {
  const { body, encoding } = answerOf(answer);
  return encoding === 'base64'
    ? Uint8Array.from(atob(body), (byte) => byte.charCodeAt(0))
    : new TextEncoder().encode(body);
}

/** A fresh `Response` with the status, headers and body of the answer. Its `url` is empty, as of every made response. */
export function responseOf(answer: Answer | Recording): Response {
  const { status, statusText, headers } = answerOf(answer);
  return new Response(WITHOUT_BODY.includes(status) ? null : bytesOf(answer), { status, statusText, headers });
}

/** The answer of a recording; an answer is its own. */
export function answerOf(answer: Answer | Recording): Answer {
  return 'response' in answer ? answer.response : answer;
}
