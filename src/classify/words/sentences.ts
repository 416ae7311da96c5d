/**
 * The sentences in which programs report that a model failed, in the form of `wordsOf`. They are data.
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
