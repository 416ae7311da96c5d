/** One question and what becomes of it: the bubble while it waits, the answer as it streams in, the card, the timeline. */

import type { RetryState } from '../retry-store.ts';
import { element } from './element.ts';
import { type Notice, noticeCard } from './notice.ts';
import { createRetryBubble, type RetryBubble } from './retry-bubble.ts';
import { timeline } from './timeline.ts';

export interface TurnActions {
  readonly onRetryNow: () => void;
  readonly onCancel: () => void;
  readonly onAskAgain: () => void;
  /** The focus was on a button that is gone. `instead`: what has come in its place, if that can have it. */
  readonly onFocusLost: (instead: HTMLElement | undefined) => void;
}

export class Turn {
  readonly root: HTMLElement;
  readonly #actions: TurnActions;
  readonly #pending = element('p', { class: 'soft' }, 'Asking…');
  readonly #answer = element('p', { class: 'answer streaming' });
  readonly #bubble: RetryBubble;
  #timeline: HTMLElement | undefined;

  constructor(question: string, actions: TurnActions) {
    this.#actions = actions;
    this.#bubble = createRetryBubble(actions.onRetryNow, actions.onCancel);
    const asked = element('p', { class: 'question' }, element('span', { class: 'unseen' }, 'You: '), question);
    this.root = element('article', { class: 'turn' }, asked, this.#pending);
  }

  /** What has been answered so far. */
  get text(): string {
    return this.#answer.textContent;
  }

  /** Shows a state of the retries. */
  show(state: RetryState): void {
    if (state.status === 'waiting' || state.status === 'asking') {
      if (!this.#bubble.root.isConnected) this.#pending.replaceWith(this.#bubble.root);
      this.#bubble.show(state);
    } else if (state.status === 'ended' && state.attempts > 1) {
      this.#timeline = timeline(state.history, state.elapsedMs);
    }
  }

  /** Adds a piece of the answer. */
  write(piece: string): void {
    if (!this.#answer.isConnected) this.#place(this.#answer);
    this.#answer.append(piece);
  }

  /** Nothing more comes. */
  end(notice: Notice | undefined): void {
    this.#answer.classList.remove('streaming');
    if (notice !== undefined) {
      const { root, headline } = noticeCard(notice, this.#actions.onAskAgain);
      this.#place(root, headline);
    }
    if (this.#timeline !== undefined) this.root.append(this.#timeline);
  }

  /** In the place of what said that something is to come. */
  #place(content: HTMLElement, focusable?: HTMLElement): void {
    const hadFocus = this.#bubble.root.contains(document.activeElement);
    this.#pending.remove();
    this.#bubble.remove();
    this.root.append(content);
    if (hadFocus) this.#actions.onFocusLost(focusable);
  }
}
