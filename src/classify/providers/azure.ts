/** Azure OpenAI: OpenAI's envelope with Azure's codes; the code may be the status as text. */

import type { Family, Rule } from '../family.ts';
import { NEVER_ADMITTED } from '../limits.ts';

export const AZURE: Family = {
  provider: 'azure',
  headers: 'apim-request-id x-ms-region azureml-model-session',
  signature: 'azureopenai aka.ms/oai',
  decisive: [
    ['content_policy', 'ResponsibleAIPolicyViolation'],
    ['model_not_found', 'DeploymentNotFound'],
    ['unsupported_feature', 'OperationNotSupported'],
  ],
  usual: [['rate_limit', '429@(400|403)']],
};

// "Retry after 86400 seconds" is the answer to a single request above the tokens per minute, on any day.
export const rule: Rule = ({ text }, _waitMs, named) =>
  named === undefined && /(?:after|in)86400seconds/.test(text)
    ? { type: 'rate_limit', retryable: false, action: NEVER_ADMITTED }
    : undefined;
