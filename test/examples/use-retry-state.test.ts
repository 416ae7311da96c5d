import { createElement, type FunctionComponent } from 'react';
import { renderToStaticMarkup } from 'react-dom/server';
import { describe, expect, test } from 'vitest';
import { retryStoreOf, useRetryState } from '../../examples/use-retry-state.ts';
import { createRetryFetch, RetryController } from '../../src/index.ts';
import { heldRuntime, script, URL_OF_TEST } from '../script.ts';

const Status: FunctionComponent<{ readonly controller: RetryController }> = ({ controller }) => {
  const state = useRetryState(controller);
  return createElement('p', null, state.status === 'waiting' ? `waiting ${state.delayMs}` : state.status);
};

// A server renders without a DOM; that a mounted component follows is tested in a browser, in tools/browser.
const drawn = (controller: RetryController): string => renderToStaticMarkup(createElement(Status, { controller }));

describe('useRetryState', () => {
  test('returns the current state of the store, even outside a browser', async () => {
    const controller = new RetryController();
    const runtime = heldRuntime();
    const fetch = createRetryFetch(script(runtime, 503, 200), { controller, runtime, jitter: 'none' });
    expect(drawn(controller)).toBe('<p>idle</p>');
    const answer = fetch(URL_OF_TEST);
    await runtime.untilWaiting();
    expect(drawn(controller)).toBe('<p>waiting 1000</p>');
    runtime.waits[0]?.end();
    await answer;
    expect(drawn(controller)).toBe('<p>ended</p>');
  });

  test('shares one store among the components of a controller', () => {
    const controller = new RetryController();
    expect(retryStoreOf(controller)).toBe(retryStoreOf(controller));
    expect(retryStoreOf(new RetryController())).not.toBe(retryStoreOf(controller));
  });
});
