/**
 * The search of the site. A person pastes an error message or writes a sentence, so most words of a query are on no page,
 * and the words that every page has must not decide.
 */

import type { DefaultTheme } from 'vitepress';

type LocalSearch = DefaultTheme.LocalSearchOptions;

/** Runs in the browser, from its source text: it may use nothing from outside. */
function processTerm(term: string): string | null {
  const common =
    /^(?:a|all|an|and|any|anyone|api|are|as|at|be|been|bug|but|by|can|cannot|com|could|did|didn|do|does|doesn|don|error|errors|feature|for|from|get|gets|getting|had|has|have|how|https?|i|if|in|into|is|issue|issues|it|its|know|llm|me|my|like|most|need|no|not|of|on|one|only|other|or|please|problem|problems|question|seem|seems|should|show|so|support|supports|some|than|that|the|their|them|then|there|they|this|to|unlike|usage|use|used|user|users|using|want|was|way|we|were|what|when|where|which|while|why|will|with|work|works|would|www|you|your)$/;
  const word = term.toLowerCase().replace(/['’]s$/, '');
  if (word === '' || common.test(word)) return null;
  // One form for a word: retries, retried, retrying → retry.
  const stem =
    /^\d/.test(word) || word.length < 5
      ? word
      : word
          .replace(/(?:ies|ied)$/, 'y')
          .replace(/(?<=[^aeiou])(?:ing|ed)$/, '')
          .replace(/([bdgmnprt])\1$/, '$1')
          .replace(/(?<=[^su])s$/, '');
  // One word for those that people use for one thing.
  const same: readonly (readonly [RegExp, string])[] = [
    [/^(?:hang|hung|freez|freeze|frozen|stuck|stall|unresponsive|idle)$/, 'hang'],
    [/^(?:cut|cutoff|truncat|truncate|incomplete|interrupt|abrupt|abruptly|partial)$/, 'cut'],
    [/^(?:throttl|throttle|ratelimit|ratelimited|ratelimiterror|toomanyrequest)$/, 'throttl'],
    [/^(?:twice|double|duplicate|duplicat|repeat|repeatedly)$/, 'twice'],
    [/^(?:disconnect|disconnection|reconnect|offline|wifi)$/, 'disconnect'],
    [/^(?:crash|halt|abort|exit|die|kill|fail|failure)$/, 'fail'],
    [/^(?:concurrent|concurrency|parallel|simultaneous|simultaneously)$/, 'concurrent'],
    [/^(?:fallback|switch|failover)$/, 'fallback'],
    [/^(?:wait|delay|backoff|sleep)$/, 'wait'],
    [/^(?:timeout|timedout)$/, 'timeout'],
    [/^(?:setting|configurable|configure|configur|option|custom|customize|customiz)$/, 'option'],
    [/^(?:immediate|immediately|instantly|instant)$/, 'immediate'],
  ];
  return same.find(([words]) => words.test(stem))?.[1] ?? stem;
}

/** Words; an address is none. Runs in the browser, too. */
function tokenize(text: string): string[] {
  return text.replaceAll(/https?:\/\/\S+/g, ' ').split(/[\n\r\p{Z}\p{P}\p{S}]+/u);
}

/** Pages that hold lists or are read by maintainers come after those that explain. */
function boostDocument(id: string): number {
  if (/\/problems\.html/.test(id)) return 2.5;
  if (/\/maintainers\//.test(id)) return 0.3;
  if (/\/(?:api|examples)\//.test(id)) return 0.4;
  if (/\/(?:failures|changes|bad-day|pages)\.html/.test(id)) return 0.4;
  return 1;
}

/** A status says more about a problem than the words around it. */
function boostTerm(term: string): number {
  return /^[45]\d\d$/.test(term) ? 3 : 1;
}

export const SEARCH: LocalSearch = {
  detailedView: true,
  // Code is full of words that say nothing about what it is for.
  _render: (source, environment, markdown) =>
    markdown.render(source.replaceAll(/^```[\s\S]*?^```$/gm, ''), environment),
  miniSearch: {
    options: { processTerm, tokenize },
    searchOptions: {
      boost: { title: 3, text: 2, titles: 1 },
      fuzzy: 0.15,
      prefix: true,
      weights: { fuzzy: 0.2, prefix: 0.3 },
      boostDocument,
      boostTerm,
    },
  },
};
