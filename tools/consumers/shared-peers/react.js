// @ts-nocheck -- only some of the programs have React, and none has its types
/** The hooks, mounted: a wait is counted down, ended by "retry now", and forgotten after the component has gone. */

import { createElement } from 'react';
import { act, create } from 'react-test-renderer';
import { createRetryFetch, RetryController } from 'retry-transport';
import { useRetryCountdown, useRetryState } from 'retry-transport/react';

globalThis.IS_REACT_ACT_ENVIRONMENT = true;
const controller = new RetryController();
const statuses = [503, 200];
const inner = async () => new Response(null, { status: statuses.shift() });
const fetch = createRetryFetch({ fetch: inner, controller, baseDelayMs: 60_000, jitter: 'none' });

const Line = () => createElement('p', null, useRetryCountdown(controller)?.text ?? 'no wait');
const Status = () => createElement('p', null, useRetryState(controller).status);

const shown = () => page.toJSON().map(({ children }) => children.join(''));
const expectShown = (...expected) => {
  if (JSON.stringify(shown()) !== JSON.stringify(expected)) throw new Error(`Shown: ${JSON.stringify(shown())}`);
};

let page;
let answer;
await act(async () => void (page = create(createElement('main', null)))); // a first drawing, without a hook
await act(async () => page.update([createElement(Line, { key: 'line' }), createElement(Status, { key: 'status' })]));
expectShown('no wait', 'idle');
await act(async () => {
  answer = fetch('https://api.example.com/');
  await new Promise((resolve) => controller.subscribe(resolve));
});
expectShown('overloaded (HTTP 503): retry 1 of 3 in 1m', 'waiting');
await act(async () => {
  controller.retryNow();
  await answer;
});
expectShown('no wait', 'ended');
await act(async () => page.unmount());
// A timer that is left would keep the process alive.
console.log('answered: the hooks, mounted');
