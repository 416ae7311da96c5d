/** Makes every observation in a page of a browser, which has the place of the observations as its origin. */

import { observeAll, type Seen } from './observe-all.ts';

const unhandled: string[] = [];
addEventListener('unhandledrejection', (event) => {
  unhandled.push(String(event.reason));
  event.preventDefault();
});

function observe(refusedUrl: string): Promise<Seen> {
  const { Request, Response, Headers, FormData } = globalThis;
  const fetch = globalThis.fetch.bind(globalThis);
  // A bound function has another name.
  Object.defineProperty(fetch, 'name', { value: 'fetch' });
  const place = { origin: location.origin, refusedUrl };
  return observeAll({ fetch, Request, Response, Headers, FormData }, place, false, unhandled);
}

Object.assign(globalThis, { observe });
