/** The card at the end of a call without a whole answer: what happened, what to do, and a button where it can help. */

import { describeFailure, formatDelay, type RetryState } from 'retry-transport';
import { button, element } from './element.ts';
import { counted, stopSentence } from './words.ts';

export interface Notice {
  readonly kind: 'error' | 'calm';
  readonly headline: string;
  readonly sentences: readonly string[];
  readonly actions: readonly string[];
  /** Whether asking again now can help. */
  readonly canAskAgain: boolean;
}

/** What to say about the end of a call; undefined after an answer. */
export function noticeOf(state: RetryState): Notice | undefined {
  if (state.status !== 'ended' || state.outcome.type === 'recovered') return undefined;
  const { outcome } = state;
  const { attempts } = outcome;
  if (outcome.type === 'cancelled') {
    const sentences = [`You stopped it after ${counted(attempts, 'attempt')}.`];
    return { kind: 'calm', headline: 'Stopped', sentences, actions: [], canAskAgain: true };
  }
  const { failure, because, possibleAt } = outcome;
  const { headline, explanation, actions } = describeFailure(failure);
  const sentences = [explanation, stopSentence(because, attempts)];
  if (possibleAt !== undefined) sentences.push(`You can ask again in ${formatDelay(possibleAt - outcome.at)}.`);
  const canAskAgain = failure.retryable && possibleAt === undefined;
  return { kind: 'error', headline, sentences, actions, canAskAgain };
}

/** For an answer that broke off. */
export const BROKEN_OFF: Notice = {
  kind: 'error',
  headline: 'The answer broke off',
  sentences: ['What arrived is kept. It was not retried, because its beginning would come twice.'],
  actions: [],
  canAskAgain: true,
};
/** For an answer that the user stopped. */
export const STOPPED: Notice = {
  kind: 'calm',
  headline: 'Stopped',
  sentences: ['What arrived is kept.'],
  actions: [],
  canAskAgain: true,
};

/** `headline` can take the focus. */
export function noticeCard(
  { kind, headline, sentences, actions, canAskAgain }: Notice,
  onAskAgain: () => void,
): { readonly root: HTMLElement; readonly headline: HTMLElement } {
  const title = element('h2', { tabindex: '-1' }, headline);
  const root = element(
    'section',
    { class: `notice ${kind}` },
    title,
    ...sentences.map((sentence) => element('p', {}, sentence)),
  );
  if (actions.length > 0) {
    const items = actions.map((action) => element('li', {}, ...withLinks(action)));
    root.append(element('h3', {}, 'What you can do'), element('ul', {}, ...items));
  }
  if (canAskAgain) root.append(element('div', { class: 'buttons' }, button('Ask again', onAskAgain, 'quiet')));
  return { root, headline: title };
}

function withLinks(text: string): readonly (Node | string)[] {
  return text
    .split(/(https:\/\/\S+)/)
    .map((part) =>
      part.startsWith('https://') ? element('a', { href: part, rel: 'noreferrer' }, part.slice(8)) : part,
    );
}
