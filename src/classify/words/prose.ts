/**
 * Data: the words of prose, in the form of `wordsOf`, in rows of alternatives. A short text that no sentence matches counts if
 * it names a call and what failed, and gives no reason that would stay.
 */

import type { TypedRows } from '../family.ts';

const FAILED_TO = '(?:failed to|could not|couldnt|unable to|cannot|error(?: while| in| when)?|problem|issue|trouble)';
const WORD = '[a-z0-9]{1,16}';
const END = '[.!]?(?:$|,? (?:detail|type|code|param|status|error|success|message|request id) ?:)';
/** The beginning of a line, or of a message in a body. */
const BEGIN =
  '(?:^|(?:\\b(?:[a-z]{0,24}(?<!decode)error|[a-z]{0,24}exception|message|detail|msg|reason|encountered)|错误信息|失败) ' +
  '?[:：] ?)(?:error: )?';
/** A file or another thing of the program, named after an answer. */
const NOT_A_THING = '(?! (?:file|template|script|schema|format|config|header|handler|class|type|directory|folder))';
/** In the form of `wordsOf`; the first that matches counts. */
export const SENTENCES: readonly TypedRows[] = [
  [
    'timeout',
    [
      // Ordinary English: a client's limit for the beginning of an answer.
      '\\b(?:time to|waiting for) (?:the )?first (?:token|byte|chunk)\\b',
      // Ordinary English: a model or a call that is slow.
      '\\btook too long to (?:respond|reply|answer|generate|process)\\b|\\b(?:model|response|request|generation)s? (?:took|is taking) too long\\b',
      // Ordinary English: a call with a limit of its own.
      '\\b(?:execution|generation|inference|processing|transcription) timed out\\b|\\btimed out waiting for (?:an? |the )?(?:response|reply|answer|model)\\b',
    ],
  ],
  [
    'stream_interrupted',
    [
      // Ordinary English: a stream that says nothing, or was ended.
      `\\bstream(?:ing)?(?: ${WORD})? (?:is |was |has been )?(?:idle|stalled|cancell?ed|terminated|interrupted|dropped|` +
        'broken)\\b',
      `\\b(?:unexpected event order|received message (?:start|stop) without)\\b`,
      `\\bdid not receive (?:${WORD} ){0,4}(?:response|reply|answer|message)\\b`,
    ],
  ],
  [
    'connection_error',
    [
      // Ordinary English: the connection of a client, or a local server that was not started.
      '\\blost connection\\b|\\bno internet connection\\b|\\b(?:ollama|lm studio)(?: server)? is not running\\b',
    ],
  ],
  // Ordinary English: what clients say of a rate.
  [
    'rate_limit',
    ['\\bplease slow down\\b|\\b(?:sending|making) (?:messages|requests|calls) too (?:quickly|fast|often)\\b'],
  ],
  // Ordinary English: what status pages say.
  ['overloaded', ['\\b(?:is|are|were|currently) at capacity\\b|\\bunder maintenance\\b']],
  [
    'server_error',
    [
      '\\bmalformed function call\\b|\\binvalid json response body at\\b',
      // The answer is no JSON, or no stream of events. A parser alone says it of any text.
      '\\bunexpected token .{1,3},? (?:an (?:error o|intern|unexp)|internal|bad gatewa|upstream|service |gateway t|' +
        'error code|no healthy|server |too many r|rate limit|request t|overload|the server|<html)[^\\n]{0,120}',
      '\\b(?:code|status) ?: (?:13|14), (?:message|details) ?:[^\\n]{0,200}\\b(?:message|details) ?:',
      `${BEGIN}expecting value: line 1 column 1(?: char 0)?${END}`,
      '\\bresponse (?:is )?not text/event stream|\\bexpected (?:content type:? )?text/event stream',
      '\\bfailed \\d{1,2}/\\d{1,2} times ?:[^]{0,80}, (?:50[0234]|52\\d|529)$',
      '\\b(?:have|has|had) no (?:response|answer|reply) (?:to give|available)\\b',
      // Ordinary English: a local server or its worker died.
      '\\b(?:model|engine|runner|worker|backend)(?: [a-z]{1,16})? (?:has )?(?:crashed|died|stopped unexpectedly)\\b',
      // Ordinary English: no answer.
      '\\b(?:model|llm|server|provider|assistant) (?:did not|didnt|failed to) (?:respond|reply|answer)\\b',
      // Chinese and Japanese: a call that failed, and advice to try again.
      '系统(?:异常|错误|故障|內部)|重试|再试',
      // The model's own mistakes.
      '\\bai invalidtoolinputerror\\b[^\\n]{0,80}',
      `\\bexpected (?:(?:exactly|at least|an?|one|\\d{1,2}) ){0,2}(?:${WORD} ){0,2}(?:outputs?|responses?|` +
        'completions?)(?: (?:items?|messages?|blocks?))?\\b[^\\n]{0,40}\\b(?:got|received|found)\\b',
      '\\bexpected dict keys\\b|\\bdid not respect the required format\\b',
      '\\bxml syntax error\\b|\\brepeated tool call failures\\b|\\bis having trouble\\b',
      // Ordinary English: a client that got no answer.
      `\\b${FAILED_TO} (?:get|fetch|receiv|read|generat|process|stream|complet|extract|creat|obtain|retriev|pars|` +
        `decod)(?:e|t?ing|ve)? [a-z0-9 ]{0,40}\\b(?:response|reply|completion|answer)${NOT_A_THING}\\b`,
      '\\bmay indicate (?:an? )?(?:failure in|issue with the (?:api|model)|service issue)\\b',
    ],
  ],
];

/** A call of a model, by the words of clients. */
export const CALL: readonly string[] = [
  // The model, and what it is asked for.
  'ai|llms?|language model|models?|assistant|inference|generation|(?:chat )?completions?|embedding',
  // What comes back.
  'responses?|repl(?:y|ies)|stream|streaming|sse|chunks?',
  // Who serves it.
  'upstream|provider|litellm|openai|anthropic|claude|gemini|openrouter|chatgpt|bard|bing|deepseek|ollama|llama|bedrock|vertex',
];

/** What may be a call of anything: it counts beside a word of what passes. */
export const REQUEST: readonly string[] = [
  'service|endpoint|gateway|server error|connection error|unexpected error',
  // Advice to try again, but not after a time, which a limit names: `Try sending your message again`.
  '(?:try(?:ing)?|submit(?:ting)?) (?:it |me |that |this |to (?:re)?(?:send|submit) )?(?:your |the )?' +
    '(?:message |request |prompt )?again\\b(?! (?:in|after) \\d)',
];

/** That something failed. */
export const FAILS: readonly string[] = [
  '(?<!^(?:uncaught )?)\\b(?:errors?|[a-z]{2,20}error|failed|failure|fails|exception|unable|could not|couldnt|cannot|problems?)\\b',
  '(?<!^(?:uncaught )?)\\b(?:issue|wrong|interrupted|crash(?:ed)?|broken|unexpected|trouble)\\b',
  // There is no answer, or it cannot be used: `Response did not contain text`.
  '\\bno (?:[a-z]{1,16} ){0,3}(?:data|chunks|events|result|content|text|images?|audio|action|code|urls?|lines|tokens|choices|suggestions?)\\b',
];

/** Single words of what passes. */
export const SHORT_PASSING: readonly TypedRows[] = [
  ['timeout', ['timed out|time ?out|deadline']],
  ['overloaded', ['overload(?:ed)?|unavailable|busy|(?:at|over) capacity|high (?:load|demand|traffic)|maintenance']],
  ['connection_error', ['connection|network|unreachable|disconnect(?:ed|ion)?|offline|eof|etimedout']],
  ['server_error', ['again(?! (?:in|after) \\d)|retry(?:ing)?']],
];

/** Places in files and numbers of errors, which logs and stack traces have. */
export const OF_CODE: readonly string[] = [
  '\\.(?:c|cc|cpp|cs|cu|go|h|java|jsx?|json|kt|lua|mjs|php|py|rb|rs|toml|tsx?|ts|txt|vue|ya?ml):?\\d{0,9}\\b',
  '\\b32[67]\\d\\d\\b|\\bunmarshal',
];

/** What is said beside a failure that passes, with words that are a reason elsewhere. It is removed. */
export const HARMLESS: readonly string[] = [
  'invalid response|not valid json|contact (?:us|support)|prompt the model',
  '(?:re ?)?(?:submit|send)(?:ting|ing)? (?:your |the )?(?:message|prompt|request)(?: again)?',
];

/** Words of a reason, of a setting or of another part of the program: what such a text means is left open. */
export const DOUBT: readonly string[] = [
  // Ordinary English: a setting, or a choice that a person made.
  'config|setting|select|specif|enabl|disabl|turned off|environment|only\\b',
  // A part of the program, its files and its tools.
  'file|path|script|command|spawn|sudo|force\\b|restart|database|docker|tools?\\b|function|attribute|assert|undefined|agent run id',
  // Ordinary English: money, an account, a login, a key.
  'quota|limit|credits?\\b|billing|balanc|payment|subscri|account|region|expire|log ?in|sign in|oauth|keys?\\b|access|credential|' +
    'permission|denied|authori|authent|signature|secret|licen[cs]',
  // A policy.
  'block|polic|safety|moderat|refus|reject|abort|cancel',
  // What was asked for.
  'argument|paramet|schema|syntax|malformed|mismatch|duplicate|exceed|deserializ|out of range|context|' +
    'invalid|illegal|missing|supported|prompt|image|expected: |too (?:long|large|many|big|short)|4(?:0[0-6]|1[03-5]|22)\\b',
  'pars(?:e|ing) (?:the )?(?:arg|model name|prompt|errors?\\b|ur[il]|config|setting|request|header|tool schema|yaml|toml|file)',
  '(?:file|image|messages?|request|input|audio|line|date|prompt|gemini|openai|anthropic) format',
  // Ordinary English: what does not exist, or no longer.
  'not (?:found|a|an|be|in|allowed|available|supported|valid|exist|yet)\\b|no such|does not|doesnt|deprecat',
  // What the person should do.
  'must|requir|submit|contact|correct|tell the model|check your',
];

/** Words that refuse the request. */
export const REFUSALS: readonly string[] = [
  // Chinese: what is wrong or used up, and advice to change it.
  '无效|余额|额度|欠费|过期|权限|请(?:切换|更换|配置)|请检查(?!您?的?网络|[:：])',
  // Ordinary English: what is not there, or not offered.
  '\\b(?:does|do|is|are|was) not (?:yet )?(?:support(?:ed)?|found|exist|enabled|valid(?! json))\\b|\\bdoesnt (?:support|exist)\\b|\\bunsupported\\b',
  '\\bnot (?:be )?(?:permitted|recogni[sz]ed|allowed|accepted|implemented|installed|authori[sz]ed|configured|specified|' +
    'a valid|in the list)\\b',
  '\\b(?:must|should) (?:not )?(?:be|have|not|contain|include|match|provide|specify|start|end|use|set|follow|alternate|' +
    'come|conform|support|pass)\\b',
  '\\bno (?:conversation|session|thread)s? found\\b|\\b(?:conversation|session|thread)s? (?:was )?not found\\b',
];
/** What passes although the status refuses. */
export const PASSING_SENTENCES: readonly TypedRows[] = [
  ['rate_limit', ['\\btoo many requests\\b|\\brate limit(?:ed| exceeded| reached)|耐心等待']],
  ['timeout', ['\\b(?:invocation|request|connection|operation|upstream|read|model|gateway) (?:has )?timed out\\b']],
  [
    'connection_error',
    [
      '\\bconnection (?:was |is |has been |error: )?(?:closed|reset|refused|aborted|lost|terminated)\\b',
      '\\b(?:server )?connection error\\b|\\bactively refused\\b|\\bnetwork error\\b|\\bparse error: expected http\\b',
    ],
  ],
  [
    'server_error',
    [
      '\\bdid not respect the required format\\b|\\bfailed to call a function\\b|\\btool use failed\\b',
      '\\bexpecting [,:] delimiter: line \\d',
    ],
  ],
];

/** What clients, SDKs and gateways put before the reason of another program. */
export const HEADS: readonly string[] = [
  // Of an SDK, which may have one of the others in it.
  '\\blitellm\\.[a-z]{3,40}error|\\b(?:openai\\.)?(?:error\\.)?api(?:connection|call)?error',
  // Of a server or of a gateway.
  '\\binternal(?: server)? error|\\binternalservererror|\\berror from provider|\\bprovider returned error|\\bbad gateway',
  '\\b(?:an |unexpected )?error (?:has )?occurred(?: while processing (?:your|the) request)?',
];
