/**
 * The tables of all providers and of `common.ts`, in the form in which they are searched. `npm run pages` writes this
 * file. To change a rule, edit its file in `providers/` or `common.ts`; to add a provider, add a file to `providers/`.
 */

import type { Keep, Rule, TextSources } from './family.ts';
import { ruleOfQuotaNames } from './limits.ts';
import { rule as alibabaRule } from './providers/alibaba.ts';
import { keep as anthropicKeep } from './providers/anthropic.ts';
import { rule as azureRule } from './providers/azure.ts';
import { rule as bedrockRule } from './providers/bedrock.ts';
import { keep as cloudflareKeep, rule as cloudflareRule } from './providers/cloudflare.ts';
import { keep as googleKeep, rule as googleRule } from './providers/google.ts';
import { keep as openrouterKeep } from './providers/openrouter.ts';

export const RULES: readonly Rule[] = [
  alibabaRule,
  azureRule,
  bedrockRule,
  cloudflareRule,
  googleRule,
  ruleOfQuotaNames,
];

export const KEEPERS: readonly Keep[] = [
  anthropicKeep,
  cloudflareKeep,
  googleKeep,
  openrouterKeep,
];

export const HEADERS: Readonly<Record<string, string>> = {
  anthropic: 'anthropic-organization-id anthropic-ratelimit-requests-limit',
  azure: 'apim-request-id x-ms-region azureml-model-session',
  bedrock: 'x-amzn-errortype x-amzn-requestid',
  groq: 'x-groq-region x-groq-id',
  huggingface: 'x-compute-type',
  mistral: 'mistral-correlation-id x-mistral-correlation-id',
  nvidia: 'nvcf-reqid nvcf-status',
  openai: 'openai-processing-ms openai-organization openai-version',
  openrouter: 'x-openrouter-request-id',
};

export const SIGNATURES: Readonly<Record<string, string>> = {
  alibaba: 'help.aliyun.com alibabacloud.com',
  azure: 'azureopenai aka.ms/oai',
  baidu: 'baidu.com baidubce.com',
  cohere: 'trialkey cohere.com',
  deepseek: 'deepseek.com',
  elevenlabs: 'elevenlabs.io',
  envoy: 'upstreamconnecterror nohealthyupstream upstreamrequesttimeout',
  google: 'ai.google.dev',
  groq: 'console.groq.com',
  huggingface: 'huggingface.co hf.co/',
  minimax: 'minimax.io minimaxi.com',
  mistral: 'mistral.ai',
  moonshot: 'moonshot.cn moonshot.ai',
  nvidia: 'nvidia.com',
  ollama: 'trypullingitfirst maximumpendingrequests',
  openai: 'platform.openai.com help.openai.com',
  openrouter: 'openrouter.ai',
  tencent: 'tencentcloudapi.com cloud.tencent.com',
  together: 'together.ai together.xyz',
  volcengine: 'volcengine.com volces.com',
  xai: 'console.x.ai grok.com',
  zhipu: 'bigmodel.cn z.ai/',
};

export const CODE_MEMBERS: readonly string[] = ['error_code', 'reason', 'limit_source', 'error_type', 'code', 'type', '__type', 'status', 'error_name', 'status_code'];

export const WAIT_MEMBERS: readonly string[] = [];

export const CODES: Readonly<Record<'decisive' | 'usual' | 'vague', string>> = {
  decisive: '(?<account_suspended>(organizationonhold|consumersuspended|organizationrestricted|accountdeactivated|accessterminated)@\\d+|(1112|1121|1313)@(401|403|429))|(?<billing_error>(arrearage|billingerror|linkedorganization\\w+|billingdisabled|billingnotactive|creditserror|weightexceedsbudget|openroutercredits|paymentrequired|\\w{0,40}insufficient(balance|credits|funds)\\w{0,20})@\\d+|1008@0|1113@(400|429))|(?<quota_exhausted>((contract|enforced)spendlimitreached|servicequotaexceededexception|monthlyrequestcount|quotaexhausted|dailylimitexceeded|insufficientg1creditsbalance|insufficient(user)?quota|creditbalanceexhausted|organizationspendlimitexceeded|billinghardlimitreached|usagenotincluded|usagelimitreached|exceededcurrentquotaerror|budgetexceeded|userweeklyratelimited|\\w+usagelimiterror|monthlylimiterror|userlimiterror|openrouterkeylimit|openrouterfreetierdaily|openrouter(?!inflight)\\w+budget|failedoperation\\.(free)?resourcepackexhausted|accountquotaexceeded|setlimitexceeded|\\w{0,40}allowanceexhausted)@\\d+|2056@0|(1304|1308|1309|1310|1316|1317)@429)|(?<auth_invalid>((expiredtoken|invalidsignature|signaturedoesnotmatch|incompletesignature|missingauthenticationtoken)\\w*|unrecognizedclientexception|invalidclienttokenid|apikeyinvalid|accesstokenexpired|invalidapikey|authentication|\\w{0,40}auth(entication)?failed|missing(api)?key)@\\d+|(1004|2049)@0)|(?<permission_denied>(browsersignaturebanned|accessdenied|servicedisabled|apikeyserviceblocked|unsupportedcountryregionterritory|requestforbidden|privacyrestricted|tiernotallowed)@\\d+|1311@(403|429))|(?<content_policy>(datainspectionfailed|responsibleaipolicyviolation|sensitivewordsdetected|\\w*contentpolicyviolation|contentfilter(ed|error)?|moderationblocked|refusal)@\\d+|(1026|1027)@0|1301@(400|429))|(?<context_too_long>(requesttoolarge|maxcharacterlimitexceeded|exceedcontextsizeerror|contextlengthexceeded|modelmaxprompttokensexceeded|tokenlimitexceeded|stringtoolong|payloadtoolarge)@\\d+|ratelimitexceeded@413|1261@400)|(?<model_deprecated>(modeldecommissioned|modeldeprecated|freevariantended)@\\d+)|(?<model_not_found>(deploymentnotfound|invalidmodel|modelnot(found|supported)|noendpoints|modelnotavailable|resourcenotfounderror)@\\d+|1211@400)|(?<unsupported_feature>(operationnotsupported|unsupportedvalue|(unknown|unsupported)parameter|unsupportedimageformat)@\\d+)|(?<overloaded>(modelcapacityexhausted)@\\d+)|(?<rate_limit>(inflightbudgetexhausted|openrouterinflightbudget)@\\d+)',
  usual: '(?<auth_invalid>(authenticationerror|unauthenticated)@\\d+)|(?<permission_denied>(permissionerror|accessdeniedexception|permissiondenied|permissiondeniederror)@\\d+)|(?<model_not_found>(notfounderror|resourcenotfoundexception|notfound)@\\d+)|(?<unsupported_feature>(unimplemented)@\\d+)|(?<overloaded>(modelnotreadyexception|serviceunavailableexception|insufficientmodelcapacity|systembusy|unavailable|(flex)?capacityexceeded|serverisoverloaded|slowdown|conversationlocked|serviceunavailableerror|engineoverloaded\\w*|capacityexhausted|provideroverloaded|overloaded(error)?)@\\d+)|(?<rate_limit>(throttling(\\.\\w+)?|ramplimitexceeded|throttlingexception|resourceexhausted|upstreamprovider\\w+|requestlimitexceeded(\\.\\w+)?|toomanyrequests(exception)?|ratelimit(error|exceeded|reached|ed)?)@\\d+|429@(400|403)|(1002|1039|1041)@0|(tokens|requests)@0)|(?<provider_unavailable>(cmek\\w+|unreachablebackend|getchannelfailed|dorequestfailed|providerunavailable|temporarilyunavailable)@\\d+)|(?<timeout>(modeltimeoutexception|origintimeout|connectiontimedout|deadlineexceeded|timeout(error)?)@\\d+|1001@0)|(?<server_error>(modelerrorexception|modelstreamerrorexception|internalserverexception|internalfailure|cancelled)@\\d+|(incomplete)?generation@(424|500))|(?<invalid_request>invalidparameter@0|(validation|conflict)exception@0|(1042|2013)@0)',
  vague: '(?<auth_invalid>(unauthorized|unauthenticated)@(0|401))|(?<server_error>(server(error)?|apierror|internal(error)?|internalservererror|unmapped|unknown|dataloss)@(0|500))|(?<invalid_request>(invalidprompt|invalidargument|failedprecondition|outofrange|alreadyexists|aborted)@(0|400|422)|(invalidrequest(error)?|invalidrequestmessageorder|badrequesterror)@(0|400|422|50[02]))',
};

export const TEXTS: Readonly<Record<'decisive' | 'anyStatus' | 'permanent' | 'general' | 'usual', TextSources>> = {
  decisive: {
    billing_error: 'paymentinstrument|requiresbilling|enablebilling|requiresaprosubscription',
    quota_exhausted: 'openapi(daily|total)requestlimit|billinghardlimit',
    auth_invalid: 'reportedasleaked|(expired|incorrect|invalid|missing)([a-z]{0,12}api|access|auth|bearer|or|security|subscription)[a-z]{0,20}?(header|key|token)|nox?apikey|missingcredentials|apikey(is)?(not(set|valid|configured|provided)|invalid|expired|missing)|(invalid|noauth|validate)credentials|notauthenticated|authentication(failed|token)|failedauth|(access|security)token[a-z]{0,24}(invalid|expired)|token(has|is)?expired|signature[a-z]{0,40}doesno?tmatch|(鉴权|认证)失败|(^|:)unauthorized$',
    permission_denied: 'unsupportedcountries|locationisnotsupported|region,?orterritory|organizationmustbeverified|datapolicy|not(available|allowed|included|enabled|supported)(in|on|for|with)(your|this)[a-z]{0,20}(tier|plan|subscription|region|country)|(tier|plan|subscription)(does)?not(allow|include|support)',
    content_policy: 'newsensitive|promptinjection|moderation|flagged|content(filter(ing)?|management)policy|content(polic|filters)|usagepolic|safety(system|checks|filter|settings)|guardrail|violat(es|ed)[a-z]{0,20}(guideline|polic)|nsfw|敏感(信息|词|内容)|(contains?|includes)(blocked|prohibited|disallowed|sensitive)(content|words)',
    context_too_long: 'inputlengthshouldbe|promptcannotexceed|reducethelengthofthe|maxnewtokensmustbe|context(length|limit|size|window)[a-z]{0,12}(exceed|overflow|only)|(exceed|(great|larg|long)erthan)[^.]{0,40}context(length|limit|size|window)|maximum(context|input|model|prompt)length|(prompt|input)istoolong|entitytoolarge|toolarge(formodel|toprocess)|modeltokenlimit|inputtokenlimitis|ha(s|ve)toomanytokens|toomanyinputtokens|(prompt|input)tokencount.{0,40}exceeds',
    model_deprecated: '(deprecated|decommissioned|retired|shutdown|discontinued|sunset|removed|nolonger(available|supported|offered))(?<=model([^.]|\\.\\d){0,90}(has|have|is|was)(been)?(deprecated|decommissioned|retired|shutdown|discontinued|sunset|removed|nolonger(available|supported|offered)))|endofitslife',
    model_not_found: 'modelidentifierisinvalid|modelnotexist|notfoundforaccount|trypullingitfirst|noendpointsfoundfor|notavalidmodelid|noallowedproviders|unabletoaccess(nonserverless)?model|(notfound|doesno?texist|isnotavailable|unknown)(?<=(model|deployment)([^.]|\\.\\d){0,90}(notfound|doesno?texist|isnotavailable|unknown))|(unknown|invalid|nosuch)model|maynotexistoryoumaynothave|modelnameisinvalid|模型不存在|supportedmodels',
    unsupported_feature: 'noendpointsfoundthatsupport|do(es)?notsupport|notsupported(?<!format[a-z/]{0,20}notsupported)|unsupported(?!(audio|data|file|format|image|media|mime))|isntsupported|not(yet)?implemented',
    invalid_request: 'unexpectedendpoint',
  },
  anyStatus: {
    account_suspended: 'unusualactivitydetected|(账号|[账用]户)已?被?[封禁]|(disabled|suspended|deactivated|banned|terminated)(?<=(account|organi[sz]ation|consumer|project|workspace|team|user)[^.]{0,80}(hasbeen|(?<!orit)is|was)(disabled|suspended|deactivated|banned|terminated))|service(hasbeen)?suspended|violationof[a-z]{0,20}terms',
    billing_error: 'creditbalanceistoolow|outofextrausage|(extrausage|usagecredits?)(is|are)required|insufficient(account)?(balance|credit|fund)|balanceisinsufficient|accountisnotactive|requiresmorecredits|(?<!minute)creditlimitexceeded|(have|has)anycredits|outofcredits|usedallavailablecredits|negativecreditbalance|paymentrequired|trial(has|is)?(ended|expired|over)|no(valid)?paymentmethod|paymentispastdue|(余额|额度)不足|欠费|预扣费额度失败',
    quota_exhausted: 'freeallocatedquota|reachedforthismonth|exceedsyourquota|budgethasbeenexceeded|(crossed|exceeded)budget|额度已[用耗][尽完]|quotaisnotenough|keylimitexceeded|freeusagequota|includedfreeusage|accounts[a-z]{0,30}quota|exceededyourcurrentquota|(^|\\d)quotaexceeded$|(?<!request)quotaexceededformodel|callvolumequota|insufficientquota|usagelimits?(hasbeen|was)?(reached|exceeded|hit)|(reached|exceeded|hit)(the|your)[a-z\\d\\x28)]{0,40}usagelimit|spend(ing)?limit|todaysquota|hour(usage)?quota|subscriptionquotaexceeded|quota(hasbeen|is)(exhausted|usedup)|exceeded[a-z]{0,60}freetier|exhausted(their|your|the)[a-z\\d]{0,20}quota|setinferencelimit|用量?上限|费用限制',
    content_policy: 'usageguidelines',
    context_too_long: 'requesttoolargefor|reducedinordertorun',
    overloaded: 'degradedfunction|(model|server|engine)is(currently|temporarily)?overloaded',
    rate_limit: 'concurrentrequestlimit|apiratelimitexceeded|toomanyrequests|secondaryratelimit',
    invalid_request: 'moresystemmemory',
  },
  permanent: {
    permission_denied: 'permissiondenied|access(tothis[a-z]{1,20}is)?(denied|forbidden)',
    model_not_found: 'unknown(providerfor)?model(?!(err|fail))|identifierisinval',
    invalid_request: 'must(alternate|be(pas|prov))|keyerror:(mess|prompt)|{%|(chat|prompt)template|nouserqueryfound|butfoundtool|streamingisrequired|certificatever|(?<!apikey(is)?)no?tconfigured|^\\[json\\.exception|invalidur[il]|nosuchfile|(^|[:.s]|exception|are)no(?!t|rea|hea)[a-z]{1,40}(configured|enabled|registered)|improperlyformed',
  },
  general: {
    auth_invalid: '[.:]reauth|revoked|suspended|authorizationfail|[a-z]{3}(?<!ify|ate|the)apikey(?!s|t|v)|credential',
    permission_denied: 'permission|haveaccess|forbidden',
    content_policy: 'newsensitive|inappropriate|prohibited|blockedby[a-z]{0,20}(filter|polic)|guardrail',
    context_too_long: 'toolarge|(audio|input|text)toolong|maxallowedtoken',
    unsupported_feature: '(only[a-z]{0,20}|no[a-z]{3,40}s|un)support|onlyallow(?!s?(\\d|one))|(not|un)implement(?!edyet)|不支持',
    invalid_request: 'not(set|a?valid|allowed|authori[sz]ed|enabled|installed|supported|defined|provided|registered)(?!yet)|(?<!^)notfound|(?<!fallbackhasbeen)[ck]onfig|please(add|en|install|load|reduce|run|set|upgrade)|(malformed|incorrect|invalid|missing|unknown|hasno(?!a[tv]))(?!output|json)[a-z\\d.$]{0,18}(arg|attr|base64|env|field|file|format|header|id(:|$)|image|input|key|message|method|mode(l|(?!l))|name|object|option|padding|param|path|prompt|request|role|schema|table|tensor|token|type|ur[il]|user|value|version|voice)(?!(of)?(err|fail))|missing($|[.(])|(not|already)exist|duplicate|([dot]|error)(access|load)(ing)?[a-z]{0,16}model|nolonger(?!al)|(buil[dt]|compiled)with|no(compatible|file|input|matching|messages|module|prompt|such(?!host|cont)|suitable)|route(found)?for|validation(e|fail)|codeccant|(?<!output)(cannotbe|is|are)empty|must(?!wait)|disabled|(?<!\\d)require[sd](?!action)|unexpectedkeyword|(to|not)(decode|open|parse|load)[a-z]{0,16}(audio|file|image|wav)|saknas|manquant|fehlt|缺少(?!json)[a-z]|未(设置|安装|启用|找到(?!可用))|配置|过期|設定|账号不|模型无可|formodelingroup',
  },
  usual: {
    overloaded: 'highdemand|capacityexceeded|serverbusy|maximumpendingrequests|toobusy|atcapacity|overloaded',
    rate_limit: 'openapi(qps)?requestlimit|ratelimit|throttl',
    provider_unavailable: 'upstreamconnecterror|nohealthyupstream',
    timeout: 'timed?out',
  },
};

export const PASSING =
  'mainten|statuscode5|state|instance|slot|invalidchar|worker|respond|response(?!(format(?!from)|blocked))|busy|unavailable|(?<!error)loading|host(?!ed)|modeloutput|generated|connect|session|running|unknownerror|cold|capacity|again|retr(y|ied)|memory|tempor|upstream|returned(?!error)|cuda|reach|network|fetch|addrinfo|stream|answer|until|deadline|cancel|killed|crash|died|alloc|连接';

export const ALONE_CODES =
  '(?<quota_exhausted>(\\w{0,40}(quota|(usage|spend)limit)(exceeded|exhausted|reached))@\\d+)|(?<overloaded>((model|server|engine|system)(is)?(currently)?(overloaded|busy)\\w{0,20}|overloaded\\w{0,20})@\\d+)|(?<rate_limit>(throttl(ing|ed)\\w{0,20}|toomanyrequests\\w{0,20}|ratelimit(ed|exceeded|reached)?(error|exception)?|requestlimitexceeded)@\\d+)|(?<provider_unavailable>((badgateway|providerunavailable))@\\d+)|(?<timeout>((gatewaytimeout|timeouterror)|(read|write|connect|pool|socket|http|api|headers|body|apiconnection)timeout(error|exception)?|underr(connect|headers|body)timeout|timeoutrejectedexception)@\\d+)|(?<connection_error>((remoteprotocol|localprotocol|read|write|connect|apiconnection|newconnection|connectionreset|connectionrefused|connectionaborted|brokenpipe)error|remotedisconnected|(socket|connect|unknownhost|noroutetohost)exception|underrsocket|err(network|socketclosed|streamprematureclose)\\w{0,20})@\\d+)|(?<server_error>(internalserver(error|exception)|internalerror|servererror|transientaiexception)@\\d+)';

export const ALONE_TEXTS: TextSources = {
  billing_error: 'creditbalancetoolow|nocredits(remaining|left)|balance(is)?(notenough|insufficient)',
  quota_exhausted: '(session|hour|usage|weekly|daily|monthly|trial)(request)?limit(hasbeen|was|is)?reached|(hit|reached)your(session|usage|weekly|trial)?(request)?limit|exceeded(your|the)?quota|(free|individual)quota(is|was)?(used|reached)|freetier[a-z]{0,30}exhausted|exceededyour(dai|week|month)ly[a-z]{0,20}credits|(quota|billing|credits?)[a-z]{0,20}exhausted',
  auth_invalid: 'illegalheadervalue|apikey[a-z]{0,20}mustbe(set|provided)|authentication(has)?failed|authentication(is)?required|requires?authentication|invalidauthentication|valid[a-z]{0,10}tokenisrequired',
  permission_denied: '(permission|access)(is|was|hasbeen)?denied|deniedonresource|appidnoauth|youhavebeenblocked|授权错误|notauthorizedto(perform|use|access)|(is)?notenabledfor(your|this)(account|organi[sz]ation|project)|doesnot(yet)?include[a-z\\d]{0,24}access',
  content_policy: 'request(was|hasbeen|is)blocked|contentfiltertriggered',
  context_too_long: 'toomanytokens(:|in(the)?(request|prompt|input))|payloadtoolarge|tokens(you)?requestedexceed|(prompt|input|payload)(length|size|text)?(\\x28[a-z\\d]{1,24}\\x29)?(exceeds|is(larger|longer)than|istoo(long|large))|istoolong,|contentsizelimit|numberoftokensin[^.]{0,40}exceeds|duetocontextsize',
  overloaded: 'bedrockisunabletoprocessyourrequest|iscurrentlyloading|overloaded|(is|are|currently)atcapacity|(server|model|system|service|engine|api)(is|are)?(currently|temporarily|too)*(busy|unavailable)|temporarilyunavailable|no[a-z]{0,8}workers?(are|is)?available|(high|heavy)(demand|traffic|load)|highvolume|toomanycurrentrequests|queueposition|insufficientcapacity|no(available)?capacity|(模型|服务|服务器|系统)(当前|目前)?(过载|繁忙|负载)|访问量过大|负载过高|稍后(再试|重试)|失败,?，?请重试|不完整,?，?请重试',
  rate_limit: '(rate|usage)limits?(was|hasbeen|is)?(exceeded|reached|hit|error)|(reached|exceed(s|ed|ing)?|hit|over|exhausted)(the|your|its|our|this|a)?[a-z]{0,24}ratelimit|ratelimit$(?<=^ratelimit$)|ratelimited|toomany(messages|concurrent)|requests(are)?too(quickly|fast|frequent)|(requests|messages)perhour|slowdown$|toomanytokens,?pleasewait|concurren(t|cy)[a-z]{0,12}limit(reached|exceeded)|resource(hasbeen)?exhausted|requestrate(is)?toohigh|(is|are|was|were|getting)(being)?throttled|throttlingexception|requestrateincreasedtoo|请求过于频繁|请求频率|频率上限|速率限制|限流|并发(数)?(过高|超)',
  provider_unavailable: 'badgateway|(upstream|origin)(connect|request|server|stream)??(error|failed|unavailable)|noavailableupstream|(errorfrom|unknownerrorfrom)provider|provider(is)?unavailable|(?<!\\d)providerreturnederror$|nodeployments?(are|is)?available|webserverisdown|originisunreachable',
  stream_interrupted: 'withoutvalidcontent|streamdisconnectedbeforecompletion(?!:encrypted)|(upstream|http/2)stream(error|failed|reset)|stream(ended|closed|terminated)(early|unexpectedly|before|prematurely|with)|nostreamactivity|errorinmessagestream|failedtoparsestream|incompletejsonsegment|incompletemessage\\x29|streamreaderror|(agent|model|response|stream)stalled|reconnecting\\.\\.\\.\\d|incomplete(chunked)?read|withoutsendingcompletemessagebody|stream(was)?interrupted|(^|:)emptystream$|unexpectedendofstream|responseendedprematurely|errincompletechunkedencoding|errordecodingresponsebody',
  timeout: 'timedoutwaitingforllamarunner|requestfailed[:\\x28]{1,2}timedout|(iteration|websocket[a-z]{0,8}|generation|inference|api|llm)timedout|i/otimeout|tlshandshaketimeout|timeoutawaitingresponseheaders|(connect|gateway|idle|read|socket|upstreamrequest)timeout|interruptedioexception:timeout|(read|request|operation|call|completion|stream|upstream|model|provider)timedout|requestto[a-z.]{1,24}timedout|(api|llm|model|provider)responsetimeout|(api|model|provider|server)is(notresponding|timingout)|timeoutof[\\d.]{1,12}sexceeded|source:timedout|invocationtimedout|timeoutexceededwhile|timeoutwasreached|timeout(after|passed=)\\d|withintheallowedtimeout|deadlineexceeded|exceededthe[a-z\\d]{0,20}deadline|^(error:)?timeout:|请求超时|响应超时|连接超时',
  connection_error: 'serverdisconnected|remoteendclosed|unexpectedeof|receivednobytes|requesttohttps?:[a-z\\d./:-]{1,120}failed|brokenpipe|noroutetohost|nosuchhost|serversentgoaway|runtimeexception:unavailable|errorsendingrequestforurl|maxretriesexceededwithurl|nameresolution|nameorservicenotknown|getaddrinfofailed|nodenamenorservname|connection(error|reset|refus|abort|closed|lost|failed|was)|activelyrefused|tcptransportclosed|(failedto|unableto|couldno?t)connect|(failedto|unableto|couldno?t)(reach|contact|communicatewith)(the)?(api|llm|model|provider|upstream)|网络(连接)?(错误|失败)|^连接失败$|errordeconexión|erreur(réseau|deconnexion)|ошибка(сети|соединения)|socketisnotconnected|typeerror:terminated|:terminated$|net::err(connection|empty|http2|internet|name|network|quic|timedout)|forciblyclosed|upstreamprematurelyclosed|networkerror|:eof$',
  server_error: 'validationerrors?for(chatcompletion(?!s)|(model|chat|generatecontent)response)|(internal|unexpected)servererror|internalerror$|servicefailed50[0234]|aninternalerror(has)?occurred|encounteredan?(internal|server)error|servererror$|serverhadanerror|anerroroccurredwhileprocessingyourrequest|somethingwentwrongonour(end|side)|apierror:anunknownerror|(^|:)servererror[,.]|errorparsingtoolcall|withunexpectedmimetype|emptyresponse(received)?from|no(valid)?(content|response)(was)?(found|from|generated|in(the)?response|received|returned|within)|emptyreplyfrom|(returned|received|with)(an)?emptyresponse|(didno?t|unableto|couldno?t|couldnt)(return|generate|get|produce)(an?|any)?(content|response)|failedtoget(an?)?responsefrom|internalerrorencountered|internalserverexception|(llm|model|gemini|claude|openai|anthropic|assistant|upstream|gpt|deepseek|mistral|ollama|(^|:)ai(?=return|did|resp|model|service))[a-z]{0,24}((didno?t|failedto)(return|contain|call|generate|produce)|(returned|produced|response)(an?)?(empty|invalid|malformed|missing|no|output|un)|(is|are)?(unavailable|not(healthy|responding)|offline))|noobjectgenerated|outputparserexception:(invalid|failedtoparse|could)|modelbehavior:(invalidresponse|exceededmaximum)|(模型|llm|ai|openai|gemini|anthropic|claude|deepseek)[^.。]{0,12}((未|没有?)(能)?返回|返回[^.。]{0,8}(空|无效|无法))|(服务器?|接口)暂时不可用|응답이(없|비어)|잠시후다시|요청이너무많|请求失败[^。]{0,4}。?请[^。]{0,80}重试|(模型|llm|ai)[^.。]{0,12}((响应|回复|输出)[^.。]{0,6}(缺少|为空|不完整|无效)|无响应)|ai[^.。]{0,12}応答が見つかりません|もう一度お試し|iadevolveuumjsoninv|nosepudoobtenerrespuesta|(応答|レスポンス)(が空|に|を(パース|解析)でき)|しばらく(待|し)|respuestavacía|respostavazia|réponsevide|пустойответ|невалидныйjson|laiano|nodevolvi[oó]|khôngtrả|yanıtı?alınamadı|nãoretornou|(failed|wrong|response)[.!,]{0,3}pleasetryagain|上游服务异常|(failedto|couldnot|unableto|error)(pars|decod|deserializ)[a-z]{1,3}(the)?(api|llm|model|server|provider)[a-z\\d/]{0,12}response(?!:invalidtype:integer4)|^(error:?|错误:?)?invalidcharacter.lookingforbeginningofvalue|expectingvalue:line1column1\\x28char0\\x29(?<=(request|response|请求)[^]{0,400}char0\\x29)|failedtogenerate(an?)?(valid)?(llm)?(response|toolcall)|errorgeneratingan?response|(model)?runnerhasunexpectedlystopped|tryagainlater|(tryagainin|wait)a(few)?(moment|minute|second)|backenderror|服务器?内部错误|内部服务器错误',
  invalid_request: '(^|[:.])notfound$|(bad|invalid|malformed|unprocessable)(api)?(request|parameter|argument|schema|entity)|providernotprovided|missing(oneormultiple)?(required)?parameter|requiredparameter[^.]{0,4}missing|expectedlastrole',
};
