/**
 * Sentences in which programs report that a model failed, without a name or a status: "The model did not return a
 * response", "Stream ended without finish_reason", "LLM request failed". They count only if nothing else is known, and
 * not if the text also refuses the request. Below a transport they would be a guess, as in `wording.ts`.
 */

import type { FailureType } from '../failure/failure.ts';

const MODEL =
  '(?:llm|ai|model|assistant|agent|chat|chatbot|provider|upstream|api|server|backend|gpt|openai|anthropic|claude|gemini|google|azure|bedrock|mistral|deepseek|ollama|openrouter|groq|grok|qwen|horde|copilot|codex|vertex|cohere|vllm)';
const ANSWER =
  '(?:responses?|reply|replies|completions?|answer|output|message|content|text|json|choices|candidates|embeddings?|tool calls?|object|data|images?|videos?|audio|speech|transcripts?|stream)';
/** What comes back from a model and from little else. */
const RESPONSE = '(?:response|reply|completion|answer|output)';
const UNUSABLE =
  '(?:empty|blank|incomplete|invalid|malformed|missing|unusable|unexpected|unparsable|bad|null|truncated|cut off)';
const FAILED_TO = '(?:failed to|could not|couldnt|unable to|cannot|error(?: while| in| when)?|problem|issue|trouble)';
const WORD = '[a-z0-9]{1,16}';
const END = '[.!]?$';
/** A file or another thing of the program, named after an answer. */
const NOT_A_THING = '(?! (?:file|template|script|schema|format|config|header|handler|class|type|directory|folder))';

/** In the form of {@link wordsOf}; the first that matches counts. A function, which bundlers can leave out. */
const readSentences = (): readonly (readonly [type: FailureType, patterns: readonly string[]])[] => [
  [
    'timeout',
    [
      `\\b(?:timed out|timeout) (?:while )?waiting for (?:an? |the )?(?:${WORD} ){0,2}(?:response|reply|answer|model|llm)\\b`,
      `^(?:error: )?(?:request|api|llm|model|upstream|gateway)(?: request)? time ?out${END}`,
      `\\b(?:processing|polling|generation|inference|transcription) timed out\\b`,
    ],
  ],
  [
    'stream_interrupted',
    [
      `\\bstream(?:ing)?(?: ${WORD})? (?:is |was |has been )?(?:idle|stalled|cancell?ed|terminated|interrupted|dropped|broken)\\b`,
      `\\b(?:ended|closed|stopped|finished|completed|concluded|terminated)(?: ${WORD}){0,3} (?:without|before) (?:${WORD} ){0,4}(?:responses?|reply|answer|output|message|content|chunks?|text|events?|reason|completed?|done|turn)\\b`,
      `\\b(?:unexpected event order|received message (?:start|stop) without)\\b`,
      `\\berror (?:injected )?in(?:to)? (?:the |an )?(?:${WORD} )?stream\\b`,
      `\\bdid not receive (?:${WORD} ){0,4}(?:response|reply|answer|message)\\b`,
      `^(?:error: )?(?:${WORD} )?stream(?:ing)? (?:error|failed)${END}`,
      `\\bresponse (?:has |was )?(?:ended unexpectedly|cut off|truncated|interrupted)\\b`,
    ],
  ],
  [
    'connection_error',
    [
      `\\blost connection\\b|\\bconnection (?:to (?:the )?(?:${WORD} ){1,2})?(?:was |is |has been )?(?:lost|interrupted|dropped|stalled)\\b`,
      `\\bwebsocket (?:${WORD} ){0,2}(?:closed|disconnected)\\b|\\bdisconnected from (?:the )?server\\b`,
      `\\bnetwork (?:is )?(?:issue|problem|unavailable)${END}|\\bnetwork response was not ok\\b|\\bappear to be offline\\b`,
      `\\b(?:failed to|error) (?:read|write|reading|writing) (?:the )?(?:connection|socket)\\b|\\btrouble (?:connecting|reaching)\\b`,
      `(?:^|message ?: )failed to fetch${END}`,
    ],
  ],
  [
    'server_error',
    [
      // The model gives no answer.
      `\\b${MODEL}s?(?: ${WORD}){0,2} (?:did not|didnt|failed to|could not|couldnt|unable to|stopped) (?:${WORD} )?(?:respond|responding|reply|return|produce|provide|generate|complete|finish|answer|send|output)\\b`,
      `\\b(?:could not|couldnt|unable to|failed to) respond(?: to (?:the |your )?(?:message|request|prompt))?${END}`,
      `\\bno (?:${WORD} ){0,2}${ANSWER}s?(?: body)? (?:was |were |is )?(?:found |received |returned |generated |produced )?(?:from|by|in|within) (?:the |an? )?(?:${WORD} ){0,2}(?:${MODEL}|${RESPONSE})\\b`,
      `\\bno (?:${WORD} )?(?:${RESPONSE}|message|content|choices|candidates|embeddings?|images?|videos?|audio|speech|transcripts?)(?: ${WORD})? (?:was |were )?(?:received|returned|generated|produced)\\b`,
      `\\bno (?:completion choices|assistant messages?)\\b|\\bmissing (?:choices\\[|message in chat ?completion)`,
      // The answer cannot be used.
      `\\b${UNUSABLE}(?: ${WORD})? (?:${RESPONSE}|json|content)(?: ${WORD}){0,2} (?:from|by|in)(?: the)?(?: ${WORD}){0,2} (?:${MODEL}|${RESPONSE})s?\\b`,
      `\\b${UNUSABLE}(?: api)? (?:${RESPONSE}) (?:was )?(?:received|returned)\\b|\\binvalid api response\\b|^(?:error: )?(?:${WORD} ){1,3}(?:empty|incomplete)(?: json)? response${END}`,
      `\\b(?:${MODEL}s? |${MODEL} ${WORD} )(?:${RESPONSE}|message|content|json)(?: ${WORD})? (?:is|was|has|had|contains?|contained|lacks|could not be|cannot be)(?: ${WORD})? (?:${UNUSABLE}|no|not valid|not json|parsed)\\b`,
      `\\b${RESPONSE}(?: from (?:the )?${MODEL})? (?:is|was|contains?|contained) (?:an? )?(?:empty|no choices|not valid json|no candidates)\\b|\\bcontent is empty in response\\b|\\b(?:choices|candidates)(?: array| list)? (?:is|are|was|were) empty\\b`,
      `\\bresponse (?:body |payload )(?:is|was) empty\\b|\\bresponse did not (?:contain|include)\\b|^(?:error: )?(?:invalid|unexpected|malformed) (?:${WORD} ){0,4}response(?: fields| structure)?(?:${END}|, )|\\bjson when parsing (?:the )?(?:${MODEL}|${RESPONSE})\\b`,
      `\\breturned (?:an? )?(?:empty|blank|incomplete|invalid|malformed) (?:${WORD} )?(?:${RESPONSE}|json|content|audio|images?|videos?)\\b|\\bresponse (?:is )?missing (?:output )?(?:choices|content|message|images?|videos?|audio)\\b`,
      `\\bexceeded maximum output retries\\b|\\bmalformed function call\\b|\\bfailed to parse input at pos\\b|\\binvalid json response body at\\b`,
      `(?<!this is the error: )\\b${FAILED_TO} pars(?:e|ing) (?:the )?(?:${WORD} )?(?:llm|model|ai|assistant|response)(?: ${WORD})? (?:${RESPONSE}|json)\\b|\\bpars(?:e|ing) json (?:from|in|response from) (?:the )?(?:${WORD} )?(?:${MODEL}|response)\\b`,
      // A step fails, for no stated reason.
      `\\b${FAILED_TO} (?:get|fetch|receiv|read|generat|process|stream|complet|extract|creat|obtain|retriev|pars|decod)(?:e|t?ing|ve)? (?:an? |any |the )?(?:${WORD} )?(?:response|reply|completion|answer)${NOT_A_THING}\\b`,
      `\\b${FAILED_TO} (?:call|invok|query|contact|reach|prompt|communicat|interact|generat)[a-z]{0,4}(?: with| to)?(?: the| an?)?(?: ${WORD})? (?:${MODEL}|content)(?: (?:api|model|service|server|provider))?${END}`,
      `\\b${MODEL}(?: ${WORD}){0,2} (?:request|run|call|generation|completion|invocation|inference|response|turn|query|execution) (?:has )?(?:failed|errored|terminated due to error)(?=${END}|: faulted| after \\d| before)`,
      `^(?:error ?: )?(?:llm |ai |chat |api |image )?(?:request|turn|generation|completion|inference|chat completion|text generation) failed(?:${END}|, code)`,
      `^(?:${WORD} )?(?:all (?:models|providers|retries|attempts) failed|max(?:imum)? retries (?:reached|exceeded)|retry (?:limit exceeded|attempts exhausted)|failed after \\d{1,3} (?:retries|attempts))${END}`,
      `\\b(?:api|server|model|llm|provider) returned an(?: unknown| unspecified)? error${END}|^(?:error: )?(?:unknown )?(?:provider|upstream|llm|api|server|backend|inference)(?: (?:api|service|server|request))? error${END}|\\bunknown error from (?:the )?${MODEL}\\b`,
      `\\berror (?:has )?occurred while (?:generating|processing|streaming|getting|interacting|communicating) (?:${WORD} ){0,3}(?:response|reply|answer|completion|${MODEL})\\b`,
      // The client's own words for it.
      `\\bmay indicate (?:an? )?(?:failure in|issue with the (?:api|model)|service issue)\\b|\\bsomething went wrong (?:before|while) (?:i|we|generating|processing)\\b|\\breport the following request id\\b`,
      `\\b(?:error occurred|went wrong|failed|failed to process the request)[.,!;:]? (?:please )?(?:try again|retry)(?: later)?${END}|\\b(?:something|it) went wrong(?:${END}|. if this issue persists)`,
      `\\bmodel (?:is |still |currently ){0,2}loading\\b|\\bmodel (?:stopped unexpectedly|has crashed)\\b|engine ?dead|\\bengine ?core encountered an issue\\b|\\bfinish ?reason ?:? error\\b`,
      `\\b(?:service|server|${WORD} api|backend|engine) (?:is |are )?(?:currently |temporarily )?(?:not (?:available|reachable)|unreachable|down)${END}`,
    ],
  ],
];
/** Other servers and other conversations, which say nothing about a model. */
const OF_OTHERS =
  /\b(?:mcp|lsp|language server|dev server|clipboard|browser|database|fixture|linter|daemon|git|npm|docker|tests?|object has no attribute)\b/;

let sentences: readonly (readonly [type: FailureType, pattern: RegExp])[] | undefined;

/**
 * The type that a sentence names; undefined if there is none.
 *
 * @param refuses whether words refuse the request. It is asked about the rest of the text.
 */
export function typeOfSentence(text: string, refuses: (rest: string) => boolean): FailureType | undefined {
  const words = wordsOf(text);
  if (OF_OTHERS.test(words)) return undefined;
  sentences ??= readSentences().map(([type, patterns]) => [type, new RegExp(patterns.join('|'), 'm')]);
  const found = sentences.find(([, pattern]) => pattern.test(words));
  return found === undefined || refuses(words.replace(found[1], ' ')) ? undefined : found[0];
}

/** Lower case, with one space between words, and none of the marks around them. */
function wordsOf(text: string): string {
  return text
    .toLowerCase()
    .replace(/['’]/g, '')
    .replace(/[\t "`_{}()⎿✘✕❌⚠-]+/g, ' ')
    .replace(/^ | $/gm, '');
}
