/**
 * The yellow bubble: why an answer is late, when it is asked for again, and the two things a person can do about it. It
 * stays in its place from the first failure to the end, so that the focus on one of its buttons is not lost.
 */

import { describeFailure } from 'retry-transport';
import type { RetryState } from '../retry-store.ts';
import { button, element } from './element.ts';
import { secondsLeft } from './words.ts';

export type Pending = Extract<RetryState, { readonly status: 'waiting' | 'asking' }>;

export interface RetryBubble {
  readonly root: HTMLElement;
  show(state: Pending): void;
  /** Stops its clock and leaves the page. */
  remove(): void;
}

export function createRetryBubble(onRetryNow: () => void, onCancel: () => void): RetryBubble {
  const reason = element('strong');
  // A timer is not read out as it changes; whoever goes to it hears what it says then.
  const countdown = element('span', { role: 'timer', class: 'countdown' });
  const until = element('span', {}, ' — retrying in ', countdown, '…');
  const attempts = element('span', { class: 'soft' });
  const meter = element('span');
  const retryNow = button('Retry now', onRetryNow);
  const root = element(
    'section',
    { class: 'bubble', 'aria-label': 'Waiting to ask again' },
    element('p', {}, reason, until, ' ', attempts),
    element('div', { class: 'meter', 'aria-hidden': 'true' }, meter),
    element('div', { class: 'buttons' }, retryNow, button('Cancel', onCancel, 'quiet')),
  );
  let timer: number | undefined;

  const tick = (state: Pending): void => {
    const leftMs = state.nextAttemptAt - Date.now();
    const isAsking = state.status === 'asking' || leftMs <= 0;
    // Not `disabled`, which would drop the focus.
    retryNow.setAttribute('aria-disabled', String(isAsking));
    root.classList.toggle('asking', isAsking);
    if (isAsking) until.replaceChildren(' — trying again…');
    else {
      countdown.textContent = secondsLeft(state.nextAttemptAt, Date.now());
      until.replaceChildren(' — retrying in ', countdown, '…');
      // At the next full second, and so without a drift.
      timer = window.setTimeout(() => tick(state), leftMs % 1_000 || 1_000);
    }
  };

  return {
    root,
    show(state) {
      clearTimeout(timer);
      reason.textContent = describeFailure(state.failure).headline;
      attempts.textContent = `attempt ${state.attempt} of ${state.maxRetries}`;
      meter.getAnimations().forEach((animation) => animation.cancel());
      if (state.status === 'waiting') {
        const isStill = matchMedia('(prefers-reduced-motion: reduce)').matches;
        if (!isStill)
          meter.animate({ transform: ['scaleX(1)', 'scaleX(0)'] }, { duration: state.delayMs, fill: 'forwards' });
      }
      tick(state);
    },
    remove() {
      clearTimeout(timer);
      root.remove();
    },
  };
}
