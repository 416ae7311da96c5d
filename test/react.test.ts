import { createElement, type FunctionComponent } from 'react';
import { renderToStaticMarkup } from 'react-dom/server';
import { expect, test } from 'vitest';
import { createRetryFetch, RetryController } from '../src/index.ts';
import { useRetryCountdown, useRetryState } from '../src/react.ts';
import { heldRuntime, script, URL_OF_TEST } from './script.ts';

interface Props {
  readonly controller: RetryController;
}

const Status: FunctionComponent<Props> = ({ controller }) => {
  const state = useRetryState(controller);
  return createElement('p', null, state.status === 'waiting' ? `waiting ${state.delayMs}` : state.status);
};

const Wait: FunctionComponent<Props> = ({ controller }) =>
  createElement('p', null, useRetryCountdown(controller)?.text ?? 'no wait');

// A server renders without a DOM; that a mounted component follows is tested in a browser, in tools/browser, and with
// both releases of React in tools/react.
const drawn = (component: FunctionComponent<Props>, controller: RetryController): string =>
  renderToStaticMarkup(createElement(component, { controller }));

test('useRetryState draws nothing of a wait on a server, so that the page of the browser begins with the same markup', async () => {
  const controller = new RetryController();
  const runtime = heldRuntime();
  const fetch = createRetryFetch({ fetch: script(runtime, 503, 200), controller, runtime, jitter: 'none' });
  const answer = fetch(URL_OF_TEST);
  await runtime.untilWaiting();
  expect(controller.state).toMatchObject({ status: 'waiting', delayMs: 1_000 });
  expect(drawn(Status, controller)).toBe('<p>idle</p>');
  runtime.waits[0]?.end();
  await answer;
});

test('useRetryCountdown counts nothing on a server, so that the page of the browser begins with the same markup', () => {
  expect(drawn(Wait, new RetryController())).toBe('<p>no wait</p>');
});
