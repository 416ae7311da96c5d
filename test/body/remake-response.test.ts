import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { afterEach, describe, expect, test } from 'vitest';
import { remakeResponse, replaceBody } from '../../src/body/remake-response.ts';
import { createRetryFetch } from '../../src/index.ts';

const nativeClone: (this: Response) => Response = Reflect.get(Response.prototype, 'clone');
afterEach(() => {
  Response.prototype.clone = nativeClone;
});

/** As fetch gives it. */
function fetched(): Response {
  const response = new Response('original', { headers: { 'x-request-id': 'one' } });
  Object.defineProperties(response, { url: { value: 'https://api.example.com/v1' }, redirected: { value: true } });
  return response;
}

function remade(): Response {
  return remakeResponse(fetched(), streamOf('answer'));
}

/** With another body on the same object, as the watch of streams has it. */
function replaced(): Response {
  const response = fetched();
  replaceBody(
    response,
    () => streamOf('answer'),
    () => false,
  );
  return response;
}

function streamOf(text: string): ReadableStream<Uint8Array<ArrayBuffer>> {
  return new ReadableStream({
    start(controller) {
      controller.enqueue(new TextEncoder().encode(text));
      controller.close();
    },
  });
}

/** Collects garbage, and says what is left of the native clones that were made since `watchClones`. */
async function leftAfterCollection(clones: readonly WeakRef<Response>[]): Promise<readonly boolean[]> {
  setFlagsFromString('--expose-gc');
  const collect: unknown = runInNewContext('gc');
  // One collection may keep what it saw in use.
  for (let round = 0; round < 10; round += 1) {
    if (typeof collect === 'function') collect();
    await new Promise((resolve) => setImmediate(resolve));
  }
  return clones.map((clone) => clone.deref() !== undefined);
}

function watchClones(): readonly WeakRef<Response>[] {
  const clones: WeakRef<Response>[] = [];
  // No spy, because that would keep what the method has returned.
  Response.prototype.clone = function clone(this: Response): Response {
    const copy = Reflect.apply(nativeClone, this, []);
    clones.push(new WeakRef(copy));
    return copy;
  };
  return clones;
}

describe.each([
  ['a response that was made again', remade],
  ['a response with another body', replaced],
])('a clone of %s', (_what, make) => {
  test('has the url and the other members, and so has a clone of it', async () => {
    const response = make();
    const clone = response.clone();
    for (const each of [response, clone, clone.clone()]) {
      expect([each.url, each.redirected, each.status, each.headers.get('x-request-id')]).toEqual([
        'https://api.example.com/v1',
        true,
        200,
        'one',
      ]);
      expect(await each.text()).toBe('answer');
    }
  });

  // Node 22 cancels the body of a clone that is garbage-collected.
  test('keeps what Node cloned for as long as its body may be read', async () => {
    const clones = watchClones();
    const clone = make().clone();
    expect(await leftAfterCollection(clones)).toEqual([true]);
    expect(await clone.text()).toBe('answer');
  });
});

test('a stream that is watched and dropped unread is collected, so that Node closes its connection', async () => {
  // As a connection does, the test keeps the body.
  const body = streamOf('data: {"choices":[{"delta":{"content":"a"}}]}\n\n');
  const respond = async (): Promise<Response> =>
    new Response(body, { headers: { 'content-type': 'text/event-stream' } });
  const ask = async (): Promise<WeakRef<Response>> => {
    const fetch = createRetryFetch({ fetch: respond, answers: { checkEnd: true, holdUntil: 'headers' } });
    return new WeakRef(await fetch('https://api.example.com', { method: 'POST', body: '{}' }));
  };
  expect(await leftAfterCollection([await ask()])).toEqual([false]);
  expect(body.locked).toBe(false);
});

test('a response with a method of its own that cannot be replaced keeps its body', async () => {
  const response = Object.defineProperty(fetched(), 'text', { value: Reflect.get(Response.prototype, 'text') });
  replaceBody(
    response,
    () => streamOf('answer'),
    () => false,
  );
  expect(await response.clone().text()).toBe('original');
  expect(await response.text()).toBe('original');
});
