/**
 * The search of the site. A person pastes an error message or writes a sentence, so most words of a query are on no page,
 * and the words that every page has must not decide.
 */

import type { DefaultTheme } from 'vitepress';
import { wordsOf } from './words.ts';

type LocalSearch = DefaultTheme.LocalSearchOptions;

/** Runs in the browser, from its source text: it may use nothing from outside. */
function processTerm(term: string): string | null {
  const common =
    /^(?:a|ability|able|ai|all|allow|allows|also|always|am|amp|an|and|any|anymore|anyone|api|are|as|at|be|because|been|being|bug|but|by|can|cannot|com|could|did|didn|do|does|doesn|don|due|enhance|enhancement|even|every|feat|feature|for|from|get|gets|getting|gt|had|has|have|how|help|https?|i|if|implement|improve|improved|improvement|in|into|is|isn|issue|issues|it|its|just|keep|keeps|know|llm|lt|me|might|my|like|most|need|no|not|now|of|on|one|only|other|or|please|possible|problem|problems|provide|question|quot|really|see|seem|seems|should|show|so|sometimes|still|suddenly|support|supports|some|than|that|the|their|them|then|there|they|thing|things|this|through|to|trying|tried|unlike|until|use|used|user|users|using|very|via|want|was|wasn|way|we|were|what|when|where|which|while|why|will|with|won|would|www|you|your)$/;
  const word = term.toLowerCase().replace(/['’]s$/, '');
  if (word.length < 2 || common.test(word)) return null;
  // One form for a word: retries, retried, retrying → retry. (An answer that is not complete is cut; a completion is another word.)
  const stem =
    /^\d/.test(word) || word.length < 4 || word === 'complete'
      ? word
      : word
          .replace(/(?:ies|ied)$/, 'y')
          .replace(/(?<=\w{2}[^aeiou])(?:ing|ed)$/, '')
          .replace(/([bdgmnprt])\1$/, '$1')
          .replace(/(?<=[^su])s$/, '')
          .replace(/(?<=\w{4})(?:ion|e)$/, '');
  // One word for those that people use for one thing.
  const same: readonly (readonly [RegExp, string])[] = [
    [/^(?:hang|hung|freez|frozen|stuck|stall|unresponsiv|idle)$/, 'hang'],
    [/^(?:complete|cut|cutoff|truncat|incomplet|abrupt|abruptly|partial)$/, 'cut'],
    [/^(?:throttl|ratelimit|ratelimited|ratelimiterror|toomanyrequest)$/, 'throttl'],
    [/^(?:twice|double|doubl|duplicat|repeat|repeatedly)$/, 'twice'],
    [/^(?:disconnect|reconnect|offlin|wifi)$/, 'disconnect'],
    [/^(?:halt|exit|die|kill|fail|failur)$/, 'fail'],
    [/^(?:abort|abortsignal|cancel|cancell|cancellat)$/, 'cancel'],
    [/^(?:quit|stop|stopp|terminat)$/, 'stop'],
    [/^(?:answer|output|reply|respond|respons)$/, 'answer'],
    [/^(?:midway|halfway|mid|half)$/, 'middl'],
    [/^(?:forever|endless|endlessly|infinit|infinitely|indefinitely)$/, 'endless'],
    [/^(?:concurrent|concurrency|parallel|simultaneou|simultaneous|simultaneously)$/, 'concurrent'],
    [/^(?:fallback|switch|failover)$/, 'fallback'],
    [/^(?:wait|delay|backoff|sleep|paus)$/, 'wait'],
    [/^(?:timeout|timout|timedout|timesout)$/, 'timeout'],
    [/^(?:setting|configurabl|option|custom|customiz)$/, 'option'],
    [/^(?:config|configur|configurat)$/, 'config'],
    [/^(?:max|maximum|maximal)$/, 'max'],
    [
      /^(?:window|adapter|addon|dashboard|desktop|dialog|dropdown|panel|plugin|popup|screen|tui|sidebar|menu|editor|extens|ide|toolbar|vscod|webview)$/,
      'window',
    ],
    [/^(?:install|installat|setup|docker)$/, 'install'],
    [/^(?:silent|silently|silenc|swallow)$/, 'silent'],
    [/^(?:exceed|hit|reach)$/, 'reach'],
    [/^(?:immediat|immediately|instantly|instant)$/, 'immediat'],
    [/^(?:auto|automatic|automatically)$/, 'automatic'],
    [/^(?:cap|limit|limiter|limitat)$/, 'limit'],
    [/^(?:cost|pric|spend|spent|spending|expensiv)$/, 'cost'],
    [/^(?:usag|consum|consumpt|drain|deplet)$/, 'usag'],
    [/^(?:auth|authenticat|authorizat|authoriz|unauthoriz|credential|login)$/, 'auth'],
    [/^(?:availabl|availability|unavailabl)$/, 'availabl'],
    [/^(?:validat|validator|pydantic|zod)$/, 'validat'],
    [/^(?:pars|parser)$/, 'pars'],
    [/^(?:slow|slowly|slowness)$/, 'slow'],
  ];
  return same.find(([words]) => words.test(stem))?.[1] ?? stem;
}

/** Runs when the index is built, and never in the browser. */
function extractField(
  section: Readonly<Record<string, string | readonly string[]>>,
  field: string,
): string | readonly string[] {
  return field === 'words' ? wordsOf(String(section['id'])) : (section[field] ?? '');
}

/** Words; an address is none. Runs in the browser, too. */
function tokenize(text: string): string[] {
  return text.replaceAll(/https?:\/\/\S+/g, ' ').split(/[\n\r\p{Z}\p{P}\p{S}]+/u);
}

/**
 * The words of a query. A version is none, and a number of times. `http503` is also 503. The name of an error or of an option,
 * such as `APITimeoutError` or `maxTokens`, is also the words in it.
 */
function tokenizeQuery(text: string): string[] {
  const noise = /https?:\/\/\S+|\bv?\d+(?:\.\d+)+\S*|\bfeature request\b|\b\d+(?:-\d+)? times\b/gi;
  const isName =
    /^(?!Attribute|Index|Key|Name|Syntax|Type|Value).*(?:Error|Exception|Exhausted|Exceeded|Unavailable)$|^[a-z]+(?:[A-Z][a-z]+)+$/;
  // What is particular to one of these programs is for its makers, so its name says: a program.
  const program =
    /\b(?:aider|anything ?llm|auto-?gpt|browser[- ]use|chatbox|cherry studio|claude code|cline|codex|continue\.dev|copilot|cursor|dify|flowise|gemini[- ]cli|goose|gpt[- ]researcher|gptel|home assistant|kilo ?code|kiro|langflow|librechat|lightrag|lm ?studio|lobe ?(?:chat|hub)|metagpt|n8n|nextchat|obsidian|open ?code|open ?hands|open[- ]?web ?ui|ragflow|roo(?:[- ]?c(?:line|ode))?|sillytavern|typingmind|vs ?code|windsurf|zed)\b/gi;
  // Words that mean another thing together: a token that cancels is not one that expires, and who logs in keeps no log.
  const together: readonly (readonly [RegExp, string])[] = [
    [/\bcancell?ation tokens?\b/gi, 'cancel'],
    [/\btim(?:e|es|ed|ing)[ -]outs?\b/gi, 'timeout'],
    [/\b(?:log|logged|logging|sign|signed|signing)[ -](?:in|into|out)\b/gi, 'login'],
    [/(?:\bnot|n['’]t) be (?:reached|accessed)\b/gi, 'unreachable'],
    [/(?:\bnot|n['’]t) respond(?:ing)?\b|\bno (?:answer|reply|response)\b/gi, 'unresponsive'],
    [/\b(?:do|must|should)(?: not|n['’]t) retry\b/gi, 'dontretry'],
    [/(?:\b(?:not|never|no)|n['’]t) retr(?:y|ies|ied|ying)\b/gi, 'noretry'],
    [/\badd(?:ing)? support\b|\bsupport for\b/gi, 'supportfor'],
    [/(?:\bnot|n['’]t|\bstopped) work(?:ing)?\b/gi, 'notworking'],
  ];
  const plain = text.replaceAll(noise, ' ');
  const named = plain.replaceAll(program, ' program ');
  // A name alone asks for the pages that have it.
  const meant = together.reduce(
    (rest, [words, word]) => rest.replaceAll(words, word),
    /^\s*program\s*$/.test(named) ? plain : named,
  );
  const words = meant.split(/[\n\r\p{Z}\p{P}\p{S}]+/u).flatMap((word) => [
    word,
    ...(/^[a-z]+[45]\d\d$/i.test(word) ? [word.slice(-3)] : []),
    ...(isName.test(word) ? (word.match(/[A-Z]+(?![a-z])|[A-Z]?[a-z]+/g) ?? []) : []).filter(
      // Most options have one of these two.
      (part) => part !== 'max' && part !== 'min',
    ),
  ]);
  // What is said twice is not meant twice.
  return [...new Set(words)];
}

/** Pages that hold lists or are read by maintainers come after those that explain. */
function boostDocument(id: string): number {
  // These headings only group the problems.
  if (/\/problems\.html#(?:refused|broken|twice|people-and-places|not-here)$/.test(id)) return 0.1;
  if (/\/problems\.html/.test(id)) return 2.1;
  if (/\/maintainers\//.test(id)) return 0.3;
  if (/\/(?:api|examples)\//.test(id)) return 0.4;
  if (/\/(?:failures|changes|bad-day|command|pages|security|testing)\.html/.test(id)) return 0.4;
  if (/\/options\.html|#(?:exports|options)$/.test(id)) return 0.6;
  return 1;
}

/** A status says more about a problem than the words around it, and a name less: it says only where. Retries are everywhere. */
function boostTerm(term: string): number {
  if (/^[45](?:\d\d|xx)$/.test(term)) return 3;
  const name =
    /^(?:agent|anthropic|azur|bedrock|call|chat|claud|client|cod|gemini|gpt|groq|mistral|model|ollama|openai|openrouter|request|sdk|vllm)$/;
  if (/^(?:error|report|work)$/.test(term)) return 0.3;
  if (term === 'retry') return 0.7;
  return name.test(term) ? 0.5 : 1;
}

/** VitePress passes all of these on to MiniSearch, though its types name only the functions. */
const INDEX = { fields: ['title', 'titles', 'text', 'words'], extractField, processTerm, tokenize };

export const SEARCH: LocalSearch = {
  detailedView: true,
  // Code is full of words that say nothing about what it is for.
  _render: (source, environment, markdown) =>
    markdown.render(source.replaceAll(/^```[\s\S]*?^```$/gm, ''), environment),
  miniSearch: {
    options: INDEX,
    searchOptions: {
      boost: { title: 5, text: 1, titles: 1, words: 3 },
      fuzzy: (term) => (term.length > 7 ? 0.25 : term.length > 4 ? 0.15 : false),
      // The last word may be one that is still being typed.
      prefix: (term, position, terms) => term.length > 3 || (term.length > 1 && position === terms.length - 1),
      weights: { fuzzy: 0.2, prefix: 0.3 },
      // A long heading only lists more words for its problem.
      bm25: { k: 1.2, b: 0.5, d: 0.5 },
      boostDocument,
      boostTerm,
      tokenize: tokenizeQuery,
    },
  },
};
