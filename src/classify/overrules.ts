/**
 * Which kinds of sentence may overrule which statuses and names. A status or a name is chosen for a whole class of failures;
 * a sentence of one of these kinds says more. Everywhere else the status and the name decide, so that a row of words need not
 * be right for every status.
 */

import { type FailureType, TOO_MANY_BYTES } from '../failure/failure.ts';
import type { Evidence, Reading } from './family.ts';

/** One kind of sentence. */
interface Overrule {
  /** In the form of `normalise`. */
  readonly says: RegExp;
  /** The statuses that it may overrule; 0: a text or an error inside a success without a status. */
  readonly statuses: readonly number[];
  /** What it may overrule besides a status alone: the types that names and other words gave. */
  readonly types: readonly FailureType[];
  readonly reading: (waitMs: number) => Reading;
}

const LOG_IN = 'Log in again: the login has ended, or there is none.';

/** A clock that is wrong, or a request that waited too long after it was signed. */
const CLOCK = /signature(?:has)?expired|signaturenotyetcurrent|timetooskewed|clockskew/;

function temporary(waitMs: number): Reading {
  return { type: waitMs > 0 ? 'rate_limit' : 'server_error', retryable: true };
}

const OVERRULES: readonly Overrule[] = [
  // Bytes, not tokens: the same request is as large the next time, whatever the name of the limit.
  {
    says: /largerthan(?:max|\d{4})|(?:payload|entity|body)(?:is)?toolarge|(?:body|payload|message|request)sizeexceed|exceeds?(?:the)?max(?:imum)?(?:allowed)?(?:request|payload|body|message)?size/,
    statuses: [0, 413, 429, 500],
    types: ['rate_limit', 'quota_exhausted', 'context_too_long'],
    reading: () => ({ type: 'context_too_long', retryable: false, action: TOO_MANY_BYTES }),
  },
  // A login that has ended: only a person can help.
  {
    says: /pleaserun\/?login|awsssologin|(?:session|refreshtoken|login)[a-z]{0,40}expired|tokencouldnotberefreshed|(?:log|sign)inagain|notloggedin|invalidgrant|oauth(?:access)?token(?:has|was|is)?(?:been)?(?:revoked|expired)|couldnotload(?:the)?(?:default)?credentials/,
    statuses: [0, 400, 401, 403],
    types: ['auth_invalid', 'invalid_request', 'permission_denied', 'unknown'],
    reading: () => ({ type: 'auth_invalid', action: LOG_IN }),
  },
  {
    says: CLOCK,
    statuses: [0, 400, 401, 403],
    types: ['auth_invalid', 'invalid_request', 'permission_denied'],
    reading: () => ({ type: 'auth_invalid', action: 'Correct the clock of this machine.' }),
  },
  // A refusal that the server itself calls temporary.
  {
    says: /(?:tryagain|retry)(?:(?:in|after)[a-z]{0,10}\d|later|shortly|inafew)/,
    statuses: [400, 409, 422, 423, 424, 425],
    types: ['invalid_request', 'server_error'],
    reading: temporary,
  },
  // A state that passes.
  {
    says: /beingprovisioned|while(?:a)?run[a-z\d]{0,40}isactive|alreadyhasanactiverun|another(?:request|generation|response|run|message)is(?:already|still)?(?:inprogress|running|active)|notinanactivestate/,
    statuses: [0, 400, 409, 422, 423, 424, 425],
    types: ['invalid_request', 'server_error', 'unknown'],
    reading: (waitMs) => ({ type: waitMs > 0 ? 'rate_limit' : 'overloaded', retryable: true }),
  },
  // A lock or another call: a plain "please retry" says as much.
  {
    says: /please(?:retry|tryagain)(?!with)/,
    statuses: [409, 423, 425],
    types: ['invalid_request', 'server_error'],
    reading: temporary,
  },
];

/** The reading of a sentence that may overrule what the status and the names gave; that reading, if there is none. */
export function overruled<R extends Reading>({ status, text }: Evidence, reading: R, waitMs: number): R {
  const row = OVERRULES.find(
    ({ says, statuses, types }) => statuses.includes(status) && types.includes(reading.type) && says.test(text),
  );
  return row === undefined ? reading : { ...reading, ...row.reading(waitMs) };
}

/** Whether the text blames a clock: who signs the next request anew may send it. */
export const blamesClock = (text: string): boolean => CLOCK.test(text);
