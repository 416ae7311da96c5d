/**
 * The sentences in which programs report that a model failed, in the form of `wordsOf`, and the words that leave the
 * cause open. They are data: the source map names this file, and the package does not contain it.
 */

import type { TypedRows } from '../family.ts';

const MODEL =
  '(?:llm|ai|model|assistant|agent|chat|chatbot|provider|upstream|api|server|backend|gpt|openai|anthropic|claude|' +
  'gemini|google|azure|bedrock|mistral|deepseek|ollama|openrouter|groq|grok|qwen|horde|copilot|codex|vertex|cohere|' +
  'vllm)';
const ANSWER =
  '(?:responses?|reply|replies|completions?|answer|output|message|content|text|json|choices|candidates|embeddings?|' +
  'tool calls?|object|data|images?|videos?|audio|speech|transcripts?|stream)';
/** What comes back from a model and from little else. */
const RESPONSE = '(?:response|reply|completion|answer|output)';
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
      '\\b(?:did not|didnt|does not|never|without|failed to) (?:emit|produc|send|yield|receiv|deliver)[a-z]{0,4} ' +
        `(?:an? |any |the )?(?:${WORD} )?(?:terminal|final|first|completion) (?:${WORD} )?(?:response|event|message|` +
        'chunk|token|answer)\\b',
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
      `\\bno (?:${WORD} ){0,2}${ANSWER}s?(?: body)? (?:was |were |is )?(?:found |received |returned |generated |` +
        `produced )?(?:from|by|in|within) (?:the |an? )?(?:${WORD} ){0,2}(?:${MODEL}|${RESPONSE})\\b`,
      `\\bno (?:${WORD} )?(?:${RESPONSE}|message|content|choices|candidates|embeddings?|images?|videos?|audio|speech|` +
        `transcripts?)(?: ${WORD})? (?:was |were )?(?:received|returned|generated|produced)\\b`,
      '\\bexceeded maximum output retries\\b|\\bmalformed function call\\b|\\bfailed to parse input at pos\\b',
      '\\binvalid json response body at\\b',
      // The answer is no JSON, or no stream of events. A parser alone says it of any text.
      `${BEGIN}expecting value: line 1 column 1(?: char 0)?${END}`,
      '\\bunexpected token .{1,3},? (?:an (?:error o|intern|unexp)|internal|bad gatewa|upstream|service |gateway t|' +
        'error code|no healthy|server |too many r|rate limit|request t|overload|the server|<html)[^\\n]{0,120}',
      '\\b(?:code|status) ?: (?:13|14), (?:message|details) ?:[^\\n]{0,200}\\b(?:message|details) ?:',
      '\\bresponse (?:is )?not text/event stream|\\bexpected (?:content type:? )?text/event stream',
      `\\brequest (?:has )?failed[.:]? (?:50[0234]|52\\d|529)${END}`,
      '\\bfailed \\d{1,2}/\\d{1,2} times ?:[^]{0,80}, (?:50[0234]|52\\d|529)$',
      '\\b(?:have|has|had) no (?:response|answer|reply) (?:to give|available)\\b',
      // Ordinary English: a local server or its worker died.
      '\\b(?:model|engine|runner|worker|backend)(?: [a-z]{1,16})? (?:has )?(?:crashed|died|stopped unexpectedly)\\b',
      // Ordinary English: no answer.
      '\\b(?:model|llm|server|provider|assistant) (?:did not|didnt|failed to) (?:respond|reply|answer)\\b',
      // Chinese and Japanese: a call that failed, and advice to try again.
      'api ?(?:调用|请求)[^。]{0,4}(?:异常|失败|出错)|请再问(?:我)?一次|系统(?:异常|错误|故障|內部)',
      '再試行|重試|稍後|重试|再试|稍候|重新(?:生成|发送|提问|提交|尝试|回答|请求|發送)',
      // The model's own mistakes.
      '\\bai invalidtoolinputerror\\b[^\\n]{0,80}',
      `\\bexpected (?:(?:exactly|at least|an?|one|\\d{1,2}) ){0,2}(?:${WORD} ){0,2}(?:outputs?|responses?|` +
        'completions?)(?: (?:items?|messages?|blocks?))?\\b[^\\n]{0,40}\\b(?:got|received|found)\\b',
      '\\bexpected dict keys\\b|\\bdid not respect the required format\\b',
      '\\bxml syntax error\\b|\\btoken repeat limit reached|\\b(?:invalid|malformed) tool call (?:arguments|json)\\b',
      '\\brepeated tool call failures\\b|\\boutput text or tool calls\\b|\\boutput is incomplete\\b',
      `\\berror occurred on our servers?\\b|\\bunable to process your request${END}|\\bis having trouble\\b`,
      // Ordinary English: a client that got no answer.
      `\\b${FAILED_TO} (?:get|fetch|receiv|read|generat|process|stream|complet|extract|creat|obtain|retriev|pars|` +
        `decod)(?:e|t?ing|ve)? [a-z0-9 ]{0,40}\\b(?:response|reply|completion|answer)${NOT_A_THING}\\b`,
      `${BEGIN}(?:the )?(?:llm |ai |chat |api |image |http )?(?:request|turn|generation|completion|inference|chat ` +
        `completion|text generation) failed(?:${END}|, code)`,
      '\\bmay indicate (?:an? )?(?:failure in|issue with the (?:api|model)|service issue)\\b',
    ],
  ],
];
