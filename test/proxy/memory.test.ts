import { fork } from 'node:child_process';
import { once } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import { serve } from '../serve.ts';
import { times } from '../thorough.ts';

const event = (text: string): string =>
  `data: {"object":"chat.completion.chunk","choices":[{"index":0,"delta":{"content":"${text}"},"finish_reason":null}]}\n\n`;
const x = 'x'.repeat(65_536);

/** What a hostile server sends first, and then again and again. */
const STREAMS: readonly (readonly [type: string, first: string, next: string])[] = [
  ['text/event-stream', `${event('a')}data: {"choices":[{"delta":{"content":"`, x],
  ['text/event-stream', 'data: {"choices":[{"delta":{"content":"', x],
  ['text/event-stream', event('a'), event('x'.repeat(1_048_576))],
  ['text/event-stream', event('a'), `data: ${'x'.repeat(500)}\n`.repeat(128)],
  ['text/event-stream', `${event('a')}[`, `{"text":"${'x'.repeat(500)}"},\n`.repeat(128)],
  ['application/x-ndjson', '{"model":"m","message":{"content":"a"},"done":false}\n{"message":{"content":"', x],
];
const STREAM_BYTES = times({ thorough: 100_000_000, otherwise: 24_000_000 });

test(`six hostile streams of ${STREAM_BYTES / 1e6} MB, which are read with pauses, take less than 96 MiB`, async () => {
  const target = await serve(async (request, response) => {
    const [type, first, next] =
      STREAMS[Number(new URL(request.url ?? '', 'http://x').searchParams.get('stream'))] ?? [];
    response.writeHead(200, { 'content-type': type });
    response.write(first);
    const part = Buffer.from(next ?? '');
    for (let bytes = 0; bytes < STREAM_BYTES; bytes += part.length)
      if (!response.write(part)) await once(response, 'drain');
    response.end();
  });
  const file = fileURLToPath(new URL('./memory-proxy.ts', import.meta.url));
  const proxy = fork(file, [new URL(target.url).origin], { execArgv: [] });
  const tell = async (message: string): Promise<number> => {
    const told = once(proxy, 'message');
    proxy.send(message);
    return Number((await told)[0]);
  };
  try {
    const [url] = await once(proxy, 'message');
    /** Reads a stream until the proxy ends it, because it is cut. */
    const readAll = async (index: number): Promise<number> => {
      const init = {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: '{"model":"m","stream":true}',
      };
      const { body } = await fetch(`${url}/v1/chat/completions?stream=${index}`, init);
      let bytes = 0;
      for await (const { length } of body ?? []) {
        if (Math.floor(bytes / 2e6) !== Math.floor((bytes + length) / 2e6)) await sleep(50);
        bytes += length;
      }
      return bytes;
    };
    const before = await tell('before');
    const read = await Promise.all(STREAMS.map((_, index) => readAll(index)));
    expect(Math.min(...read)).toBeGreaterThanOrEqual(STREAM_BYTES);
    // 63 to 68 MiB; twice as much if the bytes that were let go stay in memory.
    expect((await tell('after')) - before).toBeLessThan(96 * 1024 * 1024);
  } finally {
    proxy.kill();
    await target.close();
  }
});
