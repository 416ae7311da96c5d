/**
 * A chat over `createRetryFetch`, all of it in the page: MSW's worker answers the requests from the recordings. Here the
 * parts meet: a controller and its store, one question at a time, and what is said of it.
 */

import { setupWorker } from 'msw/browser';
import { createRetryFetch, RetryController } from 'retry-transport';
import { createRetryStore } from '../retry-store.ts';
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
const store = createRetryStore(controller);
// Without jitter, so that the page says round figures.
const fetch = createRetryFetch(undefined, { controller, baseDelayMs: 5_000, jitter: 'none' });
const worker = setupWorker();

let scenario: Scenario = SCENARIOS[0];
let current: { readonly turn: Turn; readonly abort: AbortController } | undefined;

async function ask(text: string): Promise<void> {
  if (current !== undefined) return;
  const abort = new AbortController();
  const turn = new Turn(text, {
    onRetryNow: () => store.retryNow(),
    onCancel: () => abort.abort(),
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

/** Writes the answer, or tells what to say instead of one. */
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
    // What failed before the answer began has been told by the store, with the reason as data.
  }
  const told = turn.text === '' ? noticeOf(store.getSnapshot()) : undefined;
  if (told !== undefined) return told;
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

/** Takes back what earlier cards offer: there is one question at a time. */
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
  const state = store.getSnapshot();
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
  // The second click of a double click on "Send" is not meant for "Stop".
  if (event.detail < 2) current.abort.abort();
});
document.addEventListener('keydown', ({ key }) => {
  if (key === 'Escape') current?.abort.abort();
});

try {
  await worker.start({ quiet: true, onUnhandledFrame: 'bypass' });
  // Not before: the requests would go to the providers.
  send.disabled = false;
} catch (error) {
  about.textContent = `Nothing can be replayed, for the worker of the page did not start: ${String(error)}`;
}
