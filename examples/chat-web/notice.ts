/** The card at the end of a call without an answer: what happened, what a person has to do, and the way to ask again. */

import { describeFailure, formatDelay } from 'retry-transport';
import type { RetryState } from '../retry-store.ts';
import { button, element } from './element.ts';
import { counted, stopSentence } from './words.ts';

export interface Notice {
  readonly kind: 'error' | 'calm';
  readonly headline: string;
  readonly sentences: readonly string[];
  readonly actions: readonly string[];
}

/** What is to be said of the end of a call; undefined where its answer says enough. */
export function noticeOf(state: RetryState): Notice | undefined {
  if (state.status !== 'ended' || state.type === 'recovered') return undefined;
  const { attempts } = state;
  if (state.type === 'cancelled') {
    const sentences = [`You stopped it after ${counted(attempts, 'attempt')}.`];
    return { kind: 'calm', headline: 'Cancelled', sentences, actions: [] };
  }
  const { headline, explanation, actions } = describeFailure(state.failure);
  const sentences = [explanation, stopSentence(state.because, attempts)];
  if (state.possibleAt !== undefined) {
    sentences.push(`It can be asked again in ${formatDelay(state.possibleAt - state.at)}.`);
  }
  return { kind: 'error', headline, sentences, actions };
}

/** What there is to say where an answer had begun and is not complete. */
export const BROKEN_OFF: Notice = {
  kind: 'error',
  headline: 'The answer broke off',
  sentences: ['What arrived is kept. Nothing was asked again, for its words would have come twice.'],
  actions: [],
};
export const STOPPED: Notice = {
  kind: 'calm',
  headline: 'Stopped',
  sentences: ['What arrived is kept.'],
  actions: [],
};

/** `headline` can take the focus. */
export function noticeCard(
  { kind, headline, sentences, actions }: Notice,
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
  root.append(element('div', { class: 'buttons' }, button('Ask again', onAskAgain, 'quiet')));
  return { root, headline: title };
}

function withLinks(text: string): readonly (Node | string)[] {
  return text
    .split(/(https:\/\/\S+)/)
    .map((part) =>
      part.startsWith('https://') ? element('a', { href: part, rel: 'noreferrer' }, part.slice(8)) : part,
    );
}
