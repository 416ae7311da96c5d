import { createElement, type FunctionComponent } from 'react';
import { renderToStaticMarkup } from 'react-dom/server';
import { describe, expect, test } from 'vitest';
import { createRetryFetch, RetryController } from '../src/index.ts';
import { retryStoreOf, useRetryCountdown, useRetryState } from '../src/react.ts';
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

describe('useRetryState', () => {
  test('returns the current state of the store, even outside a browser', async () => {
    const controller = new RetryController();
    const runtime = heldRuntime();
    const fetch = createRetryFetch(script(runtime, 503, 200), { controller, runtime, jitter: 'none' });
    expect(drawn(Status, controller)).toBe('<p>idle</p>');
    const answer = fetch(URL_OF_TEST);
    await runtime.untilWaiting();
    expect(drawn(Status, controller)).toBe('<p>waiting 1000</p>');
    runtime.waits[0]?.end();
    await answer;
    expect(drawn(Status, controller)).toBe('<p>ended</p>');
  });

  test('shares one store among the components of a controller', () => {
    const controller = new RetryController();
    expect(retryStoreOf(controller)).toBe(retryStoreOf(controller));
    expect(retryStoreOf(new RetryController())).not.toBe(retryStoreOf(controller));
  });
});

test('useRetryCountdown counts nothing on a server, so that the page of the browser begins with the same markup', () => {
  expect(drawn(Wait, new RetryController())).toBe('<p>no wait</p>');
});
