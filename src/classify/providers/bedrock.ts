/** Amazon Bedrock: the exception is in a header, in `__type` or in a frame, and the body has at most a message. */

import type { Family, Rule } from '../family.ts';

export const BEDROCK: Family = {
  provider: 'bedrock',
  headers: 'x-amzn-errortype x-amzn-requestid',
  decisive: [
    ['quota_exhausted', 'ServiceQuotaExceededException MONTHLY_REQUEST_COUNT'],
    ['permission_denied', '', 'unsupported countries'],
    [
      'auth_invalid',
      '(ExpiredToken|InvalidSignature|SignatureDoesNotMatch|IncompleteSignature|MissingAuthenticationToken)\\w* ' +
        'UnrecognizedClientException InvalidClientTokenId',
    ],
    ['model_not_found', '', 'model identifier is invalid'],
    ['billing_error', '', 'payment instrument'],
  ],
  anyStatus: [['quota_exhausted', '', 'reached for this month']],
  usual: [
    // Only the words "per day" in the message distinguish a daily quota from this.
    ['rate_limit', 'ThrottlingException'],
    ['overloaded', 'ModelNotReadyException ServiceUnavailableException INSUFFICIENT_MODEL_CAPACITY'],
    ['timeout', 'ModelTimeoutException'],
    // 424; the documentation says to send the request again.
    ['server_error', 'ModelErrorException ModelStreamErrorException InternalServerException InternalFailure'],
    ['permission_denied', 'AccessDeniedException'],
    ['model_not_found', 'ResourceNotFoundException'],
    ['invalid_request', '(Validation|Conflict)Exception@0'],
  ],
  alone: [['overloaded', '', 'bedrock is unable to process your request']],
};

// An InternalServerException that a gateway has turned into a 400 without its name.
export const rule: Rule = ({ names, text }) =>
  !/[a-z]/.test(names) && text.includes('encounteredanunexpectederrorduringprocessing')
    ? { type: 'server_error' }
    : undefined;
