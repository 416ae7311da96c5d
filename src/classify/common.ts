/** Names and wording of several providers, and the rules that apply to all of them. */

import type { Family, Row } from './family.ts';

/** `head … tail`, searched from its tail, because the tail is rare and a head such as `model` is in many messages. */
const ending = (head: string, tail: string): string => `${tail}(?<=${head}${tail})`;

/** What is wrong with a key, an input or a model. */
function refusals(): readonly Row[] {
  return [
    // Any refusal with one of these names is about billing.
    ['billing_error', '\\w{0,40}insufficient_(balance|credits|funds)\\w{0,20}'],
    [
      'auth_invalid',
      '\\w{0,40}auth(entication)?_failed missing_(api_)?key',
      '(incorrect|invalid|expired|missing|no) (x )?api key|missing credentials|api key (is )?(not (set|valid|configured|provided)|invalid|expired|missing)|(invalid|no auth|validate) credentials|not authenticated|authentication (failed|token)|missing (auth[a-z]*|bearer)[a-z ]{0,20}(header|token)|(invalid|expired) (access|auth|bearer|security)[a-z]{0,14} token|token (has |is )?expired|signature[a-z ]{0,40}(doesnt|does not) match|鉴权失败|认证失败|无效的令牌|(invalid|expired) or (unrecognized|expired|invalid) (token|key)',
    ],
    [
      'content_policy',
      '',
      'content (filter(ing)?|management) policy|content (polic|filters)|usage polic|safety (system|checks|filter|settings)|guardrail|violat(es|ed)[a-z ]{0,20}(guideline|polic)|nsfw|responsible ai|敏感(信息|词|内容)|contains? sensitive words|(input|prompt|request|response)( or prompt| text)? (contains|includes) (blocked|prohibited|disallowed|sensitive) content',
    ],
    [
      'context_too_long',
      '',
      'context (length|window|limit|size)[a-z]{0,12}(exceed|overflow|is only)|exceed[^.]{0,40}context (length|window)|model token limit|(has|have) too many tokens|too many input tokens|input token limit is|(prompt|input) token count( of \\d{1,12})? exceeds',
    ],
    [
      'permission_denied',
      'tier_not_allowed',
      'not (available|allowed|included|enabled|supported) (in|on|for|with) (your|this)[a-z ]{0,20}(tier|plan|subscription|region|country)',
    ],
    [
      'model_deprecated',
      '',
      `${ending(
        'model([^.]|\\.\\d){0,90}(has|have|is|was) (been )?',
        '(deprecated|decommissioned|retired|shut down|discontinued|sunset|removed|no longer (available|supported|offered))',
      )}|end of its life`,
    ],
    [
      'model_not_found',
      '',
      `${ending(
        '(model|deployment)([^.]|\\.\\d){0,90}',
        '(not found|does(nt| not) exist|is not available|unknown)',
      )}|(unknown|invalid|no such) model|may not exist or you may not have access|model name is invalid|模型不存在|supported models are`,
    ],
    [
      'unsupported_feature',
      '',
      '(does|do) not support|not supported(?<!format[a-z/]{0,20}not supported)|unsupported(?! (audio|data|file|format|image|media|mime))|isnt supported|not implemented',
    ],
  ];
}

/** What is used up, owed or blocked. */
function limitsAndAccounts(): readonly Row[] {
  return [
    ['overloaded', '', '(model|server|engine) is (currently |temporarily )?overloaded'],
    [
      'quota_exhausted',
      '',
      'exceeded your current quota|quota exceeded$(?<=(^|\\d)quota exceeded$)|(?<!request )quota exceeded for model|out of call volume quota|insufficient quota|usage limits?( has been| was)? (reached|exceeded|hit)|(reached|exceeded|hit) (the|your)[a-z\\d\\x28)]{0,40}usage limit|spend(ing)? limit|todays quota|hour (usage )?quota|subscription quota exceeded|quota (has been|is) (exhausted|used up)|exhausted (their|your|the)[a-z\\d]{0,20}quota|set inference limit|使用上限|用量上限|费用限制|次数限额',
    ],
    // In Chinese, from relays: the balance is short, or the account is in arrears.
    [
      'billing_error',
      '',
      'payment required|trial (has |is )?(ended|expired|over)|no (valid )?payment method|payment is past due|(余额|额度)不足|欠费|预扣费额度失败',
    ],
    // With 400, and GitHub's with 403.
    ['rate_limit', '', 'too many requests|secondary rate limit|api rate limit exceeded for'],
    [
      'account_suspended',
      '',
      `${ending(
        '(account|organi[sz]ation|consumer|project|workspace|team|user)[^.]{0,80}(has been|(?<!or it)is|was) ',
        '(disabled|suspended|deactivated|banned|terminated)',
      )}|violation of[a-z]{0,20}terms|service (has been )?suspended`,
    ],
  ];
}

const PERMANENT: readonly Row[] = [
  // A chat template that cannot render the request raises inside the server: 500.
  ['invalid_request', '', '{%|raise exception\\x28|jinja|(chat|prompt) template'],
  ['invalid_request', '', 'invalid url|(provider|model|key|endpoint) is not configured|must be one of'],
  ['unsupported_feature', '', 'not implemented$(?<=^not implemented$)|this model only supports'],
  ['permission_denied', '', 'access (to this [a-z]{1,20} is )?forbidden'],
  ['model_not_found', '', 'unknown (provider for )?model'],
];

const USUAL: readonly Row[] = [
  ['rate_limit', 'too_many_requests rate_limit', 'rate limit|throttl'],
  ['overloaded', 'overloaded', 'overloaded|at capacity|too busy|insufficient capacity|try again later due to'],
  ['timeout', '', 'timed out|timeout'],
];

const VAGUE: readonly Row[] = [
  ['auth_invalid', 'unauthorized@(0|401)'],
  [
    'invalid_request',
    '(invalid_prompt|invalid_argument|failed_precondition|out_of_range|already_exists|aborted)@(0|400|422) (invalid_request(_error)?|invalid_request_message_order|BadRequestError)@(0|400|422|50[02])',
  ],
  [
    'server_error',
    '(server(_error)?|api_error|internal(_error)?|internal_server_error|unmapped|unknown|data_loss)@(0|500)',
  ],
];

/** Built in a function, so that a bundler can drop it if it is unused. */
export const COMMON: Family = /* @__PURE__ */ makeFamily();

function makeFamily(): Family {
  return {
    provider: '',
    codeMembers: 'error_code reason limit_source error_type code type __type status error_name status_code',
    decisive: refusals(),
    permanent: PERMANENT,
    anyStatus: limitsAndAccounts(),
    usual: USUAL,
    vague: VAGUE,
    rule: ({ names, text }, _waitMs, named) => {
      // A refusal that names a quota is about that quota, except for one that renews within a minute.
      if (named !== undefined || !QUOTA_NAME.test(names)) return undefined;
      return { type: isShortWindow(text) ? 'rate_limit' : 'quota_exhausted' };
    },
  };
}

const QUOTA_NAME = /(quota|(usage|spend)limit)(exceeded|exhausted|reached)@(0|40[0-3])\|/;

/**
 * A limit per minute is a rate limit, even if the message speaks of quotas and plans. So is Fireworks' limit on
 * concurrency.
 */
const SHORT_WINDOW = /(per|\/)(min(?!i)|sec(?![urt]))|[rt]pm|explorededicatedcapacity/;

/** Whether the text describes a limit per minute or second. */
export const isShortWindow = (text: string): boolean => SHORT_WINDOW.test(text);

/** A limit of 0, which no wait renews. */
export const NEVER: RegExp = /(?<!remaining)(limit:?|quotavalue:|valuevalue:)0(?!\.?\d)/;

/** The advice for a request that is larger than the whole limit. */
export const NEVER_ADMITTED = 'Send a smaller request, or raise the limit: no wait admits this one.';

/** "Limit 7000, Used 0, Requested 12903": a single request above the whole limit. A limit of 1 is a placeholder. */
export function isAboveLimit(text: string): boolean {
  const [, limit, requested] = /limit:?(\d{1,15}),(?:used:?\d{1,15},)?requested:?~?(\d{1,15})/.exec(text) ?? [];
  return Number(limit) > 1 && Number(requested) > Number(limit);
}

/** The advice for a 404 that names no model. */
export const MISPLACED = 'Check the URL, which may lack /v1. If it is right, check the name of the model.';
