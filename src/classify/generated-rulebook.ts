/**
 * The tables of all providers and of `common.ts`, in the form in which they are searched. `npm run pages` writes this
 * file. To change a rule, edit its file in `providers/` or `common.ts`; to add a provider, add a file to `providers/`.
 */

import type { Keep, Rule, Sources } from './family.ts';
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

export const CODES: Readonly<Record<'decisive' | 'usual' | 'vague', Sources>> = {
  decisive: {
    account_suspended: 'organizationonhold~consumersuspended~organizationrestricted~accountdeactivated~accessterminated~(`1112`|`1121`|`1313`)@(401|403|429)',
    billing_error: 'arrearage~billingerror~linkedorganization\\w+~billingdisabled~1008@0~billingnotactive~creditserror~weightexceedsbudget~openroutercredits~paymentrequired~1113@(400|429)~\\w{0,40}`insufficient`(balance|credits|funds)\\w{0,20}',
    quota_exhausted: '(contract|enforced)`spendlimitreached`~servicequotaexceededexception~monthlyrequestcount~quotaexhausted~dailylimitexceeded~insufficientg1creditsbalance~2056@0~insufficient(user)?quota~creditbalanceexhausted~organizationspendlimitexceeded~billinghardlimitreached~usagenotincluded~usagelimitreached~exceededcurrentquotaerror~budgetexceeded~userweeklyratelimited~\\w+`usagelimiterror`~monthlylimiterror~userlimiterror~openrouterkeylimit~openrouterfreetierdaily~openrouter(?!inflight)\\w+budget~failedoperation\\.(free)?resourcepackexhausted~accountquotaexceeded~setlimitexceeded~(1304|1308|1309|1310|1316|1317)`@429`~\\w{0,40}`allowanceexhausted`',
    auth_invalid: '(`expiredtoken`|`invalidsignature`|`signaturedoesnotmatch`|`incompletesignature`|`missingauthenticationtoken`)\\w*~unrecognizedclientexception~invalidclienttokenid~apikeyinvalid~accesstokenexpired~(`1004`|`2049`)@0~invalidapikey~authentication~\\w{0,40}auth(entication)?`failed`~missing(api)?key',
    permission_denied: 'browsersignaturebanned~accessdenied~servicedisabled~apikeyserviceblocked~unsupportedcountryregionterritory~requestforbidden~privacyrestricted~1311@(403|429)~tiernotallowed',
    content_policy: 'datainspectionfailed~responsibleaipolicyviolation~(`1026`|`1027`)@0~sensitivewordsdetected~\\w*`contentpolicyviolation`~contentfilter(ed|error)?~moderationblocked~refusal~1301@(400|429)',
    context_too_long: 'requesttoolarge~maxcharacterlimitexceeded~ratelimitexceeded@413~exceedcontextsizeerror~contextlengthexceeded~modelmaxprompttokensexceeded~tokenlimitexceeded~stringtoolong~payloadtoolarge~1261@400',
    model_deprecated: 'modeldecommissioned~modeldeprecated~freevariantended',
    model_not_found: 'deploymentnotfound~invalidmodel~modelnot(found|supported)~noendpoints~modelnotavailable~1211@400~resourcenotfounderror',
    unsupported_feature: 'operationnotsupported~unsupportedvalue~(unknown|unsupported)`parameter`~unsupportedimageformat',
    overloaded: 'modelcapacityexhausted',
    rate_limit: 'inflightbudgetexhausted~openrouterinflightbudget',
  },
  usual: {
    auth_invalid: 'authenticationerror~unauthenticated',
    permission_denied: 'permissionerror~accessdeniedexception~permissiondenied~permissiondeniederror',
    model_not_found: 'notfounderror~resourcenotfoundexception~notfound',
    unsupported_feature: 'unimplemented',
    overloaded: 'modelnotreadyexception~serviceunavailableexception~insufficientmodelcapacity~systembusy~unavailable~(flex)?`capacityexceeded`~serverisoverloaded~slowdown~conversationlocked~serviceunavailableerror~engineoverloaded\\w*~capacityexhausted~provideroverloaded~overloaded(error)?',
    rate_limit: 'throttling(\\.\\w+)?~ramplimitexceeded~429@(400|403)~throttlingexception~resourceexhausted~(`1002`|`1039`|`1041`)@0~(`tokens`|`requests`)@0~upstreamprovider\\w+~requestlimitexceeded(\\.\\w+)?~toomanyrequests(exception)?~ratelimit(error|exceeded|reached|ed)?',
    provider_unavailable: 'cmek\\w+~unreachablebackend~getchannelfailed~dorequestfailed~providerunavailable~temporarilyunavailable',
    timeout: 'modeltimeoutexception~origintimeout~connectiontimedout~deadlineexceeded~1001@0~timeout(error)?',
    server_error: 'modelerrorexception~modelstreamerrorexception~internalserverexception~internalfailure~cancelled~(incomplete)?`generation@`(424|500)',
    invalid_request: 'invalidparameter@0~(validation|conflict)`exception@0`~(`1042`|`2013`)@0',
  },
  vague: {
    auth_invalid: '(`unauthorized`|`unauthenticated`)@(0|401)',
    server_error: '(`server`(error)?|`apierror`|`internal`(error)?|`internalservererror`|`unmapped`|`unknown`|`dataloss`)@(0|500)',
    invalid_request: '(`invalidprompt`|`invalidargument`|`failedprecondition`|`outofrange`|`alreadyexists`|`aborted`)@(0|400|422)~(`invalidrequest`(error)?|`invalidrequestmessageorder`|`badrequesterror`)@(0|400|422|50[02])',
  },
};

export const TEXTS: Readonly<Record<'decisive' | 'anyStatus' | 'permanent' | 'general' | 'usual', Sources>> = {
  decisive: {
    billing_error: 'paymentinstrument~requiresbilling~enablebilling~requiresaprosubscription',
    quota_exhausted: 'openapi(daily|total)requestlimit~billinghardlimit',
    auth_invalid: 'reportedasleaked~(`expired`|`incorrect`|`invalid`|`missing`)([a-z]{0,12}api|access|auth|bearer|or|security|subscription)[a-z]{0,20}?(header|key|token)~nox?`apikey`~missingcredentials~apikey(is)?(not(set|valid|configured|provided)|invalid|expired|missing)~(invalid|noauth|validate)`credentials`~notauthenticated~authentication(failed|token)~failedauth~(access|security)`token`[a-z]{0,24}(invalid|expired)~token(has|is)?`expired`~signature[a-z]{0,40}doesno?tmatch~(鉴权|认证)`失败`~(^|:)`unauthorized`$',
    permission_denied: 'unsupportedcountries~locationisnotsupported~region,?orterritory~organizationmustbeverified~datapolicy~not(available|allowed|included|enabled|supported)(in|on|for|with)(your|this)[a-z]{0,20}(tier|plan|subscription|region|country)~(tier|plan|subscription)(does)?`not`(allow|include|support)',
    content_policy: 'newsensitive~promptinjection~moderation~flagged~content(filter(ing)?|management)policy~content(polic|filters)~usagepolic~safety(system|checks|filter|settings)~guardrail~violat(es|ed)[a-z]{0,20}(guideline|polic)~nsfw~敏感(信息|词|内容)~(`contain`s?|`includes`)(blocked|prohibited|disallowed|sensitive)(content|words)',
    context_too_long: 'inputlengthshouldbe~promptcannotexceed~reducethelengthofthe~maxnewtokensmustbe~context(length|limit|size|window)[a-z]{0,12}(exceed|overflow|only)~(exceed|(great|larg|long)erthan)[^.]{0,40}`context`(length|limit|size|window)~maximum(context|input|model|prompt)length~(prompt|input)`istoolong`~entitytoolarge~toolarge(formodel|toprocess)~modeltokenlimit~inputtokenlimitis~ha(s|ve)`toomanytokens`~toomanyinputtokens~(prompt|input)`tokencount`.{0,40}exceeds',
    model_deprecated: '(`deprecated`|`decommissioned`|`retired`|`shutdown`|`discontinued`|`sunset`|`removed`|`nolonger`(available|supported|offered))(?<=model([^.]|\\.\\d){0,90}(has|have|is|was)(been)?(deprecated|decommissioned|retired|shutdown|discontinued|sunset|removed|nolonger(available|supported|offered)))~endofitslife',
    model_not_found: 'modelidentifierisinvalid~modelnotexist~notfoundforaccount~trypullingitfirst~noendpointsfoundfor~notavalidmodelid~noallowedproviders~unabletoaccess(nonserverless)?model~(`notfound`|doesno?`texist`|`isnotavailable`|`unknown`)(?<=(model|deployment)([^.]|\\.\\d){0,90}(notfound|doesno?texist|isnotavailable|unknown))~(unknown|invalid|nosuch)`model`~maynotexistoryoumaynothave~modelnameisinvalid~模型不存在~supportedmodels',
    unsupported_feature: 'noendpointsfoundthatsupport~do(es)?`notsupport`~notsupported(?<!format[a-z/]{0,20}notsupported)~unsupported(?!(audio|data|file|format|image|media|mime|param))~isntsupported~not(yet)?`implemented`',
    invalid_request: 'unexpectedendpoint',
  },
  anyStatus: {
    account_suspended: 'unusualactivitydetected~(`账号`|[账用]`户`)已?被?[封禁]~(`disabled`|`suspended`|`deactivated`|`banned`|`terminated`)(?<=(account|organi[sz]ation|consumer|project|workspace|team|user)[^.]{0,80}(hasbeen|(?<!orit)is|was)(disabled|suspended|deactivated|banned|terminated))~service(hasbeen)?suspended~violationof[a-z]{0,20}terms',
    billing_error: 'creditbalanceistoolow~outofextrausage~(extrausage|usagecredits?)(is|are)`required`~insufficient(account)?(balance|credit|fund)~balanceisinsufficient~accountisnotactive~requiresmorecredits~(?<!minute)`creditlimitexceeded`~(have|has)`anycredits`~outofcredits~usedallavailablecredits~negativecreditbalance~paymentrequired~trial(has|is)?(ended|expired|over)~no(valid)?`paymentmethod`~paymentispastdue~(余额|额度)`不足`~欠费~预扣费额度失败',
    quota_exhausted: 'freeallocatedquota~reachedforthismonth~exceedsyourquota~budgethasbeenexceeded~(crossed|exceeded)`budget`~额度已[用耗][尽完]~quotaisnotenough~keylimitexceeded~freeusagequota~includedfreeusage~accounts[a-z]{0,30}quota~exceededyourcurrentquota~(^|\\d)`quotaexceeded`$~(?<!request)`quotaexceededformodel`~callvolumequota~insufficientquota~usagelimits?(hasbeen|was)?(reached|exceeded|hit)~(reached|exceeded|hit)(the|your)[a-z\\d\\x28)]{0,40}`usagelimit`~spend(ing)?limit~todaysquota~hour(usage)?`quota`~subscriptionquotaexceeded~quota(hasbeen|is)(exhausted|usedup)~exceeded[a-z]{0,60}freetier~exhausted(their|your|the)[a-z\\d]{0,20}quota~setinferencelimit~用量?`上限`~费用限制',
    content_policy: 'usageguidelines',
    context_too_long: 'requesttoolargefor~reducedinordertorun',
    overloaded: 'degradedfunction~(model|server|engine)is(currently|temporarily)?`overloaded`',
    rate_limit: 'concurrentrequestlimit~apiratelimitexceeded~toomanyrequests~secondaryratelimit',
    invalid_request: 'moresystemmemory',
  },
  permanent: {
    permission_denied: 'permissiondenied~access(tothis[a-z]{1,20}is)?(denied|forbidden)',
    model_not_found: 'unknown(providerfor)?model(?!(err|fail))~identifierisinval',
    invalid_request: 'must(alternate|be(pas|prov))~keyerror:(mess|prompt)~`{%`~(chat|prompt)`template`~nouserqueryfound~butfoundtool~streamingisrequired~certificatever~(?<!apikey(is)?)no?`tconfigured`~^\\[json\\.`exception`~invalidur[il]~nosuchfile~(^|[:.s]|exception|are)no(?!t|rea|hea)[a-z]{1,40}(`configured`|`enabled`|`registered`)~improperlyformed',
  },
  general: {
    auth_invalid: '[.:]`reauth`~revoked~suspended~authorizationfail~[a-z]{3}(?<!ify|ate|the)`apikey`(?!s|t|v)~credential',
    permission_denied: 'permission~haveaccess~forbidden',
    content_policy: 'newsensitive~inappropriate~prohibited~blockedby[a-z]{0,20}(filter|polic)~guardrail',
    context_too_long: 'toolarge~(audio|input|text)`toolong`~maxallowedtoken',
    unsupported_feature: '(only[a-z]{0,20}|no[a-z]{3,40}s|un)`support`~onlyallow(?!s?(\\d|one))~(not|un)`implement`(?!edyet)~不支持',
    invalid_request: 'not(set|a?valid|allowed|authori[sz]ed|enabled|installed|supported|defined|provided|registered)(?!yet)~(?<!^)`notfound`~(?<!fallbackhasbeen)[ck]`onfig`~please(add|en|install|load|reduce|run|set|upgrade)~(`malformed`|`incorrect`|`invalid`|`missing`|`unknown`|`hasno`(?!a[tv]))(?!output|json)[a-z\\d.$]{0,18}(arg|attr|base64|env|field|file|format|header|id(:|$)|image|input|key|message|method|mode(l|(?!l))|name|object|option|padding|param|path|prompt|request|role|schema|table|tensor|token|type|ur[il]|user|value|version|voice)(?!(of)?(err|fail))~missing($|[.(])~(not|already)`exist`~duplicate~([dot]|error)(access|load)(ing)?[a-z]{0,16}`model`~nolonger(?!al)~(buil[dt]|compiled)`with`~no(`compatible`|`file`|`input`|`matching`|`messages`|`module`|`prompt`|`such`(?!host|cont)|`suitable`)~route(found)?for~validation(e|fail)~codeccant~(?<!output)(cannotbe|is|are)`empty`~must(?!wait)~disabled~(?<!\\d)`require`[sd](?!action)~unexpectedkeyword~(to|not)(`decode`|`open`|`parse`|`load`)[a-z]{0,16}(audio|file|image|wav)~saknas~manquant~fehlt~缺少(?!json)[a-z]~未(`设置`|`安装`|`启用`|`找到`(?!可用))~配置~过期~設定~账号不~模型无可~formodelingroup',
  },
  usual: {
    overloaded: 'highdemand~capacityexceeded~serverbusy~maximumpendingrequests~toobusy~atcapacity~overloaded',
    rate_limit: 'openapi(qps)?requestlimit~ratelimit~throttl',
    provider_unavailable: 'upstreamconnecterror~nohealthyupstream',
    timeout: 'timed?out',
  },
};

export const PASSING =
  'mainten~statuscode5~state~instance~slot~invalidchar~worker~respond~response(?!(format(?!from)|blocked))~busy~unavailable~(?<!error)`loading`~host(?!ed)~modeloutput~generated~connect~session~running~unknownerror~cold~capacity~again~retr(y|ied)~memory~tempor~upstream~returned(?!error)~cuda~reach~network~fetch~addrinfo~stream~answer~until~deadline~cancel~killed~crash~died~alloc~连接';

export const ALONE_CODES: Sources = {
  quota_exhausted: '\\w{0,40}(quota|(usage|spend)limit)(`exceeded`|`exhausted`|`reached`)',
  overloaded: '(`model`|`server`|`engine`|`system`)(is)?(currently)?(overloaded|busy)\\w{0,20}~overloaded\\w{0,20}',
  rate_limit: 'throttl(ing|ed)\\w{0,20}~toomanyrequests\\w{0,20}~ratelimit(ed|exceeded|reached)?(error|exception)?~requestlimitexceeded',
  provider_unavailable: '(`badgateway`|`providerunavailable`)',
  timeout: '(`gatewaytimeout`|`timeouterror`)~(read|write|connect|pool|socket|http|api|headers|body|apiconnection)`timeout`(error|exception)?~underr(connect|headers|body)timeout~timeoutrejectedexception',
  connection_error: '(remoteprotocol|localprotocol|read|write|connect|apiconnection|newconnection|connectionreset|connectionrefused|connectionaborted|brokenpipe)`error`~remotedisconnected~(socket|connect|unknownhost|noroutetohost)`exception`~underrsocket~err(network|socketclosed|streamprematureclose)\\w{0,20}',
  server_error: 'internalserver(error|exception)~internalerror~servererror~transientaiexception',
};

export const ALONE_TEXTS: Sources = {
  billing_error: 'creditbalancetoolow~nocredits(remaining|left)~balance(is)?(notenough|insufficient)',
  quota_exhausted: '(session|hour|usage|weekly|daily|monthly|trial)(request)?limit(hasbeen|was|is)?`reached`~(hit|reached)your(session|usage|weekly|trial)?(request)?`limit`~exceeded(your|the)?quota~(free|individual)`quota`(is|was)?(used|reached)~freetier[a-z]{0,30}exhausted~exceededyour(dai|week|month)ly[a-z]{0,20}credits~(quota|billing|credits?)[a-z]{0,20}`exhausted`',
  auth_invalid: 'illegalheadervalue~apikey[a-z]{0,20}mustbe(set|provided)~authentication(has)?failed~authentication(is)?required~requires?authentication~invalidauthentication~valid[a-z]{0,10}`tokenisrequired`',
  permission_denied: '(permission|access)(is|was|hasbeen)?`denied`~deniedonresource~appidnoauth~youhavebeenblocked~授权错误~notauthorizedto(perform|use|access)~(is)?`notenabledfor`(your|this)(account|organi[sz]ation|project)~doesnot(yet)?include[a-z\\d]{0,24}access',
  content_policy: 'request(was|hasbeen|is)blocked~contentfiltertriggered',
  context_too_long: 'toomanytokens(:|in(the)?(request|prompt|input))~payloadtoolarge~tokens(you)?requestedexceed~(`prompt`|`input`|`payload`)(length|size|text)?(\\x28[a-z\\d]{1,24}\\x29)?(exceeds|is(larger|longer)than|istoo(long|large))~istoolong,~contentsizelimit~numberoftokensin[^.]{0,40}exceeds~duetocontextsize',
  overloaded: 'bedrockisunabletoprocessyourrequest~iscurrentlyloading~overloaded~(is|are|currently)`atcapacity`~(server|model|system|service|engine|api)(is|are)?(currently|temporarily|too)*(`busy`|`unavailable`)~temporarilyunavailable~no[a-z]{0,8}workers?(are|is)?`available`~(`high`|`heavy`)(demand|traffic|load)~highvolume~toomanycurrentrequests~queueposition~insufficientcapacity~no(available)?`capacity`~(`模型`|`服务`|`服务器`|`系统`)(当前|目前)?(过载|繁忙|负载)~访问量过大~负载过高~稍后(再试|重试)~失败,?，?`请重试`~不完整,?，?请重试',
  rate_limit: '(rate|usage)`limit`s?(was|hasbeen|is)?(exceeded|reached|hit|error)~(reached|exceed(s|ed|ing)?|hit|over|exhausted)(the|your|its|our|this|a)?[a-z]{0,24}`ratelimit`~ratelimit$(?<=^ratelimit$)~ratelimited~toomany(messages|concurrent)~requests(are)?too(quickly|fast|frequent)~(requests|messages)`perhour`~slowdown$~toomanytokens,?pleasewait~concurren(t|cy)[a-z]{0,12}limit(reached|exceeded)~resource(hasbeen)?exhausted~requestrate(is)?toohigh~(is|are|was|were|getting)(being)?`throttled`~throttlingexception~requestrateincreasedtoo~请求过于频繁~请求频率~频率上限~速率限制~限流~并发(数)?(过高|超)',
  provider_unavailable: 'badgateway~(`upstream`|`origin`)(connect|request|server|stream)??(error|failed|unavailable)~noavailableupstream~(errorfrom|unknownerrorfrom)`provider`~provider(is)?unavailable~(?<!\\d)`providerreturnederror`$~nodeployments?(are|is)?available~webserverisdown~originisunreachable',
  stream_interrupted: 'withoutvalidcontent~streamdisconnectedbeforecompletion(?!:encrypted)~(upstream|http/2)`stream`(error|failed|reset)~stream(ended|closed|terminated)(early|unexpectedly|before|prematurely|with)~nostreamactivity~errorinmessagestream~failedtoparsestream~incompletejsonsegment~incompletemessage\\x29~streamreaderror~(agent|model|response|stream)`stalled`~reconnecting\\.\\.\\.\\d~incomplete(chunked)?read~withoutsendingcompletemessagebody~stream(was)?interrupted~(^|:)`emptystream`$~unexpectedendofstream~responseendedprematurely~errincompletechunkedencoding~errordecodingresponsebody',
  timeout: 'timedoutwaitingforllamarunner~requestfailed[:\\x28]{1,2}timedout~(iteration|websocket[a-z]{0,8}|generation|inference|api|llm)`timedout`~i/otimeout~tlshandshaketimeout~timeoutawaitingresponseheaders~(connect|gateway|idle|read|socket|upstreamrequest)`timeout`~interruptedioexception:timeout~(read|request|operation|call|completion|stream|upstream|model|provider)`timedout`~requestto[a-z.]{1,24}timedout~(api|llm|model|provider)`responsetimeout`~(api|model|provider|server)is(`notresponding`|`timingout`)~timeoutof[\\d.]{1,12}sexceeded~source:timedout~invocationtimedout~timeoutexceededwhile~timeoutwasreached~timeout(after|passed=)\\d~withintheallowedtimeout~deadlineexceeded~exceededthe[a-z\\d]{0,20}deadline~^(error:)?`timeout:`~请求超时~响应超时~连接超时',
  connection_error: 'serverdisconnected~remoteendclosed~unexpectedeof~receivednobytes~requesttohttps?:[a-z\\d./:-]{1,120}failed~brokenpipe~noroutetohost~nosuchhost~serversentgoaway~runtimeexception:unavailable~errorsendingrequestforurl~maxretriesexceededwithurl~nameresolution~nameorservicenotknown~getaddrinfofailed~nodenamenorservname~connection(error|reset|refus|abort|closed|lost|failed|was)~activelyrefused~tcptransportclosed~(failedto|unableto|couldno?t)`connect`~(`failedto`|`unableto`|`couldn`o?t)(reach|contact|communicatewith)(the)?(api|llm|model|provider|upstream)~网络(连接)?(错误|失败)~^`连接失败`$~errordeconexión~erreur(réseau|deconnexion)~ошибка(сети|соединения)~socketisnotconnected~typeerror:terminated~:terminated$~net::err(connection|empty|http2|internet|name|network|quic|timedout)~forciblyclosed~upstreamprematurelyclosed~networkerror~:eof$',
  server_error: 'validationerrors?for(chatcompletion(?!s)|(model|chat|generatecontent)response)~(internal|unexpected)`servererror`~internalerror$~servicefailed50[0234]~aninternalerror(has)?occurred~encounteredan?(internal|server)error~servererror$~serverhadanerror~anerroroccurredwhileprocessingyourrequest~somethingwentwrongonour(end|side)~apierror:anunknownerror~(^|:)`servererror`[,.]~errorparsingtoolcall~withunexpectedmimetype~emptyresponse(received)?from~no(valid)?(`content`|`response`)(was)?(found|from|generated|in(the)?response|received|returned|within)~emptyreplyfrom~(returned|received|with)(an)?`emptyresponse`~(didno?t|unableto|couldno?t|couldnt)(return|generate|get|produce)(an?|any)?(`content`|`response`)~failedtoget(an?)?responsefrom~internalerrorencountered~internalserverexception~(llm|model|gemini|claude|openai|anthropic|assistant|upstream|gpt|deepseek|mistral|ollama|(^|:)ai(?=return|did|resp|model|service))[a-z]{0,24}((`didn`o?t|`failedto`)(return|contain|call|generate|produce)|(`returned`|`produced`|`response`)(an?)?(empty|invalid|malformed|missing|no|output|un)|(is|are)?(`unavailable`|`not`(healthy|responding)|`offline`))~noobjectgenerated~outputparserexception:(invalid|failedtoparse|could)~modelbehavior:(invalidresponse|exceededmaximum)~(`模型`|`llm`|`ai`|`openai`|`gemini`|`anthropic`|`claude`|`deepseek`)[^.。]{0,12}((未|没有?)(能)?返回|返回[^.。]{0,8}(空|无效|无法))~(服务器?|接口)`暂时不可用`~응답이(없|비어)~잠시후다시~요청이너무많~请求失败[^。]{0,4}。?请[^。]{0,80}重试~(`模型`|`llm`|`ai`)[^.。]{0,12}((响应|回复|输出)[^.。]{0,6}(缺少|为空|不完整|无效)|无响应)~ai[^.。]{0,12}`応答が見つかりません`~もう一度お試し~iadevolveuumjsoninv~nosepudoobtenerrespuesta~(`応答`|`レスポンス`)(が空|に|を(パース|解析)でき)~しばらく(待|し)~respuestavacía~respostavazia~réponsevide~пустойответ~невалидныйjson~laiano~nodevolvi[oó]~khôngtrả~yanıtı?`alınamadı`~nãoretornou~(failed|wrong|response)[.!,]{0,3}`pleasetryagain`~上游服务异常~(failedto|couldnot|unableto|error)(pars|decod|deserializ)[a-z]{1,3}(the)?(api|llm|model|server|provider)[a-z\\d/]{0,12}`response`(?!:invalidtype:integer4)~^(error:?|错误:?)?invalidcharacter.`lookingforbeginningofvalue`~expectingvalue:line1column1\\x28char0\\x29(?<=(request|response|请求)[^]{0,400}char0\\x29)~failedtogenerate(an?)?(valid)?(llm)?(response|toolcall)~errorgeneratingan?response~(model)?`runnerhasunexpectedlystopped`~tryagainlater~(tryagainin|wait)a(few)?(`moment`|`minute`|`second`)~backenderror~服务器?`内部错误`~内部服务器错误',
  invalid_request: '(^|[:.])`notfound`$~(bad|invalid|malformed|unprocessable)(api)?(`request`|`parameter`|`argument`|`schema`|`entity`)~providernotprovided~missing(oneormultiple)?(required)?parameter~requiredparameter[^.]{0,4}missing~expectedlastrole',
};

/** Prose, which only the texts of operations are searched for. */
export const CALL = 'ai~llms?~language model~models?~assistant~inference~generation~(?:chat )?`completion`s?~embedding~responses?~repl(?:y|ies)~stream~streaming~sse~chunks?~upstream~provider~litellm~openai~anthropic~claude~gemini~openrouter~chatgpt~bard~bing~deepseek~ollama~llama~bedrock~vertex';

export const DOUBT = 'config~setting~select~choose~specif~provided\\b~enabl~disabl~set up~turned off~environment~variable~only\\b~ignored~directory~folder~path~file~pipe~logs\\b~script~command~spawn~exit~sudo~force\\b~restart~database~docker~test~tools?\\b~function~mcp~object has~attribute~property~index~assert~undefined~agent run id~quota~limit~credits?\\b~billing~balanc~payment~subscri~plan\\b~premium~top up~\\bcap\\b~ran out~used up~is full\\b~max ~account~organi[sz]ation~region~country~expire~login~log in~sign in~signed~oauth~tokens?\\b~keys?\\b~signature~permission~authori~authent~unauthenticat~access~denied~forbid~credential~secret~licen[cs]~gated~\\bcors\\b~check for a proxy~block~polic~safety~content filter~moderat~flag~refus~reject~recitation~abort~cancel~paramet~argument~schema~syntax~invalid~illegal~malformed~missing~mismatch~duplicate~deserializ~out of range~exceed~unknown (?!(?:request |api |server )?error)~unsupported~supported~suitable~context~prompt~image~attachment~conversation request~expected: ~but found~expected (?:str|int|an?|object|type)\\b~api error occurred:$~handle parsing~pars(?:e|ing) (?:the )?(?:arg|model name|prompt|errors?\\b|ur[il]|config|setting|request|header|tool schema|yaml|toml|file)~(?:file|image|messages?|request|input|audio|line|date|prompt|gemini|openai|anthropic)` format`~too (?:long|large|many|big|short)~4(?:0[0-6]|1[03-5]|22)\\b~not found~not (?:a|an|be|in|allowed|available|supported|valid|exist|yet)\\b~not been~no such~could not find~does not~doesnt~deprecat~retired~must~should~requir~contact~submit~modif~rephras~adjust~reduc~remov~correct~fulfil~tell the model~check your~documentation';

export const FAILS = '(?<!^(?:uncaught )?)\\b(?:`error`s?|[a-z]{2,20}`error`|`failed`|`failure`|`fails`|`exception`|`unable`|`could not`|`couldnt`|`cannot`|`problem`s?)\\b~(?<!^(?:uncaught )?)\\b(?:`issue`|`wrong`|`interrupted`|`crash`(?:ed)?|`broken`|`unexpected`|`trouble`)\\b~\\bno (?:[a-z]{1,16} ){0,3}(?:data|chunks|events|result|content|text|images?|audio|action|code|urls?|lines|tokens|choices|suggestions?)\\b';

export const HARMLESS = '(?:check|verify) (?:your|the) (?:network|internet|connection|firewall)(?: rules| settings| connection)?|expecting value|expected event|invalid response|not valid json|error parsing|error: none|response body|contact (?:us|support|the (?:admin|administrator))|report(?:ing)? (?:the|this) issue|prompt the model|(?:re ?)?(?:submit|send)(?:ting|ing)? (?:your |the )?(?:message|prompt|request)(?: again)?';

export const HEADS = '\\binternal(?: server)? error|\\binternalservererror|\\berror from provider|\\bprovider returned error|\\bbad gateway|\\b(?:an |unexpected )?error (?:has )?occurred(?: while processing (?:your|the) request)?|\\bupstream (?:request )?(?:error|failed)|\\blitellm\\.[a-z]{3,40}error|\\b[a-z_]{3,40}exception -|\\b(?:openai\\.)?(?:error\\.)?api(?:connection|call)?error|\\b(?:api error:? ?)?5\\d\\d(?: (?:bad gateway|internal server error|service unavailable|server error))?|\\bsorry, your request failed\\.? please try again\\.?|\\b(?:copilot |gh |client )?request id: ?[\\w-]{1,64}';

export const LOOK_ALIKES = '^\\W{0,8}(?:[\\w ]{0,20}error: )?(?:`the model has crashed`|llama[ -](?:runner|server)` process`)\\b~\\b(?:curl|request) (?:error: |(?:failed|exited) with )(?:exit )?`code`:? (?:[567]|18|28|35|5[256]|92)\\b~\\bcurl: \\((?:[567]|18|28|35|5[256]|92)\\)~\\bexpected (?:(?:exactly|at least|an?|one|\\d{1,2}) ){0,2}(?:[a-z]{1,16} ){0,2}(?:outputs?|responses?|completions?)(?: (?:items?|messages?|blocks?))?\\b.{0,40}\\b(?:got|received|found)\\b~\\bexpected dict_keys\\(~\\bvalidation errors? for \\w{1,60}\\s{1,4}(?:\\w{1,40}\\s{1,4})?invalid json: ~^\\W{0,8}(?:[\\w.() ]{1,48}(?:`error`|`exception`)(?: code)?:? {0,2}){1,2}[45]\\d\\d\\b[\\s:-]{1,4}\\{~\\bunexpected token \'?.{1,3} ?, "(?:an (?:error o|intern|unexp)|internal|bad gatewa|upstream|service |gateway t|error code)~\\bunexpected token \'?.{1,3} ?, "(?:no healthy|server |too many r|rate limit|request t|overload|the server|<html)';

export const MCP_CLIENTS = '\\bmcp[a-z]{3,24}\\b~\\bmodelcontextprotocol\\b~\\bstreamable ?http(?! error: error posting)~/(?:`mcp`|`sse`)\\b(?! ?/)';

export const NETWORK_WORDS = 'econn(?:refused|reset|aborted)~enotfound~etimedout~epipe~eai_again~fetch failed~load failed~socket hang up~other side closed~premature close~socket connection was closed~did not get a response~ended without sending any chunks~stream has been aborted~error in (?:input|body) stream~received rst_stream~connect timeout~unable to connect~cannot connect to api~connection (?:error|reset|refused|closed|lost|timed out|terminated|aborted)~aborted due to connection closure~decryption failed or bad record mac~unexpected_eof_while_reading~network (?:error|failure|timeout|connection|request failed|socket|changed|(?:is )?(?:down|unreachable|lost))~^(?:typeerror: )?`terminated`\\b~^(?:request|operation)` timed out`\\b~^`timed out after `\\d{1,9} ?(?:s|sec|seconds|ms)[.!]?$~^`network`$~^`client error `\\((?:connect|sendrequest)\\)~^`14 unavailable:`~^`net::err_`(?!aborted|access|blocked|cert|cleartext|disallowed|file|insufficient|invalid|ssl|too_many|unknown_url|unsafe)';

export const NO_CAUSE = 'something (?:went|has gone) wrong~(?:an )?(?:internal|unknown|unexpected)` error`(?: occurred)?~an error (?:has )?occurred~(?:(?:the|your) )?`request failed`~(?:please )?(?:`retry`|`try again`)(?: later)?';

export const OCCUPIED = '\\balready has an active run\\b~\\banother (?:request|generation|response|run|message) is (?:already |still )?(?:in progress|running|active)\\b';

export const OF_ANSWERS = '\\bvalidation errors? for (?:chat ?completion|[a-z]{0,20}response)\\b~<!doctype~<html';

export const OF_CODE = '\\.(?:`c`|`cc`|`cpp`|`cs`|`cu`|`go`|`h`|`java`|`js`x?|`json`|`kt`|`lua`|`mjs`|`php`|`py`|`rb`|`rs`|`toml`|`ts`x?|`ts`|`txt`|`vue`|ya?`ml`):?\\d{0,9}\\b~(?:^|\\s)[a-z]`:`\\\\~\\berrno\\b~\\beunknown\\b~\\b0x[0-9a-f]{4}~\\b32[67]\\d\\d\\b~\\bjsonrpc\\b~\\bunmarshal~\\bcmake\\b~\\blocator\\b~\\basync step\\b~\\bretryable ?: false\\b';

export const OF_OTHERS = 'shell~terminal (?:process|session|tab)~os error 11~resource busy~name resolution~namespace~lock~object has no attribute';

export const OTHER_SYSTEMS = '\\bplugin runtime\\b~\\bgoroutine \\d{1,6} \\[';

export const PASSING_SENTENCES: Sources = {
  rate_limit: '\\btoo many requests\\b~\\brate limit(?:ed| exceeded| reached)~耐心等待',
  timeout: '\\b(?:invocation|request|connection|operation|upstream|read|model|gateway) (?:has )?`timed out`\\b',
  connection_error: '\\bconnection (?:was |is |has been |error: )?(?:closed|reset|refused|aborted|lost|terminated)\\b~\\b(?:server )?`connection error`\\b~\\bactively refused\\b~\\bnetwork error\\b~\\bparse error: expected http\\b',
  server_error: '\\bdid not respect the required format\\b~\\bfailed to call a function\\b~\\btool use failed\\b~\\bexpecting [,:] delimiter: line \\d~\\bunexpected end of json\\b~\\binternal server error\\b',
};

export const PROCESS_ENDS = '\\bspawn(?:ed|ing)?\\b~\\bexit(?:ed)?(?: with)?(?: status| code)?\\b~\\bcommand failed\\b~\\bnon-zero\\b~\\bsignal\\b(?! timed out)~\\berrno\\b(?! ?(?:-\\d|8|5\\d|6[0145]|1[01]\\d|1[01]0\\d\\d)\\b)~\\bfailed with (?:exit )?code:? -\\d~\\bon line\\b~\\bline \\d(?!\\d{0,5} column)~\\bon port\\b~\\bport (?!443\\b)\\d~^\\s{0,64}(?:`fail`|`pass`)\\b~\\bnpm (?:err!|error)~\\btimeout of \\d{1,9} ?ms exceeded~\\bnavigation timeout~\\bpull rate limit';

export const PROGRAM_ERRORS = '\\b(?:syntax|reference|range|assertion|key|index|attribute|name|import|modulenotfound|indentation|zerodivision)`error`\\b~\\b(?:notimplemented|recursion|unicode\\w{1,20}|nomethod|argument|lookup|filenotfound|zod|eval|uri)`error`\\b~\\b(?:nullpointer|illegal\\w{1,20}|classcast|\\w{0,20}indexoutofbounds|classnotfound|unsupportedoperation|arithmetic)`exception`\\b~\\btypeerror\\b(?!.{0,3}(?:fetch failed|failed to fetch|network|terminated|load failed)|[^{}]{0,200}"message": ?"(?:failed to fetch|fetch failed|load failed))~\\bpanicked at\\b~is not json serializable~is not (?:a function|defined|iterable|assignable)~cannot read propert~cannot find (?:module|name)~no module named~no such file~unexpected (?:token|keyword argument)~segmentation fault~validation errors? for (?!(?:chatcompletion(?:chunk)?|(?:model|chat|generatecontent)response)\\b)~\\berror ts\\d~\\bts\\d{4}\\b~\\bassert~\\bexpect(?:ed)?\\b.{0,60}\\b(?:to (?:be|equal|have|throw|match|contain|include)|but|got|received|actual)\\b~\\.(?:`test`|`spec`)\\.[a-z]{1,4}\\b~::test_~\\btests?` failed`~\\b(?:test|hook|step)s?` timed out`~\\bfor a test\\b~\\btests run\\b~\\btimeout \\d{1,9} ?ms exceeded~\\bwaiting for (?:selector|locator|element)~(?<!\\bconnect )\\be(?:`noent`|`acces`|`addrinuse`|`exist`|`perm`|`notdir`|`isdir`|`mfile`|`nospc`)\\b';

export const PROGRAM_LINES = '^\\W{0,8}(?:error:? )?(?:`npm`|`pnpm`|`yarn`|`gyp`|`pip`|`git`|`gh`|`ssh`|`kex_exchange_identification`|`rsync`|`docker`|`podman`)(?::| err(?:or|!))~^\\W{0,8}(?:error:? )?(?:`kubectl`|`helm`|`terraform`|`psql`|`mysql`|`adb`|`gpg`|`go`|`brew`|`cmake`|`make`|`cargo`)(?::| err(?:or|!))~^`fatal:`~\\bnpm err(?:or|!)~\\berr_pnpm_~\\brpc failed\\b~\\bfailed to solve\\b~\\bbrowsertype\\.~\\bpage\\.goto\\b~\\bmodelcontextprotocol\\b~\\.(?:`npmjs`|`yarnpkg`|`docker`(?!\\.internal)|`terraform`|`pythonhosted`|`crates`|`golang`|`rust-lang`|`maven`)\\.~\\b(?:`mongo`|`sequelize`|`prisma`|`redis`|`psycopg`|`sqlalchemy`|`kafka`)[a-z]{0,40}(?:error|\\.)~(?::|port )(?:`5432`|`3306`|`6379`|`27017`|`9222`|`9229`)\\b';

export const REFUSALS = '有误~无效~余额~额度~欠费~过期~权限~请(?:`切换`|`更换`|`配置`)~请检查(?!您?的?网络|[:：])~\\b(?:does|do|is|are|was)` not `(?:yet )?(?:support(?:ed)?|found|exist|enabled|valid(?! json))\\b~\\bdoesnt (?:support|exist)\\b~\\bunsupported\\b~\\bnot (?:be )?(?:permitted|recogni[sz]ed|allowed|accepted|implemented|installed|authori[sz]ed|configured|specified|a valid|in the list)\\b~\\b(?:`must`|`should`) (?:not )?(?:be|have|not|contain|include|match|provide|specify|start|end|use|set|follow|alternate|come|conform|support|pass)\\b~\\bis not registered\\b~\\bno (?:[a-z0-9]{1,24} )?`route `(?:for|found)\\b~\\bmaximum [a-z ]{0,24}(?:size|length|tokens)\\b\\b~\\bno (?:conversation|session|thread)s?` found`\\b~\\b(?:conversation|session|thread)s? (?:was )?`not found`\\b';

export const REQUEST = 'service~our servers?~endpoint~gateway~host~server error~connection error~unexpected error~high (?:demand|traffic)~(?:try(?:ing)?|submit(?:ting)?) (?:it |me |that |this |to (?:re)?(?:send|submit) )?(?:your |the )?(?:message |request |prompt )?`again`\\b(?! (?:in|after) \\d)';

export const SENTENCES: Sources = {
  timeout: '\\b(?:time to|waiting for) (?:the )?`first `(?:token|byte|chunk)\\b~\\btook too long to (?:respond|reply|answer|generate|process)\\b~\\b(?:model|response|request|generation)s? (?:took|is taking)` too long`\\b~\\b(?:execution|generation|inference|processing|transcription)` timed out`\\b~\\btimed out waiting for (?:an? |the )?(?:response|reply|answer|model)\\b',
  stream_interrupted: '\\bstream(?:ing)?(?: [a-z0-9]{1,16})? (?:is |was |has been )?(?:idle|stalled|cancell?ed|terminated|interrupted|dropped|broken)\\b~\\b(?:`unexpected event order`|`received message `(?:start|stop) without)\\b~\\bdid not receive (?:[a-z0-9]{1,16} ){0,4}(?:response|reply|answer|message)\\b~\\b(?:`did not`|`didnt`|`does not`|`never`|`without`|`failed to`) (?:emit|produc|send|yield|receiv|deliver)[a-z]{0,4} (?:an? |any |the )?(?:[a-z0-9]{1,16} )?(?:terminal|final|first|completion) (?:[a-z0-9]{1,16} )?(?:response|event|message|chunk|token|answer)\\b',
  connection_error: '\\blost connection\\b~\\bno internet connection\\b~\\b(?:ollama|lm studio)(?: server)?` is not running`\\b',
  rate_limit: '\\bplease slow down\\b~\\b(?:sending|making) (?:messages|requests|calls)` too `(?:quickly|fast|often)\\b',
  overloaded: '\\b(?:is|are|were|currently)` at capacity`\\b~\\bunder maintenance\\b',
  server_error: '\\bno (?:[a-z0-9]{1,16} ){0,2}(?:responses?|reply|replies|completions?|answer|output|message|content|text|json|choices|candidates|embeddings?|tool calls?|object|data|images?|videos?|audio|speech|transcripts?|stream)s?(?: body)? (?:was |were |is )?(?:found |received |returned |generated |produced )?(?:from|by|in|within) (?:the |an? )?(?:[a-z0-9]{1,16} ){0,2}(?:(?:llm|ai|model|assistant|agent|chat|chatbot|provider|upstream|api|server|backend|gpt|openai|anthropic|claude|gemini|google|azure|bedrock|mistral|deepseek|ollama|openrouter|groq|grok|qwen|horde|copilot|codex|vertex|cohere|vllm)|(?:response|reply|completion|answer|output))\\b~\\bno (?:[a-z0-9]{1,16} )?(?:(?:response|reply|completion|answer|output)|message|content|choices|candidates|embeddings?|images?|videos?|audio|speech|transcripts?)(?: [a-z0-9]{1,16})? (?:was |were )?(?:received|returned|generated|produced)\\b~\\bexceeded maximum output retries\\b~\\bmalformed function call\\b~\\bfailed to parse input at pos\\b~\\binvalid json response body at\\b~(?:^|(?:\\b(?:[a-z]{0,24}(?<!decode)error|[a-z]{0,24}exception|message|detail|msg|reason|encountered)|错误信息|失败) ?[:：] ?)(?:error: )?`expecting value: line 1 column 1`(?: char 0)?[.!]?(?:$|,? (?:detail|type|code|param|status|error|success|message|request id) ?:)~\\bunexpected token .{1,3},? (?:an (?:error o|intern|unexp)|internal|bad gatewa|upstream|service |gateway t|error code|no healthy|server |too many r|rate limit|request t|overload|the server|<html)[^\\n]{0,120}~\\b(?:code|status) ?: (?:13|14), (?:`message`|`details`) ?:[^\\n]{0,200}\\b(?:message|details) ?:~\\bresponse (?:is )?not text/event stream~\\bexpected (?:content type:? )?text/event stream~\\brequest (?:has )?failed[.:]? (?:50[0234]|52\\d|529)[.!]?(?:$|,? (?:detail|type|code|param|status|error|success|message|request id) ?:)~\\bfailed \\d{1,2}/\\d{1,2} times ?:[^]{0,80}, (?:50[0234]|52\\d|529)$~\\b(?:have|has|had)` no `(?:response|answer|reply) (?:to give|available)\\b~\\b(?:`model`|`engine`|`runner`|`worker`|`backend`)(?: [a-z]{1,16})? (?:has )?(?:crashed|died|stopped unexpectedly)\\b~\\b(?:model|llm|server|provider|assistant) (?:`did not`|`didnt`|`failed to`) (?:respond|reply|answer)\\b~api ?(?:调用|请求)[^。]{0,4}(?:异常|失败|出错)~请再问(?:我)?一次~系统(?:异常|错误|故障|內部)~再試行~重試~稍後~重试~再试~稍候~重新(?:生成|发送|提问|提交|尝试|回答|请求|發送)~\\bai invalidtoolinputerror\\b[^\\n]{0,80}~\\bexpected (?:(?:exactly|at least|an?|one|\\d{1,2}) ){0,2}(?:[a-z0-9]{1,16} ){0,2}(?:outputs?|responses?|completions?)(?: (?:items?|messages?|blocks?))?\\b[^\\n]{0,40}\\b(?:got|received|found)\\b~\\bexpected dict keys\\b~\\bdid not respect the required format\\b~\\bxml syntax error\\b~\\btoken repeat limit reached~\\b(?:invalid|malformed)` tool call `(?:arguments|json)\\b~\\brepeated tool call failures\\b~\\boutput text or tool calls\\b~\\boutput is incomplete\\b~\\berror occurred on our servers?\\b~\\bunable to process your request[.!]?(?:$|,? (?:detail|type|code|param|status|error|success|message|request id) ?:)~\\bis having trouble\\b~\\b(?:`failed to`|`could not`|`couldnt`|`unable to`|`cannot`|`error`(?: while| in| when)?|`problem`|`issue`|`trouble`) (?:get|fetch|receiv|read|generat|process|stream|complet|extract|creat|obtain|retriev|pars|decod)(?:e|t?ing|ve)? (?:an? |any |the )?(?:[a-z0-9]{1,16} ){0,2}(?:response|reply|completion|answer)(?! (?:file|template|script|schema|format|config|header|handler|class|type|directory|folder))\\b~(?:^|(?:\\b(?:[a-z]{0,24}(?<!decode)error|[a-z]{0,24}exception|message|detail|msg|reason|encountered)|错误信息|失败) ?[:：] ?)(?:error: )?(?:the )?(?:llm |ai |chat |api |image |http )?(?:request|turn|generation|completion|inference|chat completion|text generation)` failed`(?:[.!]?(?:$|,? (?:detail|type|code|param|status|error|success|message|request id) ?:)|, code)~\\bmay indicate (?:an? )?(?:failure in|issue with the (?:api|model)|service issue)\\b',
};

export const SETUP = '\\b(?:fail(?:ed|s)? to|unable to|could not|couldnt|cannot|error) (?:`instantiat`|`initiali`[sz]|`spawn`|`launch`|`import`)[a-z]{0,3}\\b(?! (?:the )?(?:[a-z]{1,16} )?(?:stream|response|generation|chat|completion|request))~\\b(?:`failed to`|`could not`|`cannot`|`unable to`|`error`) (?:creat(?:e|ing)|build(?:ing)?|construct(?:ing)?|register(?:ing)?|activat(?:e|ing)|bootstrap) (?:an? |the |new )?(?:[a-z]{1,16} )?(?:llm|client|models?|provider|agent|copilot|session|tool)\\b(?! (?:response|request|output|connection))';

export const SHORT_PASSING: Sources = {
  timeout: 'timed out~time ?out~timing out~deadline',
  overloaded: 'overload(?:ed)?~unavailable~busy~at capacity~over capacity~high (?:load|demand|traffic)~maintenance~outage',
  connection_error: 'connection~network~unreachable~disconnect(?:ed|ion)?~offline~eof~reset by~econn[a-z]{4,7}~etimedout',
  server_error: 'again(?! (?:in|after) \\d)~retry(?:ing)?~re(?:`send`|`submit`|`generat`)[a-z]{0,4}',
};

export const TOOLS = '\\bwinerror [235]\\b~找不到指定的~\\b(?:`enotfound`|`getaddrinfo`|`resolve host`:?) (?:undefined|null)\\b~\\bserver unavailable key:~[./]`undefined`\\b(?:[./:]|$)';

export const TOOL_LINES = '\\b(?:mcp|acp)\\b[^\\n]{0,256}\\b(?:`error`s?|`fail`(?:ed|ure|s)?|`disconnected`|`closed`|`lost`|`reset`|`refused`|`terminated`|`timed out`|`enoent`)\\b~\\breconnect sse stream\\b~\\bstreamable http error(?![^\\n{]{0,80}\\{)\\b~\\bsse error: (?:non-200|typeerror|undefined|unknown|invalid content)\\b~\\bclient failed to connect\\b~\\bfailed to connect client\\b';
