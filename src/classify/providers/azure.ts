/** Azure OpenAI: OpenAI's envelope with Azure's codes; the code may be the status as text. */

import { NEVER_ADMITTED } from '../common.ts';
import type { Family } from '../family.ts';

export const AZURE: Family = {
  provider: 'azure',
  headers: 'apim-request-id x-ms-region azureml-model-session',
  signature: 'azureopenai aka.ms/oai',
  decisive: [
    ['content_policy', 'ResponsibleAIPolicyViolation'],
    ['model_not_found', 'DeploymentNotFound'],
    ['unsupported_feature', 'OperationNotSupported'],
    ['auth_invalid', '', 'invalid subscription key'],
  ],
  usual: [['rate_limit', 'RateLimitReached 429@(400|403)']],
  // "Retry after 86400 seconds" is the answer to a single request above the tokens per minute, on any day.
  rule: ({ text }, _waitMs, named) =>
    named === undefined && /(?:after|in)86400seconds/.test(text)
      ? { type: 'rate_limit', retryable: false, action: NEVER_ADMITTED }
      : undefined,
};
