/**
 * The network of the test suite: MSW under every client there is. It intercepts sockets, so it also catches undici's
 * own fetch and a `fetch` that was kept from before. A request that no handler answers is an error.
 */

import { HttpRequestInterceptor } from '@mswjs/interceptors/http';
// MSW may change this entry in a minor version, so only this file imports it.
import { defineNetwork, InterceptorSource } from 'msw/experimental';
import { afterAll, afterEach, beforeAll } from 'vitest';
import type { RequestHandler } from 'msw';

const network = defineNetwork({
  sources: [new InterceptorSource({ interceptors: [new HttpRequestInterceptor()] })],
  handlers: [],
  onUnhandledFrame: 'error',
  // Otherwise each request is logged at length.
  context: { quiet: true },
});

/** Puts the network under the tests of the file or `describe` block it is called in. Handlers last for one test. */
export function useNetwork(): { readonly use: <T extends RequestHandler>(handler: T) => T } {
  beforeAll(() => network.enable());
  afterEach(() => network.resetHandlers());
  afterAll(() => network.disable());
  return {
    use(handler) {
      network.use(handler);
      return handler;
    },
  };
}
