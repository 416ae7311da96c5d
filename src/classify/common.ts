/** Names and wording of several providers, and the rules that apply to all of them. */

import type { Family } from './family.ts';

/** `head … tail`, searched from its tail, because the tail is rare and a head such as `model` is in many messages. */
const ending = (head: string, tail: string): string => `${tail}(?<=${head}${tail})`;

/**
 * Words of load, of a connection, of loading or of an answer ("invalid response from upstream"): a failure with one of
 * them may pass, whatever else it says. A word that is missing in `GENERAL` costs a retry; one that is missing here
 * costs the call.
 */
export const PASSING =
  'mainten|status code 5|state|instance|slot|invalid char|worker|respond|response(?! (format(?! from)|blocked))|busy|unavailable|(?<!error )loading|host(?!ed)|model output|generated|connect|session|running|unknown error|cold|capacity|again|retr(y|ied)|memory|tempor|upstream|returned(?! error)|cuda|reach|network|fetch|addrinfo|stream|answer|until|deadline|cancel|killed|crash|died|alloc|连接';

/** Searched after the tables of all providers. */
export const COMMON: Family = {
  // What is wrong with a key, an input or a model.
  decisive: [
    // A name is made of the same few words everywhere, so that one that no provider has yet is read too.
    [
      'account_suspended',
      '',
      '(account|consumer|(?<!linked_)organi[sz]ation|project|team|user)_(deactivated|disabled|on_hold|restricted|suspended|terminated)',
    ],
    [
      'billing_error',
      '',
      'arrear billing_(?!hard) credits_?error insufficient(?!_g1)\\w{0,20}(balance|credit|fund) payment_required',
    ],
    [
      'quota_exhausted',
      '',
      '(daily|monthly|weekly)\\w{0,20}limit (hard|key|set|spend|usage)_limit(?!s) (?<!in_flight_)budget allowance ' +
        '(account|current|insufficient(_user)?)_quota quota_exhausted balance_exhausted',
    ],
    [
      'content_policy',
      '',
      'content_policy content_filter data_inspection moderation\\w responsible_ai sensitive_words',
    ],
    [
      'context_too_long',
      '',
      '(?<!response_)too_(large|long) (context|prompt)\\w{0,20}exceeded exceed_context (character|token)_limit_exceeded',
    ],
    ['model_deprecated', '', 'model_(decommissioned|deprecated|retired)'],
    [
      'model_not_found',
      '',
      '(model|deployment)_not_(available|exist|found|supported) invalid_model@ resource_not_found_error',
    ],
    ['permission_denied', '', '(access|request)_forbidden unsupported_country'],
    ['unsupported_feature', '', 'unsupported not_supported unknown_parameter'],
    [
      'auth_invalid',
      '(expired|incorrect|invalid|missing) ([a-z]{0,12}api|access|auth|bearer|or|security|subscription)[a-z ]{0,20} ?(header|key|token)|' +
        'no x?api key|api key (is )?(not (set|valid|configured|provided)|invalid|expired|missing)|' +
        '(invalid|no auth|validate) credentials|not authenticated|authentication (failed|token)|failed auth|' +
        '(access|security) token[a-z ]{0,24}(invalid|expired)|token (has |is )?expired|' +
        'signature[a-z ]{0,40}does no?t match|(鉴权|认证)失败|(^|:)unauthorized$',
      'auth(entication)?_failed (key|token)_(expired|invalid) (expired|incomplete|invalid|missing)_(api|access|authentication|client)?(key|signature|token)(?!count|limit|s)',
    ],
    [
      'content_policy',
      'content (filter(ing)?|management) policy|content (polic|filters)|usage polic|' +
        'safety (system|checks|filter|settings)|guardrail|violat(es|ed)[a-z ]{0,20}(guideline|polic)|nsfw|敏感(信息|词|内容)|' +
        '(contains?|includes) (blocked|prohibited|disallowed|sensitive) (content|words)',
    ],
    [
      'context_too_long',
      'context (length|limit|size|window)[a-z]{0,12}(exceed|overflow|only)|' +
        '(exceed|(great|larg|long)er than)[^.]{0,40}context (length|limit|size|window)|' +
        'maximum (context|input|model|prompt) length|(prompt|input) is too long|entity too large|' +
        'too large (for model|to process)|model token limit|input token limit is|ha(s|ve) too many tokens|too many input tokens|(prompt|input) token count.{0,40}exceeds',
    ],
    [
      'permission_denied',
      'not (available|allowed|included|enabled|supported) (in|on|for|with) (your|this)[a-z ]{0,20}(tier|plan|subscription|region|country)|' +
        '(tier|plan|subscription)( does)? not (allow|include|support)',
      'tier_not_allowed',
    ],
    [
      'model_deprecated',
      `${ending(
        'model([^.]|\\.\\d){0,90}(has|have|is|was) (been )?',
        '(deprecated|decommissioned|retired|shut down|discontinued|sunset|removed|no longer (available|supported|offered))',
      )}|end of its life`,
    ],
    [
      'model_not_found',
      `${ending(
        '(model|deployment)(?![a-z]{0,20}error:)([^.]|\\.\\d){0,90}',
        '(not found|does no?t exist|is not available|unknown)',
      )}|(unknown|invalid|no such) model|may not exist or you may not have|model name is invalid|模型不存在|supported models`,
    ],
    [
      'unsupported_feature',
      'do(es)? not support|not supported(?<!format[a-z/]{0,20}not supported)|' +
        'unsupported(?! (audio|data|file|format|image|media|mime|param))|isnt supported|not (yet )?implemented',
    ],
  ],
  permanent: [
    // A chat template that cannot render the request raises inside the server: 500.
    [
      'invalid_request',
      'must (alternate|be (pas|prov))|key error:(mess|prompt)|{%|(chat|prompt) template|no user query found|' +
        'but found tool|streaming is required',
    ],
    [
      'invalid_request',
      'certificate ver|(?<!api key (is )?)no?t configured|^\\[json\\.exception|invalid ur[il]|no such file|' +
        '(^|[:.s]|exception|are) no (?!t|rea|hea)[a-z ]{1,40} (configured|enabled|registered)|improperly formed',
    ],
    ['permission_denied', 'permission denied|access (to this [a-z]{1,20} is )?(denied|forbidden)'],
    ['model_not_found', 'unknown (provider for )?model(?! (err|fail))|identifier is inval'],
  ],
  general: [
    ['content_policy', 'new sensitive|inappropriate|prohibited|blocked by [a-z ]{0,20}(filter|polic)|guardrail'],
    ['context_too_long', 'too large|(audio|input|text) too long|max allowed token'],
    [
      'auth_invalid',
      '[.:]reauth|revoked|suspended|authorization fail|[a-z]{3}(?<!ify|ate|the)api key(?!s|t|v)|credential',
    ],
    ['permission_denied', 'permission|have access|forbidden'],
    [
      'unsupported_feature',
      '(only[a-z ]{0,20}|no [a-z ]{3,40}s |un)support|only allow(?!s?(\\d|one))|(not |un)implement(?!ed yet)|不支持',
    ],
    [
      'invalid_request',
      'not (set|a? valid|allowed|authori[sz]ed|enabled|installed|supported|defined|provided|registered)(?! yet)|' +
        '(?<!^)not found|(?<!fallback has been )[ck]onfig|please (add|en|install|load|reduce|run|set|upgrade)|' +
        '(malformed|incorrect|invalid|missing|unknown|has no(?! a[tv])) (?!output|json)[a-z\\d.$ ]{0,18}(arg|attr|base64|env|field|file|format|header|id(:|$)|image|input|key|message|method|mode(l|(?!l))|name|object|option|padding|param|path|prompt|request|role|schema|table|tensor|token|type|ur[il]|user|value|version|voice)(?! (of )?(err|fail))|' +
        'missing($|[.(])|(not|already) exist|duplicate|([dot]|error) (access|load)(ing)?[a-z ]{0,16}model|' +
        'no longer(?! al)|(buil[dt]|compiled) with|' +
        'no (compatible|file|input|matching|messages|module|prompt|such (?!host|cont)|suitable)|route (found )?for|' +
        'validation (e|fail)|codec cant|(?<!output )(cannot be|is|are) empty|must(?! wait)|disabled|' +
        '(?<!\\d)require[sd](?! action)|unexpected keyword|' +
        '(to|not) (decode|open|parse|load) [a-z]{0,16}(audio|file|image|wav)|saknas|manquant|fehlt|缺少(?!json)[a-z]|' +
        '未(设置|安装|启用|找到(?!可用))|配置|过期|設定|账号不|模型无可|for model in group',
    ],
  ],
  // What is used up, owed or blocked.
  anyStatus: [
    ['overloaded', '(model|server|engine) is (currently |temporarily )?overloaded'],
    [
      'quota_exhausted',
      'accounts [a-z ]{0,30}quota|exceeded your current quota|(^|\\d)quota exceeded$|' +
        '(?<!request )quota exceeded for model|call volume quota|insufficient quota|' +
        'usage limits?( has been| was)? (reached|exceeded|hit)|' +
        '(reached|exceeded|hit) (the|your)[a-z\\d\\x28)]{0,40}usage limit|spend(ing)? limit|todays quota|hour (usage )?quota|费用限制|' +
        'subscription quota exceeded|quota (has been|is) (exhausted|used up)|exceeded[a-z ]{0,60}free tier|' +
        'exhausted (their|your|the)[a-z\\d]{0,20}quota|用量?上限',
    ],
    // In Chinese, from relays: the balance is short, or the account is in arrears.
    [
      'billing_error',
      'negative credit balance|payment required|trial (has |is )?(ended|expired|over)|' +
        'no (valid )?payment method|payment is past due|(余额|额度)不足|欠费|预扣费额度失败',
    ],
    // With 400, and GitHub's with 403.
    ['rate_limit', 'api rate limit exceeded|too many requests|secondary rate limit'],
    [
      'account_suspended',
      `${ending(
        '(account|organi[sz]ation|consumer|project|workspace|team|user)[^.]{0,80}(has been|(?<!or it)is|was) ',
        '(disabled|suspended|deactivated|banned|terminated)',
      )}|service (has been )?suspended|violation of[a-z]{0,20}terms`,
    ],
  ],
  usual: [
    ['auth_invalid', '', 'authentication unauthenticated'],
    ['permission_denied', '', 'permission access_denied'],
    ['model_not_found', '', '(resource_)?not_found(_error|_exception)?@'],
    ['unsupported_feature', '', 'unimplemented'],
    ['rate_limit', 'rate limit|throttl', 'rate_limit request_limit resource_exhausted throttl too_many_requests'],
    ['server_error', '', 'transient_ai'],
    [
      'overloaded',
      'too busy|at capacity|overloaded',
      '(?<!provider|temporarily|upstream)unavailable (engine|model|server|system)_(is_)?busy capacity not_ready overloaded',
    ],
    ['provider_unavailable', '', '(provider|temporarily|upstream)_unavailable bad_gateway unreachable'],
    ['timeout', 'timed?out', '(timed_out|timeout)(?!_ms) deadline_exceeded'],
    [
      'connection_error',
      '',
      '((local|remote)_protocol|read|write|connect|connection|reset|refused|aborted|pipe)_error remote_disconnected ' +
        '(socket|connect|unknown_host|no_route_to_host)_exception err_(network|socket|stream_premature)',
    ],
  ],
  vague: [
    ['auth_invalid', '', '(unauthorized|unauthenticated)@(0|401)'],
    [
      'invalid_request',
      '',
      '(invalid_prompt|invalid_argument|failed_precondition|out_of_range|already_exists|aborted)@(0|400|422) (invalid_request(_error)?|invalid_request_message_order|BadRequestError)@(0|400|422|50[02])',
    ],
    [
      'server_error',
      '',
      '(server(_error)?|api_error|internal(_error)?|internal_server_error|unmapped|unknown|data_loss)@(0|500)',
    ],
  ],
  // With a verb, because `rate limit` alone is also in the names of tests and options.
  alone: [
    ['billing_error', 'credit balance too low|balance (is )?(not enough|insufficient)'],
    [
      'quota_exhausted',
      '(session|hour|usage|weekly|daily|monthly|trial)( request)? limit (has been |was |is )?reached|' +
        '(hit|reached) your (session |usage |weekly |trial )?(request )?limit|exceeded( your| the)? quota|' +
        'free tier[a-z ]{0,30}exhausted|(quota|billing|credits?)[a-z ]{0,20} exhausted',
    ],
    ['auth_invalid', 'authentication (has )?failed'],
    ['permission_denied', '(permission|access) (is |was |has been )?denied|denied on resource|app id no auth|授权错误'],
    [
      'context_too_long',
      'too many tokens(:| in (the )?(request|prompt|input))|' +
        '(prompt|input|payload)( length| size| text)?(\\x28[a-z\\d]{1,24}\\x29)? (exceeds|is (larger|longer) than|is too (long|large))|' +
        'is too long,|due to context size',
    ],
    [
      'rate_limit',
      '(rate|usage) limits? (was |has been |is )?(exceeded|reached|hit|error)|' +
        '(reached|exceed(s|ed|ing)?|hit|over|exhausted) (the |your |its |our |this |a )?[a-z]{0,24}rate limit|' +
        '^rate limit$|rate limited|too many (messages|concurrent)|(requests|messages) per hour|slow down$|' +
        'concurren(t|cy)[a-z]{0,12} limit (reached|exceeded)|(limit|quota).{0,90}(per|/)(minute|second)|(per|/)(minute|second)[a-z ]{0,24}(limit|quota)|resource (has been )?exhausted|' +
        '(is|are|was|were|getting) (being )?throttled|throttling exception|request rate increased too|请求过于频繁|限流|速率限制',
    ],
    [
      'overloaded',
      'overloaded|(is|are|currently) at capacity|' +
        '(server|model|system|service|engine|api) (is |are )?(currently |temporarily |too )*(busy|unavailable)|' +
        'temporarily unavailable|no [a-z]{0,8}workers? (are |is )?available|(high|heavy) (demand|traffic|load)|' +
        'high volume|稍后(再试|重试)|(系统|服务|模型)[^。]{0,6}(繁忙|过载|负载)',
    ],
    [
      'provider_unavailable',
      'bad gateway|(upstream|origin) (connect|request|server|stream)? ?(error|failed|unavailable)|' +
        'error from provider|no deployments? (are |is )?available',
    ],
    [
      'timeout',
      'i/o timeout|tls handshake timeout|timeout awaiting response headers|' +
        '(connect|gateway|idle|read|socket|upstream request) timeout|interrupted ioexception: timeout|' +
        '(read|request|operation|call|completion|stream|upstream|model|provider) timed out|invocation timed out|' +
        'timeout of [\\d.]{1,12}s exceeded|timeout exceeded while|timeout was reached|timeout (after|passed=)\\d|deadline exceeded|(请求|响应|连接)超时',
    ],
    [
      'server_error',
      'validation errors? for (chat completion(?!s)|(model|chat|generate content) response)|' +
        '(internal|unexpected) server error|internal error$|service failed 50[0234]|' +
        'an internal error (has )?occurred|encountered an? (internal|server) error|^server error$|server had an error|' +
        'an error occurred while processing your request|(^|:)server error[,.]|error parsing tool call|' +
        'empty response( received)? from|' +
        'no (valid |completion )?(content|response|choices|candidates|embeddings|output) (was |were )?(found|from|generated|in (the )?response|received|returned|within)|' +
        'empty reply from|(returned|received|with) (an )?empty response|' +
        '(did no?t|unable to|could no?t|couldnt) (return|generate|get|produce) (an? |any )?(content|response)|' +
        '(llm|model|gemini|claude|openai|anthropic|assistant|upstream|gpt|deepseek|mistral|ollama|(^|:)ai(?=return|did|resp|model|service))[a-z]{0,24}((did no?t|failed to) (return|contain|call|generate|produce)|(returned|produced|response) (an? )?(empty|invalid|malformed|missing|no|output|un)|(is |are )?(unavailable|not (healthy|responding)|offline))|' +
        '(模型|llm|ai)[^。]{0,12}(没有返回|返回[^。]{0,6}空|响应为空|无响应)|no object generated|^(error:?|错误:?)?invalid character.looking for beginning of value|' +
        'expecting value: line 1 column 1\\x28char 0\\x29(?<=(request|response|请求)[^]{0,400}char 0\\x29)|' +
        '(model )?runner has unexpectedly stopped|try again later|' +
        '(try again in|wait) a (few )?(moment|minute|second)',
    ],
    [
      'stream_interrupted',
      'stream disconnected before completion(?!: encrypted)|stream (ended|closed|terminated) (early|unexpectedly|before|prematurely|with)|stream read error|' +
        '(agent|model|response|stream) stalled|reconnecting\\.\\.\\.\\d|incomplete (chunked )?read|' +
        'unexpected end of stream|response ended prematurely|err incomplete chunked encoding|error decoding response body',
    ],
    [
      'connection_error',
      'server disconnected|remote end closed|unexpected eof|received no bytes|broken pipe|no route to host|' +
        'no such host|server sent goaway|request to https?:[a-z\\d./:-]{1,120} failed|error sending request for url|max retries exceeded with url|name or service not known|' +
        'getaddrinfo failed|connection (error|reset|refus|abort|closed|lost|failed|was)|actively refused|' +
        'tcptransport closed|(failed to|unable to|could no?t) (connect|(reach|contact|communicate with) (the )?(api|llm|model|provider|upstream))|网络(连接)?(错误|失败)|socket is not connected|' +
        'typeerror: terminated|: terminated$|' +
        'net::err (connection|empty|http2|internet|name|network|quic|timed out)|forcibly closed|network error',
    ],
    [
      'invalid_request',
      '(^|[:.])not found$|(bad|invalid|malformed|unprocessable) (api )?(request|parameter|argument|schema|entity)',
    ],
  ],
};
