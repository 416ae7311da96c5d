/**
 * The words by which a short text is read that no sentence matches, in the form of `wordsOf`. They are data, in rows of
 * alternatives. A text counts if it names a call and what failed, and gives no reason that would stay.
 */

import type { TypedRows } from '../family.ts';

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
  'service|our servers?|endpoint|gateway|host|server error|connection error|unexpected error|high (?:demand|traffic)',
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
  ['timeout', ['timed out|time ?out|timing out|deadline']],
  [
    'overloaded',
    ['overload(?:ed)?|unavailable|busy|at capacity|over capacity|high (?:load|demand|traffic)|maintenance|outage'],
  ],
  [
    'connection_error',
    ['connection|network|unreachable|disconnect(?:ed|ion)?|offline|eof|reset by|econn[a-z]{4,7}|etimedout'],
  ],
  ['server_error', ['again(?! (?:in|after) \\d)|retry(?:ing)?|re(?:send|submit|generat)[a-z]{0,4}']],
];

/** Places in files and numbers of errors, which logs and stack traces have. */
export const OF_CODE: readonly string[] = [
  '\\.(?:c|cc|cpp|cs|cu|go|h|java|jsx?|json|kt|lua|mjs|php|py|rb|rs|toml|tsx?|ts|txt|vue|ya?ml):?\\d{0,9}\\b',
  '\\b32[67]\\d\\d\\b|\\bunmarshal',
  '\\bretryable ?: false\\b',
];

/** What is said beside a failure that passes, with words that are a reason elsewhere. It is removed. */
export const HARMLESS: readonly string[] = [
  '(?:check|verify) (?:your|the) (?:network|internet|connection|firewall)(?: rules| settings| connection)?',
  // An answer that cannot be used.
  'expecting value|expected event|invalid response|not valid json|error parsing|error: none|response body',
  // Advice.
  'contact (?:us|support|the (?:admin|administrator))|report(?:ing)? (?:the|this) issue|prompt the model',
  '(?:re ?)?(?:submit|send)(?:ting|ing)? (?:your |the )?(?:message|prompt|request)(?: again)?',
];

/** Words of a reason, of a setting or of another part of the program: what such a text means is left open. */
export const DOUBT: readonly string[] = [
  // Ordinary English: a setting, or a choice that a person made.
  'config|setting|select|choose|specif|provided\\b|enabl|disabl|set up|turned off|environment|variable|only\\b|ignored',
  // A part of the program, its files and its tools.
  'directory|folder|path|file|pipe|logs\\b|script|command|spawn|exit|sudo|force\\b|restart|database|docker|test|tools?\\b|function|mcp',
  'object has|attribute|property|index|assert|undefined|agent run id',
  // What the account may do and pay.
  // Ordinary English: money and limits.
  'quota|limit|credits?\\b|billing|balanc|payment|subscri|plan\\b|premium|top up|\\bcap\\b|ran out|used up|is full\\b|max ',
  // Ordinary English: an account, a login, a key.
  'account|organi[sz]ation|region|country|expire|login|log in|sign in|signed|oauth|tokens?\\b|keys?\\b|signature',
  'permission|authori|authent|unauthenticat|access|denied|forbid|credential|secret|licen[cs]|gated|\\bcors\\b|check for a proxy',
  // A policy.
  'block|polic|safety|content filter|moderat|flag|refus|reject|recitation|abort|cancel',
  // What was asked for.
  'paramet|argument|schema|syntax|invalid|illegal|malformed|missing|mismatch|duplicate|deserializ|out of range|exceed',
  'unknown (?!(?:request |api |server )?error)|unsupported|supported|suitable|context|prompt|image|attachment|conversation request',
  'expected: |but found|expected (?:str|int|an?|object|type)\\b|api error occurred:$|handle parsing',
  'pars(?:e|ing) (?:the )?(?:arg|model name|prompt|errors?\\b|ur[il]|config|setting|request|header|tool schema|yaml|toml|file)',
  '(?:file|image|messages?|request|input|audio|line|date|prompt|gemini|openai|anthropic) format',
  'too (?:long|large|many|big|short)|4(?:0[0-6]|1[03-5]|22)\\b',
  // Ordinary English: what does not exist, or no longer.
  'not found|not (?:a|an|be|in|allowed|available|supported|valid|exist|yet)\\b|not been|no such|could not find|does not|doesnt|deprecat|retired',
  // What the person should do.
  'must|should|requir|contact|submit|modif|rephras|adjust|reduc|remov|correct|fulfil|tell the model|check your|documentation',
];
