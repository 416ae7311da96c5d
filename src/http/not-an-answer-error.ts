/** The error of a page of HTML in place of an answer. */

import type { Failure } from '../failure/failure.ts';

/** Thrown by the body of a response that is a page of HTML in place of a model's answer. */
export class NotAnAnswerError extends Error {
  override readonly name = 'NotAnAnswerError';
  /** The classification: by default `provider_unavailable`. */
  readonly failure: Failure;

  constructor(failure: Failure) {
    const { message, action } = failure;
    super(action === undefined ? message : `${message}. ${action}`);
    this.failure = failure;
  }
}
