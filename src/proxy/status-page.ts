/**
 * The status page: the calls that wait, why and until when, with buttons to retry now and to give up. It works without
 * JavaScript; the script looks for changes every second and keeps the focus where it is.
 */

import { randomUUID } from 'node:crypto';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { text } from 'node:stream/consumers';
import { describeFailure, formatDelay, type WaitReason } from '../index.ts';
import type { Wait } from './call.ts';
import { RefusedError } from './problem.ts';

export interface ProxyState {
  readonly target: string;
  readonly running: number;
  readonly waits: readonly Wait[];
}

export type WaitAction = 'retry-now' | 'give-up';

const PAGE_PATH = '/';
const ACTION_PATH = '/-/waits';
const MAX_FORM_BYTES = 1_024;

/** Whether a request is for this page: browsers ask for HTML, programs that use the target's own `/` do not. */
export function isForStatusPage({ method, url, headers }: IncomingMessage): boolean {
  const { accept = '' } = headers;
  return method === 'GET'
    ? url === PAGE_PATH && accept.includes('text/html')
    : method === 'POST' && url === ACTION_PATH;
}

/**
 * Returns what answers a request that {@link isForStatusPage} accepts. It throws a `RefusedError` for a form that is not
 * from this page.
 */
export function createStatusPage(
  stateOf: () => ProxyState,
  act: (id: string, action: WaitAction) => void,
): (request: IncomingMessage, response: ServerResponse) => void {
  /** Proves that a form came from this page: other pages cannot read it. */
  const token = randomUUID();
  const answerForm = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    try {
      const form = new URLSearchParams(await text(request));
      const action = form.get('action');
      if (form.get('token') !== token || (action !== 'retry-now' && action !== 'give-up')) {
        response.writeHead(403, { 'content-type': 'text/plain' }).end('This form is out of date; reload the page.\n');
        return;
      }
      act(form.get('call') ?? '', action);
      response.writeHead(303, { location: PAGE_PATH }).end();
    } catch {
      // The client has gone before its form was read.
      response.destroy();
    }
  };
  return (request, response) => {
    if (request.method === 'POST') {
      admitForm(request);
      void answerForm(request, response);
      return;
    }
    const nonce = randomUUID();
    response.writeHead(200, {
      'content-type': 'text/html; charset=utf-8',
      'cache-control': 'no-store',
      'content-security-policy': `default-src 'none'; connect-src 'self'; form-action 'self'; frame-ancestors 'none'; script-src 'nonce-${nonce}'; style-src 'nonce-${nonce}'`,
      'referrer-policy': 'same-origin',
      'x-content-type-options': 'nosniff',
      'x-frame-options': 'DENY',
    });
    response.end(pageFor(stateOf(), token, nonce, Date.now()));
  };
}

function admitForm({ headers }: IncomingMessage): void {
  const length = Number(headers['content-length'] ?? Number.NaN);
  if (headers.origin !== `http://${headers.host}` || !(length <= MAX_FORM_BYTES)) {
    throw new RefusedError(403, 'foreign_page', "Expected a form of this proxy's own page.");
  }
}

const REASONS: Readonly<Partial<Record<WaitReason, string>>> = {
  hint: 'the server asked for this wait',
  cooldown: 'the server is not answering any call',
};

function pageFor({ target, running, waits }: ProxyState, token: string, nonce: string, now: number): string {
  const summary =
    waits.length === 0
      ? `No call waits; ${running} ${running === 1 ? 'is' : 'are'} running.`
      : `${waits.length} of ${running} running ${running === 1 ? 'call waits' : 'calls wait'} for the next attempt.`;
  const state = JSON.stringify(waits.map(({ id, nextAttemptAt }) => [id, nextAttemptAt]));
  const rows = waits.map((wait) => rowFor(wait, token, now)).join('');
  const table =
    rows === ''
      ? ''
      : `<table><caption>Calls that wait</caption>
<thead><tr><th scope="col">Call</th><th scope="col">Why</th><th scope="col">Next attempt</th><th scope="col">Actions</th></tr></thead>
<tbody>${rows}</tbody></table>`;
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${waits.length} waiting · retry-transport</title>
<style nonce="${nonce}">${STYLE}</style>
</head>
<body>
<main class="${waits.length === 0 ? 'calm' : 'waiting'}">
<h1>retry-transport proxy</h1>
<p class="soft">Sending to ${escape(target)}</p>
<p id="summary" role="status">${summary}</p>
<div id="waits" data-state="${escape(state)}">${table}</div>
<p class="soft"><a id="refresh" href="${PAGE_PATH}">Refresh</a></p>
</main>
<script nonce="${nonce}">${SCRIPT}</script>
</body>
</html>
`;
}

function rowFor(wait: Wait, token: string, now: number): string {
  const { id, method, path, retry, maxRetries, nextAttemptAt: until, because, failure } = wait;
  const why = failure === undefined ? 'Waiting for its turn' : describeFailure(failure).headline;
  const reason = REASONS[because];
  const count =
    retry < 1 ? '' : `, retry ${retry}${maxRetries === null || retry > maxRetries ? '' : ` of ${maxRetries}`}`;
  const left = formatDelay(Math.max(0, Math.ceil((until - now) / 1_000) * 1_000));
  const time = new Date(until);
  const button = (action: WaitAction, label: string, name: string): string =>
    `<button id="${action}-${escape(id)}" name="action" value="${action}" aria-label="${name}">${label}</button>`;
  return `<tr><th scope="row">#${escape(id)} ${escape(method)} ${escape(path)}</th>
<td>${escape(why)}${reason === undefined ? '' : `; ${reason}`}</td>
<td><time datetime="${time.toISOString()}">${time.toLocaleTimeString('en-GB')}</time>, in <span data-until="${Math.ceil(until)}">${left}</span>${count}</td>
<td><form method="post" action="${ACTION_PATH}"><input type="hidden" name="token" value="${token}"><input type="hidden" name="call" value="${escape(id)}">
${button('retry-now', 'Retry now', `Retry call ${escape(id)} now`)}
${button('give-up', 'Give up', `Give up call ${escape(id)}`)}</form></td></tr>
`;
}

function escape(value: string): string {
  return value.replace(/[&<>"']/g, (character) => `&#${character.charCodeAt(0)};`);
}

const STYLE = `
:root {
  color-scheme: light dark;
  --paper: light-dark(#fbfaf8, #161513); --raised: light-dark(#ffffff, #201e1b);
  --ink: light-dark(#1d1b18, #ece8e1); --soft: light-dark(#625d55, #a8a298);
  --line: light-dark(#e3dfd8, #37332d); --link: light-dark(#2a4f86, #9dbde9);
  --wait-fill: light-dark(#fff5d3, #2c2509); --wait-line: light-dark(#ecd384, #5c4b12); --wait-ink: light-dark(#47370a, #f3e2a6);
  --good-mark: light-dark(#3f7d58, #7fbf9a);
  font: 100%/1.55 Inter, ui-sans-serif, system-ui, -apple-system, 'Segoe UI', Roboto, sans-serif;
}
body { background: var(--paper); color: var(--ink); margin: 0 auto; max-width: 60rem; padding: 2rem 1.25rem; }
h1 { font-size: 1.375rem; letter-spacing: -0.01em; margin: 0; }
.soft, caption, thead th { color: var(--soft); font-size: .875rem; }
a { color: var(--link); }
#summary { border: 1px solid var(--line); border-left: .25rem solid var(--good-mark); border-radius: .875rem; background: var(--raised); padding: .75rem 1rem; }
main.waiting #summary { background: var(--wait-fill); border-color: var(--wait-line); color: var(--wait-ink); }
table { border-collapse: collapse; width: 100%; background: var(--raised); border: 1px solid var(--line); border-radius: .875rem; overflow: hidden; }
caption { text-align: left; padding: 0 1rem .25rem; }
th, td { border-top: 1px solid var(--line); padding: .75rem 1rem; text-align: left; vertical-align: top; overflow-wrap: anywhere; }
thead th { border-top: 0; font-weight: 500; }
tbody th { font-weight: 500; }
[data-until] { font-variant-numeric: tabular-nums; }
form { display: flex; flex-wrap: wrap; gap: .5rem; }
button { font: inherit; color: inherit; background: var(--raised); border: 1px solid var(--line); border-radius: .5rem; padding: .25rem .75rem; cursor: pointer; }
button[value=retry-now] { background: var(--wait-fill); border-color: var(--wait-line); color: var(--wait-ink); }
:focus-visible { outline: 3px solid var(--link); outline-offset: 2px; }
@media (max-width: 40rem) { table, caption, tbody, tr, th, td { display: block; } caption { padding: .75rem 1rem; } thead { display: none; } td { border-top: 0; padding-top: 0; } }
`;

/** Replaces the table only if it has changed, so that a screen reader is not interrupted every second. */
const SCRIPT = `
const byId = (id) => document.getElementById(id);
const left = (ms) => {
  const s = Math.max(0, Math.ceil(ms / 1000));
  const parts = [[Math.floor(s / 3600), 'h'], [Math.floor(s / 60) % 60, 'm'], [s % 60, 's']];
  return parts.filter(([n]) => n > 0).map(([n, unit]) => n + unit).join(' ') || '0s';
};
const count = () => {
  for (const span of document.querySelectorAll('[data-until]')) span.textContent = left(span.dataset.until - Date.now());
};
const load = async () => {
  if (document.hidden) return;
  try {
    const response = await fetch('/', { headers: { accept: 'text/html' } });
    const next = new DOMParser().parseFromString(await response.text(), 'text/html');
    const [now, then] = [byId('waits'), next.getElementById('waits')];
    const words = next.getElementById('summary').textContent;
    if (byId('summary').textContent !== words) byId('summary').textContent = words;
    document.querySelector('main').className = next.querySelector('main').className;
    if (now.dataset.state === then.dataset.state) return;
    const focused = document.activeElement?.id ?? '';
    const hadFocus = now.contains(document.activeElement);
    now.replaceWith(then);
    document.title = next.title;
    if (hadFocus) (byId(focused) ?? byId('refresh')).focus();
  } catch {
    byId('summary').textContent = 'The proxy does not answer.';
  }
};
setInterval(() => { count(); void load(); }, 1000);
document.addEventListener('visibilitychange', load);
`;
