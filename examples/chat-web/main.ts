/**
 * A chat over `createRetryFetch`. MSW's worker answers its requests in the page, from the recordings. This file connects
 * the parts: a controller and its store, one question at a time, and the announcements for screen readers.
 */

import { setupWorker } from 'msw/browser';
import { createRetryFetch, RetryController } from 'retry-transport';
import { byId, element } from './element.ts';
import { BROKEN_OFF, type Notice, noticeOf, STOPPED } from './notice.ts';
import { QUESTION, type Scenario, SCENARIOS } from './scenarios.ts';
import { streamedText } from './streamed-text.ts';
import { Turn } from './turn.ts';
import { announcementOf } from './words.ts';

const scenarios = byId('scenarios', HTMLFieldSetElement);
const about = byId('about', HTMLParagraphElement);
const conversation = byId('conversation', HTMLElement);
const composer = byId('composer', HTMLFormElement);
const question = byId('question', HTMLInputElement);
const send = byId('send', HTMLButtonElement);
const announcer = byId('announcer', HTMLParagraphElement);

const controller = new RetryController();
const store = controller;
// Without jitter, so that the page shows round numbers.
const fetch = createRetryFetch({ controller, baseDelayMs: 5_000, jitter: 'none' });
const worker = setupWorker();

let scenario: Scenario = SCENARIOS[0];
let current: { readonly turn: Turn; readonly abort: AbortController } | undefined;

async function ask(text: string): Promise<void> {
  if (current !== undefined) return;
  const abort = new AbortController();
  const turn = new Turn(text, {
    onRetryNow: () => controller.retryNow(),
    onAskAgain: () => void ask(text),
    onFocusLost: (instead = send) => instead.focus(),
  });
  store.clear();
  worker.resetHandlers(scenario.handler());
  current = { turn, abort };
  showBusy(true);
  offerOnlyOnce();
  conversation.append(turn.root);
  announce('Asking.');
  reveal();
  turn.end(await answer(turn, text, abort.signal));
  reveal();
  current = undefined;
  showBusy(false);
}

/** Writes the answer; returns what to show in place of it or after it. */
async function answer(turn: Turn, text: string, signal: AbortSignal): Promise<Notice | undefined> {
  try {
    const response = await fetch(scenario.url, {
      method: 'POST',
      headers: { 'content-type': 'application/json', 'anthropic-version': '2023-06-01', 'x-api-key': 'none-is-needed' },
      body: JSON.stringify({
        model: 'any',
        max_tokens: 256,
        stream: true,
        messages: [{ role: 'user', content: text }],
      }),
      signal,
    });
    if (response.ok && response.body !== null) {
      for await (const piece of streamedText(response.body)) turn.write(piece);
      announce(`Answer: ${turn.text}`);
      return undefined;
    }
  } catch {
    // The store has announced a failure before the answer, with the reason as data.
  }
  const announced = turn.text === '' ? noticeOf(store.state) : undefined;
  if (announced !== undefined) return announced;
  const notice = signal.aborted ? STOPPED : BROKEN_OFF;
  announce(`${notice.headline}. ${notice.sentences.join(' ')}`);
  return notice;
}

/** Tells a screen reader. */
function announce(message: string): void {
  announcer.textContent = message;
}

function showBusy(isBusy: boolean): void {
  send.textContent = isBusy ? 'Stop' : 'Send';
  send.classList.toggle('quiet', isBusy);
  question.value = isBusy ? '' : question.value || QUESTION;
}

/** Removes the buttons of earlier cards: there is one question at a time. */
function offerOnlyOnce(): void {
  for (const offer of conversation.querySelectorAll('.notice .buttons')) {
    if (offer.contains(document.activeElement)) send.focus();
    offer.remove();
  }
}

function reveal(): void {
  current?.turn.root.scrollIntoView({ block: 'nearest' });
}

function choose(next: Scenario): void {
  scenario = next;
  about.textContent = next.about;
}

store.subscribe(() => {
  const state = store.state;
  announce(announcementOf(state));
  current?.turn.show(state);
  reveal();
});

for (const [index, offered] of SCENARIOS.entries()) {
  const radio = element('input', { type: 'radio', name: 'scenario', value: offered.name });
  radio.checked = index === 0;
  radio.addEventListener('change', () => choose(offered));
  scenarios.append(element('label', {}, radio, element('span', {}, offered.label)));
}
choose(scenario);
showBusy(false);

composer.addEventListener('submit', (event) => {
  event.preventDefault();
  if (question.value.trim() !== '') void ask(question.value.trim());
});
send.addEventListener('click', (event) => {
  if (current === undefined) return;
  event.preventDefault();
  // The second click of a double click on "Send" must not stop the question.
  if (event.detail < 2) current.abort.abort();
});
document.addEventListener('keydown', ({ key }) => {
  if (key === 'Escape') current?.abort.abort();
});

try {
  // Beside this page, wherever it is served.
  const serviceWorker = { url: './mockServiceWorker.js' };
  await worker.start({ quiet: true, onUnhandledFrame: 'bypass', serviceWorker });
  // Without the worker the requests would go to the providers.
  send.disabled = false;
} catch (error) {
  about.textContent = `The page cannot replay failures, because its worker did not start: ${String(error)}`;
}
