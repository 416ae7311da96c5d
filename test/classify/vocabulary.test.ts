import { describe, expect, test } from 'vitest';
import { readResponse } from '../../src/classify/classify.ts';
import type { FailureType } from '../../src/failure/failure.ts';
import { NOW } from './cases.ts';

/** Every name that a provider gives, by what it means. Their own tests show them with the status that they come with. */
const NAMES: Readonly<Partial<Record<FailureType, string>>> = {
  billing_error:
    'billing_error linked_organization_hold billing_not_active BILLING_DISABLED weight_exceeds_budget openrouter_credits payment_required CreditsError Arrearage',
  quota_exhausted:
    'contract_spend_limit_reached enforced_spend_limit_reached insufficient_quota credit_balance_exhausted organization_spend_limit_exceeded billing_hard_limit_reached usage_not_included usage_limit_reached exceeded_current_quota_error QUOTA_EXHAUSTED dailyLimitExceeded INSUFFICIENT_G1_CREDITS_BALANCE ServiceQuotaExceededException openrouter_key_limit openrouter_daily_budget WeeklyUsageLimitError MonthlyLimitError UserLimitError MONTHLY_REQUEST_COUNT insufficient_user_quota user_weekly_rate_limited openrouter_free_tier_daily',
  account_suspended: 'organization_on_hold account_deactivated access_terminated CONSUMER_SUSPENDED',
  context_too_long:
    'request_too_large context_length_exceeded token_limit_exceeded string_too_long payload_too_large exceed_context_size_error model_max_prompt_tokens_exceeded',
  auth_invalid:
    'invalid_api_key API_KEY_INVALID ACCESS_TOKEN_EXPIRED ExpiredTokenException InvalidSignatureException SignatureDoesNotMatch IncompleteSignature MissingAuthenticationToken UnrecognizedClientException InvalidClientTokenId authentication authentication_error UNAUTHENTICATED AuthenticationError',
  permission_denied:
    'unsupported_country_region_territory request_forbidden SERVICE_DISABLED API_KEY_SERVICE_BLOCKED privacy_restricted browser_signature_banned access_denied permission_error PermissionDenied PERMISSION_DENIED permission_denied AccessDeniedException PermissionDeniedError',
  content_policy:
    'ResponsibleAIPolicyViolation content_policy_violation image_content_policy_violation content_filter moderation_blocked refusal DataInspectionFailed',
  model_not_found:
    'DeploymentNotFound model_not_found no_endpoints invalid_model model_not_available not_found_error NOT_FOUND ResourceNotFoundException NotFoundError',
  model_deprecated: 'model_deprecated free_variant_ended model_decommissioned',
  unsupported_feature:
    'OperationNotSupported unsupported_value unsupported_parameter unknown_parameter unsupported_image_format UNIMPLEMENTED',
  rate_limit:
    'in_flight_budget_exhausted openrouter_in_flight_budget rate_limit_error ramp_limit_exceeded RateLimitReached TooManyRequests rate_limit_exceeded RESOURCE_EXHAUSTED ThrottlingException TooManyRequestsException upstream_provider_rate_limit rate_limited RateLimitError too_many_requests rate_limit Throttling Throttling.RateQuota',
  overloaded:
    'MODEL_CAPACITY_EXHAUSTED overloaded_error server_is_overloaded slow_down service_unavailable_error engine_overloaded_error UNAVAILABLE ModelNotReadyException ServiceUnavailableException capacity_exhausted provider_overloaded capacity_exceeded flex_capacity_exceeded ServiceUnavailableError overloaded INSUFFICIENT_MODEL_CAPACITY',
  timeout: 'timeout_error DEADLINE_EXCEEDED ModelTimeoutException timeout origin_timeout connection_timed_out',
  provider_unavailable: 'cmek_key_revoked provider_unavailable temporarily_unavailable',
  server_error: 'CANCELLED ModelErrorException ModelStreamErrorException InternalServerException InternalFailure',
};
const rows = Object.entries(NAMES).flatMap(([type, names]) => names.split(' ').map((name) => [name, type] as const));

function typeAndBasis(name: string, status: number): unknown {
  const verdict = readResponse({ status, body: JSON.stringify({ error: { code: name, message: 'm' } }), nowMs: NOW });
  return [verdict?.failure.type, verdict?.basis];
}

describe('a name without a message and under another status', () => {
  test.each(rows)('%s is %s', (name, type) => {
    expect(typeAndBasis(name, 418)).toEqual([type, 'evidence']);
    expect(typeAndBasis(name.toUpperCase(), 418)).toEqual([type, 'evidence']);
  });
});

describe('a name that no provider is known to give is read by its words', () => {
  test.each<[name: string, type: FailureType]>([
    ['acme_rate_limit_hit', 'rate_limit'],
    ['AcmeModelOverloadedError', 'overloaded'],
    ['workspace_suspended_team_disabled', 'account_suspended'],
    ['monthly_spend_limit_hit', 'quota_exhausted'],
    ['insufficient_prepaid_balance', 'billing_error'],
    ['expired_access_token', 'auth_invalid'],
    ['prompt_content_policy_refused', 'content_policy'],
    ['ContextWindowExceededError', 'context_too_long'],
    ['vision_model_not_available', 'model_not_found'],
    ['tool_choice_unsupported', 'unsupported_feature'],
    ['UpstreamConnectTimeout', 'timeout'],
  ])('%s is %s', (name, type) => {
    expect(typeAndBasis(name, 418)).toEqual([type, 'evidence']);
  });

  test.each(['rate_limit of what', 'max_tokens_per_request', 'invalid_token_count', 'extra_forbidden', 'usageLimits'])(
    '%s is none',
    (name) => expect(typeAndBasis(name, 418)).toEqual(['invalid_request', 'status']),
  );
});

describe('a name whose meaning depends on its status', () => {
  test.each<[name: string, status: number, type: FailureType, elsewhere: number]>([
    ['rate_limit_exceeded', 413, 'context_too_long', 0],
    ['tokens', 200, 'rate_limit', 418],
    ['requests', 200, 'rate_limit', 418],
    ['ValidationException', 200, 'invalid_request', 418],
    ['ConflictException', 200, 'invalid_request', 418],
    ...[
      ...['invalid_request', 'invalid_request_error', 'invalid_prompt', 'BadRequestError', 'invalid_argument'],
      ...['failed_precondition', 'out_of_range', 'already_exists', 'aborted'],
    ].flatMap((name): [string, number, FailureType, number][] => [
      [name, 200, 'invalid_request', 418],
      [name, 400, 'invalid_request', 418],
      [name, 422, 'invalid_request', 418],
    ]),
    ...[
      ...['server', 'server_error', 'api_error', 'internal', 'internal_error', 'internal_server_error', 'unmapped'],
      ...['unknown', 'data_loss'],
    ].map((name): [string, number, FailureType, number] => [name, 500, 'server_error', 418]),
  ])('%s under %i is %s', (name, status, type, elsewhere) => {
    expect(typeAndBasis(name, status)).toEqual([type, 'evidence']);
    if (elsewhere !== 0) expect(typeAndBasis(name, elsewhere)).toEqual(['invalid_request', 'status']);
  });
});

function typeOfWords(message: string, status: number): FailureType | undefined {
  return readResponse({ status, body: JSON.stringify({ error: { message } }), nowMs: NOW })?.failure.type;
}

describe('a message without a name', () => {
  test.each<[status: number, type: FailureType, words: readonly string[]]>([
    [
      418,
      'auth_invalid',
      [
        'The security token included in the request is invalid.',
        'Invalid subscription key.',
        'Invalid API token',
        'No API key supplied',
        'No auth credentials',
      ],
    ],
    [418, 'model_not_found', ['The model identifier is invalid.', 'x: try pulling it first', 'Model not exist']],
    [
      418,
      'model_not_found',
      [
        '模型不存在',
        'Unable to access non-serverless model x',
        'The model x does not exist',
        'No such model',
        'Model v1.5 was not found',
      ],
    ],
    [418, 'billing_error', ['A valid payment instrument is needed', 'No payment method', 'Please enable billing']],
    [418, 'context_too_long', ['Prompt is too large for model x', 'Input is too long', 'Prompt is too long: 5 tokens']],
    [418, 'context_too_long', ['The maximum model length is 5', 'over the maximum input length of 5']],
    [418, 'context_too_long', ['Model token limit', 'Too many input tokens', 'context window overflow']],
    [418, 'context_too_long', ['It exceeds the given context length', 'maximum prompt length']],
    [
      418,
      'content_policy',
      [
        'blocked by our content filters',
        '包含敏感信息',
        'Content violates usage guidelines.',
        'Prompt injection found',
        'It was flagged',
      ],
    ],
    [
      418,
      'permission_denied',
      ['Your organization must be verified', 'User location is not supported', 'against your data policy'],
    ],
    [418, 'invalid_request', ['File not found', 'The tool does not exist', 'This was deprecated']],
    [429, 'context_too_long', ['Request too large for x', 'They must be reduced in order to run.']],
    [429, 'billing_error', ['Your account is not active', 'Credit limit exceeded', 'Payment required']],
    [
      429,
      'billing_error',
      ['Insufficient balance', 'Insufficient account balance', 'Your team has run out of credits'],
    ],
    [
      429,
      'quota_exhausted',
      ['Key limit exceeded', 'token quota is not enough', 'You hit your monthly spending limit', 'Usage limit reached'],
    ],
    [429, 'account_suspended', ['Your account has been suspended', 'in violation of our terms']],
    [
      200,
      'overloaded',
      ['server busy', 'maximum pending requests exceeded', 'at capacity', 'Service tier capacity exceeded'],
    ],
    [200, 'overloaded', ['This model has high demand']],
    [200, 'timeout', ['It timed out', 'upstream timeout']],
    [200, 'rate_limit', ['Too many requests', 'request rate limiting', 'Throttled']],
    [200, 'provider_unavailable', ['no healthy upstream', 'upstream connect error']],
    [200, 'server_error', ['It failed']],
  ])('under %i is %s: %j', (status, type, words) => {
    expect(words.map((message) => [message, typeOfWords(message, status)])).toEqual(
      words.map((message) => [message, type]),
    );
  });
});
