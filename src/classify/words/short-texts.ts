/**
 * The words by which a short text is read that no sentence matches, in the form of `wordsOf`. They are data, in rows of
 * alternatives. A text counts if it names a call and what failed, and gives no reason that would stay.
 */

import type { FailureType } from '../../failure/failure.ts';

export interface ShortTexts {
  readonly call: RegExp;
  readonly request: RegExp;
  readonly fails: RegExp;
  readonly harmless: RegExp;
  readonly doubt: RegExp;
  readonly ofOthers: RegExp;
  readonly ofCode: RegExp;
  readonly passing: readonly (readonly [type: FailureType, pattern: RegExp])[];
}

/** A function, which bundlers can leave out. */
export const readShortTexts = (): ShortTexts => ({
  call: new RegExp(`\\b(?:${CALL.join('|')})\\b`),
  request: new RegExp(`\\b(?:${REQUEST.join('|')})\\b`),
  fails: new RegExp(FAILS.join('|')),
  harmless: new RegExp(`\\b(?:${HARMLESS.join('|')})`, 'g'),
  doubt: new RegExp(`\\b(?:${DOUBT.join('|')})`),
  ofOthers: new RegExp(`\\b(?:${OF_OTHERS.join('|')})\\b`),
  ofCode: new RegExp(OF_CODE.join('|')),
  passing: PASSING.map(([type, words]) => [type, new RegExp(`\\b(?:${words.join('|')})\\b`)] as const),
});

/** Longer texts are logs or stack traces. */
export const LONGEST = 400;

/** A call of a model, by the words of clients. */
const CALL: readonly string[] = [
  'api (?:call |request )?(?:error|failed|failure)|apicallerror|request id:? |req [0-9a-z]{8}',
  // The model, and what it is asked for.
  'ai|llms?|language model|models?|assistant|inference|generation|(?:chat )?completions?|embedding',
  'translat(?:ion|or)|transcription|tts|whisper|suggestions?|summary|tool calls?',
  // What comes back.
  'responses?|repl(?:y|ies)|stream|streaming|sse|chunks?',
  // Who serves it.
  'upstream|provider|litellm|openai|anthropic|claude|gemini|openrouter|chatgpt|bard|bing|deepseek|ollama|llama|bedrock|vertex',
  'mistral|groq|grok|qwen|copilot|vllm|lm studio|fireworks|cerebras|perplexity|moonshot|kimi|minimax|zhipu|glm|cohere',
];

/** What may be a call of anything: it counts beside a word of what passes. */
const REQUEST: readonly string[] = [
  'requests?|answers?|quer(?:y|ies)|tokens?|prompts?|chat|api|v1\\/|https?:|http\\/[12]|websocket|grpc|tcp|transport',
  'service|our servers?|endpoint|gateway|host|server error|connection error|unexpected error|high (?:demand|traffic)',
  '[a-z]{3,24}exception|[a-z]{2,24}connectionerror',
  // Advice to try again, but not after a time, which a limit names: `Try sending your message again`.
  '(?:try(?:ing)?|submit(?:ting)?) (?:it |me |that |this |to (?:re)?(?:send|submit) )?(?:your |the )?' +
    '(?:message |request |prompt )?again\\b(?! (?:in|after) \\d)',
  'retry|re(?:send|submit|generat)[a-z]{1,4}',
];

/** That something failed. */
const FAILS: readonly string[] = [
  '(?<!^(?:uncaught )?)\\b(?:errors?|[a-z]{2,20}error|failed|failure|fails|exception|unable|could not|couldnt|cannot|problems?)\\b',
  '(?<!^(?:uncaught )?)\\b(?:issue|wrong|interrupted|crash(?:ed)?|broken|unexpected|trouble)\\b',
  // At the beginning, `Error:` says as little as the name of any error.
  '^(?!error:)(?:failed|unable|could not|couldnt|cannot|unexpected|problem|[a-z]{2,20}error)\\b',
  '^error (?:[a-z]{3,16}ing|while|during|from|with)\\b',
  // There is no answer, or it cannot be used: `Response did not contain text`.
  '(?<!^)\\bempty\\b|^empty (?!response$)|\\b(?:null|mismatch|unterminated|malformed|incomplete|truncated|unusable)\\b',
  '\\bno (?:[a-z]{1,16} ){0,3}(?:data|chunks|events|result|content|text|images?|audio|action|code|urls?|lines|tokens|choices|suggestions?)\\b',
  '\\b(?:did not|didnt|does not|doesnt) (?:match|follow|conform|return|contain|generate|answer|finish)',
  '\\b(?:stream|body|connection) (?:was )?(?:closed|ended|aborted|failed|not available)\\b|: none$|\\bis undefined$',
];

/** Single words of what passes. */
const PASSING: readonly (readonly [type: FailureType, words: readonly string[]])[] = [
  ['timeout', ['timed out|time ?out|timing out|deadline']],
  [
    'rate_limit',
    [
      'rate limit(?:ed|s|ing)?|ratelimit(?:ed)?|throttl[a-z]{1,4}|too many (?:requests|calls|messages|queries)',
      'too (?:quickly|fast|frequent(?:ly)?)|slow down',
    ],
  ],
  [
    'overloaded',
    ['overload(?:ed)?|unavailable|busy|at capacity|over capacity|high (?:load|demand|traffic)|maintenance|outage'],
  ],
  [
    'stream_interrupted',
    [
      'interrupted|stalled|stream(?:ing)? (?:was )?(?:aborted|broken|cut)|cut off|incomplete',
      'ended (?:the (?:response|stream|answer) )?(?:early|unexpectedly)|closed the stream|stopped before',
    ],
  ],
  [
    'connection_error',
    ['connection|network|unreachable|disconnect(?:ed|ion)?|offline|eof|reset by|econn[a-z]{4,7}|etimedout'],
  ],
  [
    'server_error',
    [
      'again(?! (?:in|after) \\d)|retry(?:ing)?|re(?:send|submit|generat)[a-z]{0,4}',
      'temporar(?:y|ily)|right now|at (?:the|this) (?:moment|time)',
    ],
  ],
];

/** Places in files and numbers of errors, which logs and stack traces have. */
const OF_CODE: readonly string[] = [
  '\\.(?:c|cc|cpp|cs|cu|go|h|java|jsx?|json|kt|lua|mjs|php|py|rb|rs|toml|tsx?|ts|txt|vue|ya?ml):?\\d{0,9}\\b|(?:^|\\s)[a-z]:\\\\',
  '\\berrno\\b|\\beunknown\\b|\\b0x[0-9a-f]{4}|\\b32[67]\\d\\d\\b|\\bjsonrpc\\b|\\bunmarshal',
  '\\bcmake\\b|\\blocator\\b|\\basync step\\b|\\bretryable ?: false\\b',
];

/** What is said beside a failure that passes, with words that are a reason elsewhere. The first that matches is removed. */
const HARMLESS: readonly string[] = [
  // Limits on the rate.
  '(?:rate )?limit(?:ed)?,? (?:exceeded|reached)|(?:reached|exceeded) (?:the |your |our )?rate limits?',
  'rate limit(?:ed|s|ing)?|limiting requests',
  '(?:too many|maximum) (?:requests?|tokens|concurrent|retries|calls)(?: exceeded)?|max(?:imum)? retries exceeded(?: with url)?',
  // Connections.
  'connection (?:was |is )?refus[a-z]{0,3}|load failed|write (?:tcp|epipe)|(?:stream|request|response) (?:was |has been )?cancell?ed',
  '(?:check|verify) (?:your|the) (?:network|internet|connection|firewall)(?: rules| settings| connection)?',
  // What was attempted.
  'failed to load (?:the )?(?:response|reply|answer)|failed to (?:generate|process|decode|read)|generation failed|unable to process',
  '(?:to|while|when|error|failed) process(?:ing)?(?: your| the)? (?:request|response)',
  '(?:could not|couldnt|cannot|failed to) process(?: (?:your|the|this) (?:message|request|question))?',
  // An answer that cannot be used.
  'expecting value|expected event|invalid response|not valid json|error parsing|error: none|response body',
  '(?:did not|does not|didnt|doesnt|failed to) (?:match|follow|conform)(?: to)?(?: the)?' +
    '(?: (?:expected|output|required|json|given))? (?:schema|format|structure)',
  '(?:response|output|answer|reply) (?:failed )?schema validation|(?:failed )?schema validation$',
  '(?:invalid|malformed|missing|unexpected|incomplete) (?:[a-z]{1,16} ){0,2}(?:response|reply|answer|output|completion|json|chunk|sse)s?\\b',
  '(?:response|reply|stream) (?:body )?is (?:null|undefined|none)|(?:response|output|answer) format(?:ting)?',
  'tool (?:call )?(?:json|arguments)|function call arguments|could not be (?:decoded|parsed|generated)',
  'number of (?:translated )?lines does not match',
  // Advice.
  'check (?:the |server )?logs|check the information below|learn more|documentation|switch to|another model|different model',
  'contact (?:us|support|the (?:admin|administrator))|report(?:ing)? (?:the|this) issue|prompt the model',
  '(?:re ?)?(?:submit|send)(?:ting|ing)? (?:your |the )?(?:message|prompt|request)(?: again)?',
  'start(?:ing)? (?:a )?new (?:conversation|chat|session|thread)|reload(?:ing)? the page|refresh(?:ing)? (?:the page|your browser)',
  // Other parts of such texts.
  'none the less|specific error|error (?:id|code|type)|extension host\\]',
];

/** Words of a reason, of a setting or of another part of the program: what such a text means is left open. */
const DOUBT: readonly string[] = [
  // A setting, or a choice that a person made.
  'config|setting|select|choose|specif|provided\\b|enabl|disabl|set up|turned off|environment|variable|only\\b|ignored',
  // A part of the program, its files and its tools.
  'install|upgrad|updat|version|outdated|package|library|plugin|extension|module|import|compil|deploy|ide\\b|main process',
  'directory|folder|path|file|pipe|logs\\b|script|command|spawn|exit|sudo|force\\b|restart|database|docker|test|tools?\\b|function|mcp',
  'object has|attribute|property|index|assert|undefined|agent run id',
  // Memory, weights and training.
  'memory|disk|cuda|gpu|quanti|train|checkpoint|tensor|dtype|weights|initiali|load(?:ing)?\\b|unloaded|pull|download|upload',
  // What the account may do and pay.
  'quota|limit|credits?\\b|billing|balanc|payment|subscri|plan\\b|premium|seat\\b|top up|\\bcap\\b|ran out|used up|is full\\b|max ',
  'account|organi[sz]ation|region|country|expire|login|log in|sign in|signed|oauth|token\\b|tokens\\b|key\\b|keys\\b|signature',
  'permission|authori|authent|unauthenticat|access|denied|forbid|credential|secret|licen[cs]|gated|\\bcors\\b|check for a proxy',
  // A policy.
  'block|polic|safety|content filter|moderat|flag|refus|reject|recitation|abort|cancel',
  // What was asked for.
  'paramet|argument|schema|syntax|invalid|illegal|malformed|missing|mismatch|duplicate|deserializ|out of range|exceed',
  'unknown (?!(?:request |api |server )?error)|unsupported|supported|suitable|context|prompt|image|attachment|conversation request',
  'expected: |but found|expected (?:str|int|an?|object|type)\\b|api error occurred:$|handle parsing',
  'pars(?:e|ing) (?:the )?(?:arg|model name|prompt|errors?\\b|ur[il]|config|setting|request|header|tool schema|yaml|toml|file)',
  'pars(?:e|ing) (?:the )?(?:option|command|provider)',
  '(?:file|image|messages?|request|input|audio|line|date|prompt|gemini|openai|anthropic) format',
  '(?:messages?|prompt|input|query) (?:content )?is empty|empty (?:messages?|prompt|input|query)\\b',
  'too (?:long|large|many|big|short)|4(?:0[0-6]|1[03-5]|22)\\b',
  // What does not exist, or no longer.
  'not found|not (?:a|an|be|in|allowed|available|supported|valid|exist|yet)\\b|not been|no such|ca?nt find|could not find|does not|doesnt',
  'no (?:[a-z]{1,16} ){0,2}(?:provider|model|endpoint)s?\\b|cannot (?:get|post)|route|resolve|deleted|already|going away',
  'retired|deprecat|sunset|decommission|end of life',
  // What the person should do.
  'must|should|requir|contact|submit|modif|rephras|adjust|reduc|remov|correct|fulfil|tell the model|check your|documentation',
  'sav(?:e|ing)\\b|writ|open\\b',
];

/** Other servers and other conversations, which say nothing about a model. */
const OF_OTHERS: readonly string[] = [
  'redis|kafka|amqp|smtp|ldap|d bus|prisma|database|daemon|docker|kernel|git|npm|mcp|lsp|language server|dev server|vite',
  'bluetooth|camera|microphone|printer|clipboard|webgl|localstorage|indexeddb|service worker|ws:\\/\\/',
  '(?<!refresh(?:ing)? your |reload(?:ing)? your )browser|page has been closed|voice (?:input|recording)|device',
  'shell|terminal (?:process|session|tab)|os error 11|resource busy|name resolution|namespace|lock|object has no attribute',
  'workflow|health check|build|deployment failed|tests?|fixture|linter|neural',
  'payment|checkout|authenticat[a-z]{1,4}',
  '(?:up|down)load (?:failed|error)|(?:auto )?update failed',
  'failed to (?:delete|rename|save|copy|sync|upload|download|install|update|check for|archive|share|export|import)',
];
