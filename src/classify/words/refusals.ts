/** The words that refuse a request, and those of failures that pass, in the form of `wordsOf`. They are data. */

import type { FailureType } from '../../failure/failure.ts';

const THING =
  '(?:api key|args?|arguments?|audio|base64|config[a-z]{0,20}|credentials?|endpoint|field|file|format|header|id|images?|' +
  'inputs?|keys?|messages?|method|mode|models?|name|options?|parameters?|params?|path|payload|project|prompts?|' +
  'property|provider|request|roles?|schema|signature|token|tools?|tool choice|type|ur[il]|user|values?|voice)';
const WORD = '[a-z0-9]{1,24}';

/** A function, which bundlers can leave out. */
export const readRefusals = (): readonly string[] => [
  '\\bextra (?:inputs?|fields?|properties)\\b',
  '\\bnot (?:be )?(?:permitted|recogni[sz]ed|allowed|accepted|implemented|installed|authori[sz]ed|configured|specified|' +
    'a valid|in the list)\\b',
  '\\bunrecogni[sz]ed\\b|\\bunsupported\\b',
  `\\bunexpected (?:endpoint|keyword|role|argument|parameter|property|method|field|values?)\\b`,
  '\\b(?:must|should) (?:not )?(?:be|have|not|contain|include|match|provide|specify|start|end|use|set|follow|alternate|' +
    'come|conform|support|pass)\\b',
  '\\b(?:is|are|was|were|field|parameter|argument|header|property) (?:missing and )?required\\b|^required\\b',
  '\\brequires (?!more time)|\\brequired (?:field|parameter|property|argument)',
  '\\b(?:is|are|was|were|does|do|did|not yet|currently) not (?:yet )?(?:support|found|exist|enabled|available (?:for|' +
    'in|on|with|to) (?:your|this|the|any)|valid\\b(?! json))',
  '\\b(?:does|do) not (?:allow|have (?:access|permission)|recogni[sz]e|accept)\\b|\\bdoesnt (?:support|exist)',
  `(?:: |" ?)not found(?:[.!"}]{0,3}$|, )|\\b(?:${THING}|page|route|deployment|resource|function|account)s? not found\\b`,
  '\\b404 page|[→>] ?4(?:0[0-6]|1[035]|22)\\b',
  '\\b(?:invalid|malformed|incorrect|unknown|missing|illegal) (?!(?:response|reply|output|answer|completion|tool call ' +
    `json|tool call arguments) )(?:${WORD} ){0,2}${THING}\\b(?! (?:err|fail))`,
  '\\b(?:request body|base64 data) is (?:invalid|not valid)\\b|\\binvalid request body\\b',
  `\\bno (?:${WORD} )?(?:messages?|prompt|input|api key|credentials?) (?:was |were )?(?:provided|found|specified|given|` +
    'set|configured|selected)\\b',
  '\\b(?:rejected the request|request (?:was )?rejected|rejected by)\\b|\\bfailed validation\\b|\\bbad request\\b',
  '\\bunauthori[sz]ed\\b|\\bforbidden\\b|\\bpermission\\b|\\bcan only be used\\b|\\brequest is missing\\b',
  `\\bcredentials unavailable\\b|\\bno (?!fallback)(?:${WORD} ){1,3}configured|\\bnontransientaiexception\\b`,
  `\\bis not registered\\b|\\bno (?:${WORD} )?route (?:for|found)\\b|\\bmaximum [a-z ]{0,24}(?:size|length|tokens)\\b\\b`,
  '\\bnot readable\\b',
  `\\bcould not (?:discover|find|resolve|determine) (?:an? |the )?(?!json )(?:${WORD} ){0,4}${THING}\\b`,
  `\\bvalidation errors? for [a-z]{0,40}request\\b|\\b(?:request|input|schema|prompt) validation (?:error|failed)\\b`,
  '\\bno longer (?:available|supported|offered)\\b|\\bdeprecated\\b|\\bdecommissioned\\b',
  '\\bcannot (?:be (?:used|empty|null|blank|combined|mixed|specified|both)|specify|mix|combine)\\b',
  `\\b(?:exceeds|greater than|longer than|larger than) (?:the )?(?:${WORD} ){0,3}(?:maximum|limit|context|size|length)\\b`,
  '\\bmaximum context\\b|(?<!took |taking |takes )\\btoo (?:long|large)\\b',
  `\\b(?:check|verify) (?:that )?(?:your |the |if (?:your |the )?)?(?:${WORD} )?(?:api ?keys?|api address|credentials|` +
    'base url|api url)\\b',
  '\\bdue to incorrect\\b|请?检查(?:您的?|你的?)? ?(?:api|key|密钥|配置|地址|令牌|模型)',
  `\\binvalid type: [a-z]{2,12},? |\\bmissing field\\b|\\bunknown (?:field|variant|name)\\b|\\bcannot find field\\b`,
  '\\bno (?:conversation|session|thread)s? found\\b|\\b(?:conversation|session|thread)s? (?:was )?not found\\b',
];
/** Without a status, these refuse too; a server that fails says some of them of itself. */
export const readMildRefusals = (): readonly string[] => [
  '\\bnot (?:yet )?supported\\b|\\bno models? (?:loaded|selected|found|available)\\b',
  '\\bplease (?:set|run|sign|log|select|provide|specify|enable|install|upgrade|ensure|pass|configure|choose)\\b',
  '\\blogged (?:in|out)\\b|\\b(?:log|sign) ?in\\b|\\b(?:session|login|token|key|subscription) (?:has |is )?expired\\b',
  '\\bis blocked\\b|\\bblocked(?::| due| by)|\\brefusal\\b|\\brefused to (?!connect)|\\bnot enough (?!data)',
  '\\bcredits\\b(?! consumed)|\\bupgrade\\b',
  '\\bcannot (?:get|post) /|\\bfailed to (?:download|parse ur[il]|load (?:the )?(?:model(?! list| in time)|image|file))\\b',
  '\\b(?:not |un)available (?:on|in|for|with|to|under) (?:your|this|the) (?:current )?(?:plan|tier|region|country|' +
    'account|subscription|organi[sz]ation|version)\\b',
  '\\bcould not process (?:the )?(?:image|file|input)\\b|\\b(?:ids?|blocks) were found without\\b|\\bredirect count\\b',
  '\\bonly (?:[a-z, ]{1,40}) (?:is|are) (?:supported|allowed)\\b|\\bare supported\\b',
  '\\bno (?:tool|endpoints?) [a-z ]{0,24}found\\b|\\bis invalid\\b|\\bis missing\\b',
  '\\b(?:provider|agent|assistant|thread|session|conversation) [a-z0-9. ]{0,24}not found\\b',
];

/** Something of the same caller is not finished yet. */
export const readOccupied = (): readonly string[] => [
  '\\balready has an active run\\b',
  '\\b(?:thread|session|conversation|agent) is (?:already |currently |still )?(?:busy|running|processing)\\b',
  '\\banother (?:request|generation|response|run|message) is (?:already |still |currently )?(?:in progress|running|active|being)\\b',
];

/** What passes although the status refuses. */
export const readPassing = (): readonly (readonly [type: FailureType, patterns: readonly string[]])[] => [
  [
    'overloaded',
    [
      '\\bhigh (?:traffic|load|demand)\\b|\\boverloaded\\b|\\btoo busy\\b|\\b(?:server|system|service|model) (?:is )?busy\\b',
      '\\bat capacity\\b|并发|繁忙|请求过多|稍后(?:再试|重试)',
    ],
  ],
  ['rate_limit', ['\\btoo many requests\\b|\\brate limit(?:ed| exceeded| reached)|耐心等待']],
  [
    'timeout',
    [
      '\\b(?:invocation|request|connection|operation|upstream|read|model|gateway) (?:has )?timed out\\b',
      '\\bdeadline exceeded\\b',
    ],
  ],
  [
    'connection_error',
    [
      '\\bconnection (?:was |is |has been |error: )?(?:closed|reset|refused|aborted|lost|terminated)\\b',
      '\\b(?:server )?connection error\\b|\\bactively refused\\b|\\bnetwork error\\b|\\bparse error: expected http\\b',
      '\\bsocket hang up\\b|\\becon(?:nreset|nrefused|naborted)\\b|\\bbroken pipe\\b|\\bunexpected eof\\b',
      '\\bnot enough data for satisfy transfer length\\b|\\bpayload is not completed\\b',
    ],
  ],
  [
    'server_error',
    [
      '\\bdid not respect the required format\\b|\\bfailed to call a function\\b|\\btool use failed\\b',
      '\\bfailed to (?:get|receive) (?:an? )?response from (?:the )?(?:provider|model|upstream|server)\\b',
      '\\bexpecting [,:] delimiter: line \\d|\\bunexpected end of json\\b|\\binternal server error\\b',
    ],
  ],
];

/** `Ollama Cloud API error 410`, `DeepSeek 400: {`; not if the text also quotes a status that passes. */
export const QUOTED: RegExp =
  /\b(?:error|api|status|code|returned|upstream|provider|http|said|deepseek|openai|anthropic|gemini|ollama|openrouter|azure|mistral|groq|qwen)(?: code| error| status)?:? [[(]?(4(?:0[0-6]|10|13|15|22))\b(?![%.]\d| ?ms\b)/;
export const QUOTED_PASSING: RegExp = /\b(?:408|429|5[0-3]\d)\b/g;

/** Of the answer, which another attempt changes, and of networks. */
export const readOfAnswers = (): readonly string[] => [
  '\\b(?:no object generated|no assistant message|finish reason|require[sd] action|firewall|internet)\\b',
  '\\b(?:invalid (?:json )?response body|produced (?:an? )?invalid|invalid (?:tool call|response|model output|json output))\\b',
  '\\b(?:invalid output format|malformed function call|did not match (?:the )?schema|type validation failed|output ?parser)\\b',
  '\\b(?:response|output|answer|completion)(?: [a-z]{1,16}){0,2} (?:is|was|must|has|did|could|missing|contains?|not)\\b',
  '\\bvalidation errors? for (?:chat ?completion|[a-z]{0,20}response)\\b|<!doctype|<html',
];

/** What clients, SDKs and gateways put before the reason of another program. */
export const readHeads = (): readonly string[] => [
  // Of a server, of a gateway or of an SDK.
  '\\binternal(?: server)? error|\\binternalservererror|\\berror from provider|\\bprovider returned error|\\bbad gateway',
  '\\b(?:an |unexpected )?error (?:has )?occurred(?: while processing (?:your|the) request)?|\\bupstream (?:request ' +
    ')?(?:error|failed)',
  '\\blitellm\\.[a-z]{3,40}error|\\b[a-z_]{3,40}exception -|\\b(?:openai\\.)?(?:error\\.)?api(?:connection|call)?error',
  '\\b(?:api error:? ?)?5\\d\\d(?: (?:bad gateway|internal server error|service unavailable|server error))?',
  // Of a client, which names its step: `LLM request failed: …`.
  '\\b(?:llm|ai|model|agent|assistant|chat|run|request|generation|completion)(?: (?:call|request|run))?' +
    ' (?:failed before reply|failed|error):',
  '\\b(?:failed to|could not|error) (?:get|getting|generate|generating)(?: an?| the)? (?:response|reply|completion|answer):',
  '\\berror (?:in|calling|during) (?:the )?(?:llm|ai|model|openai|chat|completion|api)(?: call| request| api)?:',
  // Of a chat: `Sorry, your request failed. Please try again. Request id: … Reason: …`.
  '\\bsomething went wrong\\. here.s the specific error message we encountered:|\\breason:',
  '\\bsorry, your request failed\\.? please try again\\.?|\\b(?:copilot |gh |client )?request id: ?[\\w-]{1,64}',
  // Chinese.
  '(?:astrbot )?(?:api ?|llm ?|ai ?|模型)?(?:请求|调用)(?:失败|出错)[:：。] ?(?:[a-z]{1,32}(?:exception|error):)?',
  '错误(?:类型|信息)[:：] ?(?:[a-z]{1,32}(?:exception|error)\\b)?',
];
