/**
 * The yellow bubble: why the answer is late, when the next attempt is sent, and a button to send it now. It stays in
 * its place from the first failure to the end, so that a focus on its button is not lost.
 */

import type { RetryState } from 'retry-transport';
import { button, element } from './element.ts';
import { attemptName, secondsLeft, waitHeadline } from './words.ts';

export type Pending = Extract<RetryState, { readonly status: 'waiting' | 'sending' }>;

export interface RetryBubble {
  readonly root: HTMLElement;
  show(state: Pending): void;
  /** Stops its clock and leaves the page. */
  remove(): void;
}

export function createRetryBubble(onRetryNow: () => void): RetryBubble {
  const reason = element('strong');
  // A screen reader does not read a timer out when it changes, only when the user goes to it.
  const countdown = element('span', { role: 'timer', class: 'countdown' });
  const until = element('span');
  const meter = element('span');
  const retryNow = button('Retry now', onRetryNow);
  const root = element(
    'section',
    { class: 'bubble', 'aria-label': 'Waiting to retry' },
    element('p', {}, reason, ': ', until),
    element('div', { class: 'meter', 'aria-hidden': 'true' }, meter),
    element('div', { class: 'buttons' }, retryNow),
  );
  let timer: number | undefined;

  function tick(nextAttemptAt: number): void {
    const leftMs = nextAttemptAt - Date.now();
    countdown.textContent = secondsLeft(nextAttemptAt, Date.now());
    // At the next full second, so that the countdown does not drift.
    if (leftMs > 0) timer = window.setTimeout(() => tick(nextAttemptAt), leftMs % 1_000 || 1_000);
  }

  return {
    root,
    show(state) {
      const isSending = state.status === 'sending';
      clearTimeout(timer);
      reason.textContent = waitHeadline(state);
      // Not `disabled`, which would drop the focus.
      retryNow.setAttribute('aria-disabled', String(isSending));
      root.classList.toggle('sending', isSending);
      meter.getAnimations().forEach((animation) => animation.cancel());
      const attempt = attemptName(state);
      if (isSending) until.replaceChildren(`${attempt} now…`);
      else {
        until.replaceChildren(`${attempt} in `, countdown);
        const isStill = matchMedia('(prefers-reduced-motion: reduce)').matches;
        if (!isStill)
          meter.animate({ transform: ['scaleX(1)', 'scaleX(0)'] }, { duration: state.delayMs, fill: 'forwards' });
        tick(state.nextAttemptAt);
      }
    },
    remove() {
      clearTimeout(timer);
      root.remove();
    },
  };
}
