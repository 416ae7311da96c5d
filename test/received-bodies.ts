/** What the tests of request bodies send, and a fetch that receives it as fetch does. */

import type { Fetch } from '../src/index.ts';
import { respond } from './script.ts';

export const TEXT = 'héllo\u0000wörld';
export const BYTES: Uint8Array<ArrayBuffer> = new TextEncoder().encode(TEXT);

/** A fetch that takes each body at once, and fails three times. */
export function receiving(): {
  readonly inner: Fetch;
  readonly requests: Request[];
  readonly bodies: () => Promise<Uint8Array[]>;
} {
  const requests: Request[] = [];
  const inner: Fetch = async (input, init) => {
    requests.push(new Request(input, init));
    return respond(requests.length < 4 ? 503 : 200);
  };
  const bodies = async (): Promise<Uint8Array[]> =>
    Promise.all(requests.map(async (request) => new Uint8Array(await request.arrayBuffer())));
  return { inner, requests, bodies };
}
