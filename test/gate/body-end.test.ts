import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { describe, expect, test } from 'vitest';
import { ConcurrencySlot } from '../../src/gate/concurrency-slot.ts';

const CHUNKS = ['one ', 'two ', 'three'];
const encode = (text: string): Uint8Array<ArrayBuffer> => new TextEncoder().encode(text);

/** A response with three chunks, how many of them were pulled, and why it was cancelled. */
function chunked(type?: 'bytes') {
  const seen: { pulled: number; cancelled?: unknown } = { pulled: 0 };
  const source = {
    pull(controller: ReadableStreamDefaultController | ReadableByteStreamController): void {
      const chunk = CHUNKS[seen.pulled];
      seen.pulled += 1;
      if (chunk === undefined) controller.close();
      else controller.enqueue(encode(chunk));
    },
    cancel(reason: unknown): void {
      seen.cancelled = reason;
    },
  };
  const stream =
    type === 'bytes' ? new ReadableStream({ ...source, type }) : new ReadableStream(source, { highWaterMark: 0 });
  return { seen, response: new Response(stream) };
}

const released = new WeakSet<ConcurrencySlot>();
const isHeld = (taken: ConcurrencySlot): boolean => !released.has(taken);

function slot(): { readonly slot: ConcurrencySlot; readonly clock: { nowMs: number } } {
  const clock = { nowMs: 0 };
  return {
    clock,
    slot: new ConcurrencySlot(
      {},
      'https://x.example',
      undefined,
      () => clock.nowMs,
      (freed) => released.add(freed),
    ),
  };
}

function held(response: unknown): ConcurrencySlot {
  const { slot: taken } = slot();
  taken.end({ type: 'success', response });
  return taken;
}

describe('a slot is released at once', () => {
  test.each<[string, () => unknown]>([
    ['for a response without a body', () => new Response(null)],
    ['for what is no response', () => ({ value: 1 })],
  ])('that is, %s', (_, make) => {
    expect(isHeld(held(make()))).toBe(false);
  });
});

describe('a slot is held until the body has ended', () => {
  test.each(['text', 'arrayBuffer', 'blob', 'bytes'] as const)('when it is read by %s()', async (name) => {
    const { response } = chunked();
    const taken = held(response);
    expect(isHeld(taken)).toBe(true);
    const reading = response[name]();
    expect([isHeld(taken), taken.state]).toEqual([true, 'reading']);
    await reading;
    expect(isHeld(taken)).toBe(false);
    expect(response.bodyUsed).toBe(true);
  });

  test('when it is read as JSON, also if that is invalid', async () => {
    const valid = new Response('{"a":1}');
    const taken = held(valid);
    expect(await valid.json()).toEqual({ a: 1 });
    expect(isHeld(taken)).toBe(false);
    const invalid = new Response('{');
    const other = held(invalid);
    await expect(invalid.json()).rejects.toThrow(SyntaxError);
    expect(isHeld(other)).toBe(false);
  });

  test.each([undefined, 'bytes'] as const)('when it is read as a stream (%s), chunk by chunk', async (type) => {
    const { seen, response } = chunked(type);
    const taken = held(response);
    const { body } = response;
    expect(response.body).toBe(body);
    const reader = body?.getReader();
    const texts: string[] = [];
    expect(seen.pulled).toBe(0);
    for (;;) {
      const { done, value } = (await reader?.read()) ?? {};
      if (done !== false) break;
      texts.push(new TextDecoder().decode(value));
      expect(isHeld(taken)).toBe(true);
      expect(seen.pulled).toBe(texts.length);
    }
    expect(texts).toEqual(CHUNKS);
    expect(isHeld(taken)).toBe(false);
  });

  test('when it is read by a loop, or piped', async () => {
    const looped = chunked().response;
    const one = held(looped);
    let text = '';
    for await (const chunk of looped.body ?? []) text += new TextDecoder().decode(chunk);
    expect([text, isHeld(one)]).toEqual([CHUNKS.join(''), false]);
    const piped = chunked().response;
    const other = held(piped);
    expect([await new Response(piped.body).text(), isHeld(other)]).toEqual([CHUNKS.join(''), false]);
  });

  test('when it breaks', async () => {
    const response = new Response(
      new ReadableStream({ pull: (controller) => controller.error(new TypeError('terminated')) }, { highWaterMark: 0 }),
    );
    const taken = held(response);
    const reader = response.body?.getReader();
    await expect(reader?.read()).rejects.toThrow('terminated');
    expect(isHeld(taken)).toBe(false);
  });

  test('when it is cancelled, which the server is told', async () => {
    const { seen, response } = chunked();
    const taken = held(response);
    await response.body?.cancel('enough');
    expect([isHeld(taken), seen.cancelled]).toEqual([false, 'enough']);
  });

  test('when a loop over it is left', async () => {
    const { seen, response } = chunked();
    const taken = held(response);
    for await (const _ of response.body ?? []) break;
    expect([isHeld(taken), 'cancelled' in seen]).toEqual([false, true]);
  });

  test('of a copy or of the response, but not when only one of them is cancelled', async () => {
    const { response } = chunked();
    const taken = held(response);
    const copy = response.clone();
    void copy.body?.cancel();
    expect(isHeld(taken)).toBe(true);
    expect(await response.text()).toBe(CHUNKS.join(''));
    expect(isHeld(taken)).toBe(false);
  });

  test('of a copy that is read in place of the response', async () => {
    const { response } = chunked();
    const taken = held(response);
    expect(await response.clone().text()).toBe(CHUNKS.join(''));
    expect(isHeld(taken)).toBe(false);
  });

  test('of neither, when both the response and its copy are cancelled', async () => {
    const { seen, response } = chunked();
    const taken = held(response);
    const copy = response.clone();
    const cancelled = copy.body?.cancel();
    expect([isHeld(taken), 'cancelled' in seen]).toEqual([true, false]);
    await Promise.all([cancelled, response.body?.cancel()]);
    expect([isHeld(taken), 'cancelled' in seen]).toEqual([false, true]);
  });
});

describe('a slot is released when garbage is collected', () => {
  setFlagsFromString('--expose-gc');
  const collect: unknown = runInNewContext('gc');

  async function isReleased(taken: ConcurrencySlot): Promise<boolean> {
    for (let round = 0; round < 50 && isHeld(taken); round += 1) {
      if (typeof collect === 'function') collect();
      await new Promise((resolve) => setImmediate(resolve));
    }
    return !isHeld(taken);
  }

  test.each<[string, (response: Response) => unknown]>([
    ['a response that was never read', () => undefined],
    ['a response whose body was only looked at', (response) => response.body?.locked],
    ['a response whose body has a reader that reads nothing', (response) => response.body?.getReader()],
    ['a response and its copy', (response) => response.clone()],
  ])('with %s', async (_what, use) => {
    const taken = ((): ConcurrencySlot => {
      const { response } = chunked();
      const slotOf = held(response);
      use(response);
      return slotOf;
    })();
    expect(isHeld(taken)).toBe(true);
    expect(await isReleased(taken)).toBe(true);
  });

  test('but not while the body of a collected response is kept', async () => {
    const { taken, body } = (() => {
      const { response } = chunked();
      return { taken: held(response), body: response.body };
    })();
    // Two others that are not kept: once they are released, this one has been looked at too.
    expect(await isReleased(held(chunked().response))).toBe(true);
    expect(await isReleased(held(chunked().response))).toBe(true);
    expect(isHeld(taken)).toBe(true);
    await body?.cancel();
    expect(isHeld(taken)).toBe(false);
  });
});

describe('the response itself', () => {
  test('is the same object, and refuses a second reader in the words of the runtime', async () => {
    const { response } = chunked();
    const plain = new Response(new ReadableStream());
    held(response);
    expect(response).toBeInstanceOf(Response);
    expect(Object.keys(response)).toEqual(Object.keys(plain));
    plain.body?.getReader();
    response.body?.getReader();
    const words = await plain.text().catch(String);
    expect(await response.text().catch(String)).toBe(words);
  });

  test('that was read has a body that is used up, as in the runtime', async () => {
    const [ours, plain] = [chunked().response, chunked().response];
    held(ours);
    for (const response of [ours, plain]) await response.text();
    expect([ours.bodyUsed, ours.body?.locked]).toEqual([plain.bodyUsed, plain.body?.locked]);
  });

  test('whose body was replaced before is read through that body', async () => {
    const response = new Response('of the server');
    const replaced = new Response('replaced').body;
    Object.defineProperty(response, 'body', { get: () => replaced, configurable: true });
    held(response);
    expect(await new Response(response.body).text()).toBe('replaced');
  });

  test('can be copied after its body was looked at', async () => {
    const { response } = chunked();
    held(response);
    expect(response.body?.locked).toBe(false);
    const copy = response.clone();
    expect([await copy.text(), await response.text()]).toEqual([CHUNKS.join(''), CHUNKS.join('')]);
  });
});

describe('a body from which nothing is read', () => {
  test('is given up after a minute, but not while the caller waits for its next chunk', async () => {
    const { slot: taken, clock } = slot();
    const response = new Response(new ReadableStream());
    taken.end({ type: 'success', response });
    taken.releaseIfOver(59_999);
    expect(isHeld(taken)).toBe(true);
    void response.body?.getReader().read();
    await Promise.resolve();
    clock.nowMs = 120_000;
    taken.releaseIfOver(120_000);
    expect([taken.state, isHeld(taken)]).toEqual(['reading', true]);
    const { slot: other } = slot();
    other.end({ type: 'success', response: new Response(new ReadableStream()) });
    other.releaseIfOver(60_000);
    expect(isHeld(other)).toBe(false);
  });
});
