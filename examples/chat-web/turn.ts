/** One question and its outcome: the bubble while it waits, the answer as it streams in, the card, the timeline. */

import type { RetryState } from 'retry-transport';
import { element } from './element.ts';
import { type Notice, noticeCard } from './notice.ts';
import { createRetryBubble, type RetryBubble } from './retry-bubble.ts';
import { timeline } from './timeline.ts';

export interface TurnActions {
  readonly onRetryNow: () => void;
  readonly onAskAgain: () => void;
  /** The focus was on a button that is gone. `instead`: what replaced it, if that can have the focus. */
  readonly onFocusLost: (instead: HTMLElement | undefined) => void;
}

export class Turn {
  readonly root: HTMLElement;
  readonly #actions: TurnActions;
  readonly #pending = element('p', { class: 'soft' }, 'Asking…');
  readonly #answer = element('p', { class: 'answer streaming' });
  readonly #bubble: RetryBubble;
  #timeline: HTMLElement | undefined;
  #sentAt: number | undefined;

  constructor(question: string, actions: TurnActions) {
    this.#actions = actions;
    this.#bubble = createRetryBubble(actions.onRetryNow);
    const asked = element('p', { class: 'question' }, element('span', { class: 'unseen' }, 'You: '), question);
    this.root = element('article', { class: 'turn' }, asked, this.#pending);
  }

  /** The answer so far. */
  get text(): string {
    return this.#answer.textContent;
  }

  /** Shows a state of the retries. */
  show(state: RetryState): void {
    if (state.status === 'waiting' || state.status === 'sending') {
      this.#sentAt = state.status === 'sending' ? state.at : undefined;
      if (!this.#bubble.root.isConnected) this.#pending.replaceWith(this.#bubble.root);
      this.#bubble.show(state);
    } else if (state.status === 'ended' && (state.outcome.attempts > 1 || this.#bubble.root.isConnected)) {
      this.#timeline = timeline({ ...state.outcome, endedAt: state.outcome.at, sentAt: this.#sentAt });
    }
  }

  /** Adds a piece of the answer. */
  write(piece: string): void {
    if (!this.#answer.isConnected) this.#place(this.#answer);
    this.#answer.append(piece);
  }

  /** Ends the turn. */
  end(notice: Notice | undefined): void {
    this.#answer.classList.remove('streaming');
    if (notice !== undefined) {
      const { root, headline } = noticeCard(notice, this.#actions.onAskAgain);
      this.#place(root, headline);
    }
    if (this.#timeline !== undefined) this.root.append(this.#timeline);
  }

  /** Replaces what announced the answer. */
  #place(content: HTMLElement, focusable?: HTMLElement): void {
    const hadFocus = this.#bubble.root.contains(document.activeElement);
    this.#pending.remove();
    this.#bubble.remove();
    this.root.append(content);
    if (hadFocus) this.#actions.onFocusLost(focusable);
  }
}
