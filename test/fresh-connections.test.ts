import { expect, test, vi } from 'vitest';
import { freshenConnections } from './fresh-connections.ts';
import { settle } from './script.ts';
import { type Served, serve } from './serve.ts';

/** A response that ends when the test says so. */
async function beginResponse(): Promise<{ server: Served; text: Promise<string>; end: () => void }> {
  const { promise: end, resolve } = Promise.withResolvers<() => void>();
  const server = await serve((_request, response) => {
    response.write('a');
    resolve(() => void response.end('b'));
  });
  const response = await fetch(server.url);
  return { server, text: response.text(), end: await end };
}

test('a response that ends after its test file is whole, and starts no timer in the next file', async () => {
  const { server, text, end } = await beginResponse();
  freshenConnections();
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
  try {
    end();
    expect(await text).toBe('ab');
    for (let turn = 0; turn < 10; turn += 1) await settle();
    expect(vi.getTimerCount()).toBe(0);
  } finally {
    vi.useRealTimers();
    await server.close();
  }
});

test('the next file has connections of its own', async () => {
  freshenConnections();
  const { server, text, end } = await beginResponse();
  end();
  expect(await text).toBe('ab');
  await server.close();
});
