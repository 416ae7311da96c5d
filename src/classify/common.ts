/** Names and wording of several providers, and the rules that apply to all of them. */

import type { Family, Row } from './family.ts';

/** `head … tail`, searched from its tail, because the tail is rare and a head such as `model` is in many messages. */
const ending = (head: string, tail: string): string => `${tail}(?<=${head}${tail})`;

/** What is wrong with a key, an input or a model. */
const REFUSALS: readonly Row[] = [
  // Any refusal with one of these names is about billing.
  ['billing_error', '\\w{0,40}insufficient_(balance|credits|funds)\\w{0,20}'],
  ['quota_exhausted', '\\w{0,40}allowance_exhausted'],
  ['model_not_found', 'resource_not_found_error'],
  [
    'auth_invalid',
    '\\w{0,40}auth(entication)?_failed missing_(api_)?key',
    '(expired|incorrect|invalid|missing) ([a-z]{0,12}api|access|auth|bearer|or|security|subscription)[a-z ]{0,20} ?(header|key|token)|' +
      'no x?api key|missing credentials|api key (is )?(not (set|valid|configured|provided)|invalid|expired|missing)|' +
      '(invalid|no auth|validate) credentials|not authenticated|authentication (failed|token)|failed auth|' +
      '(access|security) token[a-z ]{0,24}(invalid|expired)|token (has |is )?expired|' +
      'signature[a-z ]{0,40}does no?t match|(鉴权|认证)失败|(^|:)unauthorized$',
  ],
  [
    'content_policy',
    '',
    'content (filter(ing)?|management) policy|content (polic|filters)|usage polic|' +
      'safety (system|checks|filter|settings)|guardrail|violat(es|ed)[a-z ]{0,20}(guideline|polic)|nsfw|敏感(信息|词|内容)|' +
      '(contains?|includes) (blocked|prohibited|disallowed|sensitive) (content|words)',
  ],
  [
    'context_too_long',
    '',
    'context (length|limit|size|window)[a-z]{0,12}(exceed|overflow|only)|' +
      '(exceed|(great|larg|long)er than)[^.]{0,40}context (length|limit|size|window)|' +
      'maximum (context|input|model|prompt) length|(prompt|input) is too long|entity too large|' +
      'too large (for model|to process)|model token limit|input token limit is|ha(s|ve) too many tokens|' +
      'too many input tokens|(prompt|input) token count.{0,40}exceeds',
  ],
  [
    'permission_denied',
    'tier_not_allowed',
    'not (available|allowed|included|enabled|supported) (in|on|for|with) (your|this)[a-z ]{0,20}(tier|plan|subscription|region|country)|' +
      '(tier|plan|subscription)( does)? not (allow|include|support)',
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
      '(model|deployment)(?![a-z]{0,20}error:)([^.]|\\.\\d){0,90}',
      '(not found|does no?t exist|is not available|unknown)',
    )}|(unknown|invalid|no such) model|may not exist or you may not have|model name is invalid|模型不存在|supported models`,
  ],
  [
    'unsupported_feature',
    '',
    'do(es)? not support|not supported(?<!format[a-z/]{0,20}not supported)|' +
      'unsupported(?! (audio|data|file|format|image|media|mime|param))|isnt supported|not (yet )?implemented',
  ],
];

/** What is used up, owed or blocked. */
const LIMITS_AND_ACCOUNTS: readonly Row[] = [
  ['overloaded', '', '(model|server|engine) is (currently |temporarily )?overloaded'],
  [
    'quota_exhausted',
    '',
    'accounts [a-z ]{0,30}quota|exceeded your current quota|(^|\\d)quota exceeded$|' +
      '(?<!request )quota exceeded for model|call volume quota|insufficient quota|' +
      'usage limits?( has been| was)? (reached|exceeded|hit)|' +
      '(reached|exceeded|hit) (the|your)[a-z\\d\\x28)]{0,40}usage limit|spend(ing)? limit|todays quota|' +
      'hour (usage )?quota|subscription quota exceeded|quota (has been|is) (exhausted|used up)|' +
      'exceeded[a-z ]{0,60}free tier|exhausted (their|your|the)[a-z\\d]{0,20}quota|set inference limit|用量?上限|费用限制',
  ],
  // In Chinese, from relays: the balance is short, or the account is in arrears.
  [
    'billing_error',
    '',
    'negative credit balance|payment required|trial (has |is )?(ended|expired|over)|no (valid )?payment method|payment is past due|(余额|额度)不足|欠费|预扣费额度失败',
  ],
  // With 400, and GitHub's with 403.
  ['rate_limit', '', 'api rate limit exceeded|too many requests|secondary rate limit'],
  [
    'account_suspended',
    '',
    `${ending(
      '(account|organi[sz]ation|consumer|project|workspace|team|user)[^.]{0,80}(has been|(?<!or it)is|was) ',
      '(disabled|suspended|deactivated|banned|terminated)',
    )}|service (has been )?suspended|violation of[a-z]{0,20}terms`,
  ],
];

const PERMANENT: readonly Row[] = [
  // A chat template that cannot render the request raises inside the server: 500.
  [
    'invalid_request',
    '',
    'must (alternate|be (pas|prov))|key error:(mess|prompt)|{%|(chat|prompt) template|no user query found|' +
      'but found tool|streaming is required',
  ],
  [
    'invalid_request',
    '',
    'certificate ver|(?<!api key (is )?)no?t configured|^\\[json\\.exception|invalid ur[il]|no such file|' +
      '(^|[:.s]|exception|are) no (?!t|rea|hea)[a-z ]{1,40} (configured|enabled|registered)|improperly formed',
  ],
  ['permission_denied', '', 'permission denied|access (to this [a-z]{1,20} is )?(denied|forbidden)'],
  ['model_not_found', '', 'unknown (provider for )?model(?! (err|fail))|identifier is inval'],
];

const GENERAL: readonly Row[] = [
  ['content_policy', '', 'new sensitive|inappropriate|prohibited|blocked by [a-z ]{0,20}(filter|polic)|guardrail'],
  ['context_too_long', '', 'too large|(audio|input|text) too long|max allowed token'],
  [
    'auth_invalid',
    '',
    '[.:]reauth|revoked|suspended|authorization fail|[a-z]{3}(?<!ify|ate|the)api key(?!s|t|v)|credential',
  ],
  ['permission_denied', '', 'permission|have access|forbidden'],
  [
    'unsupported_feature',
    '',
    '(only[a-z ]{0,20}|no [a-z ]{3,40}s |un)support|only allow(?!s?(\\d|one))|(not |un)implement(?!ed yet)|不支持',
  ],
  [
    'invalid_request',
    '',
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
];

/**
 * Words of load, of a connection, of loading or of an answer ("invalid response from upstream"): a failure with one of
 * them may pass, whatever else it says. A word that is missing in `GENERAL` costs a retry; one that is missing here
 * costs the call.
 */
export const PASSING =
  'mainten|status code 5|state|instance|slot|invalid char|worker|respond|response(?! (format(?! from)|blocked))|busy|unavailable|(?<!error )loading|host(?!ed)|model output|generated|connect|session|running|unknown error|cold|capacity|again|retr(y|ied)|memory|tempor|upstream|returned(?! error)|cuda|reach|network|fetch|addrinfo|stream|answer|until|deadline|cancel|killed|crash|died|alloc|连接';

const USUAL: readonly Row[] = [
  ['rate_limit', 'too_many_requests(exception)? rate_limit(_error|_exceeded|_reached|ed)?', 'rate limit|throttl'],
  ['overloaded', 'overloaded(_error)?', 'too busy|at capacity|overloaded'],
  ['timeout', 'timeout(_error)?', 'timed?out'],
];

const VAGUE: readonly Row[] = [
  ['auth_invalid', '(unauthorized|unauthenticated)@(0|401)'],
  [
    'invalid_request',
    '(invalid_prompt|invalid_argument|failed_precondition|out_of_range|already_exists|aborted)@(0|400|422) (invalid_request(_error)?|invalid_request_message_order|BadRequestError)@(0|400|422|50[02])',
  ],
  [
    'server_error',
    '(server(_error)?|api_error|internal(_error)?|internal_server_error|unmapped|unknown|data_loss)@(0|500)',
  ],
];

/** With a verb, because `rate limit` alone is also in the names of tests and options. */
const ALONE: readonly Row[] = [
  ['billing_error', '', 'credit balance too low|no credits (remaining|left)|balance (is )?(not enough|insufficient)'],
  [
    'quota_exhausted',
    '\\w{0,40}(quota|(usage|spend)_limit)_(exceeded|exhausted|reached)',
    '(session|hour|usage|weekly|daily|monthly|trial)( request)? limit (has been |was |is )?reached|' +
      '(hit|reached) your (session |usage |weekly |trial )?(request )?limit|exceeded( your| the)? quota|' +
      '(free|individual) quota (is |was )?(used|reached)|free tier[a-z ]{0,30}exhausted|' +
      'exceeded your (dai|week|month)ly[a-z]{0,20} credits|(quota|billing|credits?)[a-z ]{0,20} exhausted',
  ],
  [
    'auth_invalid',
    '',
    'api key[a-z ]{0,20} must be (set|provided)|authentication (has )?failed|' +
      'authentication (is )?required|requires? authentication|invalid authentication|' +
      'valid[a-z]{0,10} token is required',
  ],
  [
    'permission_denied',
    '',
    '(permission|access) (is |was |has been )?denied|denied on resource|app id no auth|you have been blocked|授权错误|' +
      'not authorized to (perform|use|access)|(is )?not enabled for (your|this) (account|organi[sz]ation|project)|' +
      'does not (yet )?include[a-z\\d]{0,24} access',
  ],
  [
    'context_too_long',
    '',
    'too many tokens(:| in (the )?(request|prompt|input))|payload too large|tokens (you )?requested exceed|' +
      '(prompt|input|payload)( length| size| text)?(\\x28[a-z\\d]{1,24}\\x29)? (exceeds|is (larger|longer) than|is too (long|large))|' +
      'is too long,|content size limit|number of tokens in[^.]{0,40}exceeds|due to context size',
  ],
  ['content_policy', '', 'request (was|has been|is) blocked|content filter triggered'],
  [
    'rate_limit',
    'Throttl(ing|ed)\\w{0,20} TooManyRequests\\w{0,20} RateLimit(ed|Exceeded|Reached)?(Error|Exception)? RequestLimitExceeded',
    '(rate|usage) limits? (was |has been |is )?(exceeded|reached|hit|error)|' +
      '(reached|exceed(s|ed|ing)?|hit|over|exhausted) (the |your |its |our |this |a )?[a-z]{0,24}rate limit|' +
      'rate limit$(?<=^rate limit$)|rate limited|too many (messages|concurrent)|' +
      'requests (are )?too (quickly|fast|frequent)|(requests|messages) per hour|slow down$|' +
      'too many tokens,? please wait|concurren(t|cy)[a-z]{0,12} limit (reached|exceeded)|' +
      'resource (has been )?exhausted|request rate (is )?too high|(is|are|was|were|getting) (being )?throttled|' +
      'throttling exception|request rate increased too|请求过于频繁|请求频率|频率上限|速率限制|限流|并发(数)?(过高|超)',
  ],
  [
    'overloaded',
    '(model|server|engine|system)_(is_)?(currently_)?(overloaded|busy)\\w{0,20} Overloaded\\w{0,20}',
    'overloaded|(is|are|currently) at capacity|' +
      '(server|model|system|service|engine|api) (is |are )?(currently |temporarily |too )*(busy|unavailable)|' +
      'temporarily unavailable|no [a-z]{0,8}workers? (are |is )?available|(high|heavy) (demand|traffic|load)|' +
      'high volume|insufficient capacity|no (available )?capacity|' +
      '(模型|服务|服务器|系统)(当前|目前)?(过载|繁忙|负载)|访问量过大|负载过高|稍后(再试|重试)|失败,?，?请重试|不完整,?，?请重试',
  ],
  [
    'provider_unavailable',
    '(bad_gateway|provider_unavailable)',
    'bad gateway|(upstream|origin) (connect|request|server|stream)? ?(error|failed|unavailable)|' +
      'no available upstream|(error from|unknown error from) provider|provider (is )?unavailable|' +
      '(?<!\\d)provider returned error$|no deployments? (are |is )?available|web server is down|' +
      'origin is unreachable',
  ],
  // The names are those of Python, Java and undici.
  [
    'timeout',
    '(gateway_timeout|timeout_error) ' +
      '(Read|Write|Connect|Pool|Socket|Http|API|Headers|Body|APIConnection)Timeout(Error|Exception)? UND_ERR_(CONNECT|HEADERS|BODY)_TIMEOUT TimeoutRejectedException',
    'request failed[:\\x28]{1,2}timed out|(iteration|websocket[a-z]{0,8}|generation|inference|api|llm) timed out|' +
      'i/o timeout|tls handshake timeout|timeout awaiting response headers|' +
      '(connect|gateway|idle|read|socket|upstream request) timeout|interrupted ioexception: timeout|' +
      '(read|request|operation|call|completion|stream|upstream|model|provider) timed out|' +
      'request to [a-z.]{1,24} timed out|(api|llm|model|provider) response timeout|' +
      '(api|model|provider|server) is (not responding|timing out)|timeout of [\\d.]{1,12}s exceeded|' +
      'invocation timed out|timeout exceeded while|timeout was reached|timeout (after|passed=)\\d|' +
      'within the allowed timeout|deadline exceeded|exceeded the [a-z\\d]{0,20} deadline|^(error:)?timeout:|请求超时|响应超时|连接超时',
  ],
  [
    'server_error',
    'InternalServer(Error|Exception) internal_error server_error TransientAiException',
    'validation errors? for (chat completion(?!s)|(model|chat|generate content) response)|' +
      '(internal|unexpected) server error|internal error$|service failed 50[0234]|an internal error (has )?occurred|' +
      'encountered an? (internal|server) error|server error$|server had an error|' +
      'an error occurred while processing your request|something went wrong on our (end|side)|' +
      'api error: an unknown error|(^|:)server error[,.]|error parsing tool call|with unexpected mimetype|' +
      'empty response( received)? from|' +
      'no (valid )?(content|response) (was )?(found|from|generated|in (the )?response|received|returned|within)|' +
      'empty reply from|(returned|received|with) (an )?empty response|' +
      '(did no?t|unable to|could no?t|couldnt) (return|generate|get|produce) (an? |any )?(content|response)|' +
      'failed to get (an? )?response from|internal error encountered|internal server exception|' +
      '(llm|model|gemini|claude|openai|anthropic|assistant|upstream|gpt|deepseek|mistral|ollama|(^|:)ai(?=return|did|resp|model|service))[a-z]{0,24}((did no?t|failed to) (return|contain|call|generate|produce)|(returned|produced|response) (an? )?(empty|invalid|malformed|missing|no|output|un)|(is |are )?(unavailable|not (healthy|responding)|offline))|' +
      'no object generated|output parser exception: (invalid|failed to parse|could)|' +
      'model behavior: (invalid response|exceeded maximum)|' +
      '(模型|llm|ai|openai|gemini|anthropic|claude|deepseek)[^.。]{0,12}((未|没有?)(能)?返回|返回[^.。]{0,8}(空|无效|无法))|' +
      '(服务器?|接口)暂时不可用|请求失败[^。]{0,4}。?请[^。]{0,80}重试|' +
      '(模型|llm|ai)[^.。]{0,12}((响应|回复|输出)[^.。]{0,6}(缺少|为空|不完整|无效)|无响应)|' +
      '(failed|wrong|response)[.!,]{0,3}please try again|' +
      '(failed to|could not|unable to|error) (pars|decod|deserializ)[a-z]{1,3} (the )?(api|llm|model|server|provider)[a-z\\d/]{0,12} response(?!: invalid type: integer 4)|' +
      '^(error:?|错误:?)?invalid character.looking for beginning of value|' +
      'expecting value: line 1 column 1\\x28char 0\\x29(?<=(request|response|请求)[^]{0,400}char 0\\x29)|' +
      'failed to generate (an? )?(valid )?(llm )?(response|tool call)|error generating an? response|' +
      '(model )?runner has unexpectedly stopped|try again later|(try again in|wait) a (few )?(moment|minute|second)|' +
      'backend error|服务器?内部错误|内部服务器错误',
  ],
  [
    'stream_interrupted',
    '',
    'stream disconnected before completion(?!: encrypted)|(upstream|http/2) stream (error|failed|reset)|' +
      'stream (ended|closed|terminated) (early|unexpectedly|before|prematurely|with)|no stream activity|' +
      'failed to parse stream|incomplete message\\x29|' +
      'stream read error|(agent|model|response|stream) stalled|reconnecting\\.\\.\\.\\d|incomplete (chunked )?read|' +
      'without sending complete message body|stream (was )?interrupted|(^|:)empty stream$|unexpected end of stream|' +
      'response ended prematurely|err incomplete chunked encoding|error decoding response body',
  ],
  [
    'connection_error',
    '(RemoteProtocol|LocalProtocol|Read|Write|Connect|APIConnection|NewConnection|ConnectionReset|ConnectionRefused|ConnectionAborted|BrokenPipe)Error RemoteDisconnected (Socket|Connect|UnknownHost|NoRouteToHost)Exception UND_ERR_SOCKET ERR_(NETWORK|SOCKET_CLOSED|STREAM_PREMATURE_CLOSE)\\w{0,20}',
    'server disconnected|remote end closed|unexpected eof|received no bytes|' +
      'request to https?:[a-z\\d./:-]{1,120} failed|broken pipe|no route to host|no such host|server sent goaway|' +
      'runtime exception: unavailable|error sending request for url|max retries exceeded with url|name resolution|' +
      'name or service not known|getaddrinfo failed|nodename nor servname|' +
      'connection (error|reset|refus|abort|closed|lost|failed|was)|actively refused|tcptransport closed|' +
      '(failed to|unable to|could no?t) connect|' +
      '(failed to|unable to|could no?t) (reach|contact|communicate with) (the )?(api|llm|model|provider|upstream)|' +
      '网络(连接)?(错误|失败)|^连接失败$|' +
      'socket is not connected|typeerror: terminated|: terminated$|' +
      'net::err (connection|empty|http2|internet|name|network|quic|timed out)|forcibly closed|' +
      'upstream prematurely closed|network error|: eof$',
  ],
  [
    'invalid_request',
    '',
    '(^|[:.])not found$|(bad|invalid|malformed|unprocessable) (api )?(request|parameter|argument|schema|entity)|' +
      'provider not provided|missing (one or multiple )?(required )?parameter|required parameter[^.]{0,4} missing|' +
      'expected last role',
  ],
];

/** Searched after the tables of all providers. */
export const COMMON: Family = {
  decisive: REFUSALS,
  permanent: PERMANENT,
  general: GENERAL,
  anyStatus: LIMITS_AND_ACCOUNTS,
  usual: USUAL,
  vague: VAGUE,
  alone: ALONE,
};
