/**
 * The search of the site. A person pastes an error message or writes a sentence, so most words of a query are on no page,
 * and the words that every page has must not decide.
 */

import type { DefaultTheme } from 'vitepress';

type LocalSearch = DefaultTheme.LocalSearchOptions;

/** Runs in the browser, from its source text: it may use nothing from outside. */
function processTerm(term: string): string | null {
  const common =
    /^(?:a|an|and|are|as|at|be|been|but|by|can|cannot|do|does|for|from|get|gets|getting|has|have|how|i|if|in|into|is|it|its|me|my|no|not|of|on|or|so|that|the|their|then|there|this|to|use|used|using|was|we|what|when|which|while|why|will|with|you|your)$/;
  const word = term.toLowerCase().replace(/'s$|’s$/, '');
  if (word === '' || common.test(word)) return null;
  // One form for a word: retries, retried, retrying → retry; errors → error.
  if (/^\d/.test(word) || word.length < 5) return word;
  return word
    .replace(/(?:ies|ied)$/, 'y')
    .replace(/(?<=[^aeiou])(?:ing|ed)$/, '')
    .replace(/([bdgmnprt])\1$/, '$1')
    .replace(/(?<=[^su])s$/, '');
}

/** Pages that hold lists or are read by maintainers come after those that explain. */
function boostDocument(id: string): number {
  if (/\/problems\.html/.test(id)) return 2;
  if (/\/maintainers\//.test(id)) return 0.3;
  if (/\/(?:api|examples)\//.test(id)) return 0.4;
  if (/\/(?:failures|changes|bad-day|pages)\.html/.test(id)) return 0.4;
  return 1;
}

export const SEARCH: LocalSearch = {
  detailedView: true,
  miniSearch: {
    options: { processTerm },
    searchOptions: { boost: { title: 3, text: 2, titles: 1 }, fuzzy: 0.1, prefix: true, boostDocument },
  },
};
