import { setTimeout as sleep } from 'node:timers/promises';
import { gzipSync } from 'node:zlib';
import { afterEach, expect, test } from 'vitest';
import { createRetryFetch } from '../../src/index.ts';
import { OK, type Served, serve, type SocketStep } from '../serve.ts';

const MIB = 1_048_576;

let server: Served | undefined;

afterEach(async () => {
  await server?.close();
});

const bomb = gzipSync(Buffer.alloc(64 * MIB)).toString('base64');

const hostile: Record<string, { readonly status: number; readonly step: SocketStep }> = {
  'a 503 whose body hangs': {
    status: 503,
    step: { recording: { status: 503, headers: {}, body: '{"error":' }, stallAfterBytes: 9 },
  },
  'a 503 whose body hangs before its first byte': {
    status: 503,
    step: (_request, response) => response.writeHead(503).flushHeaders(),
  },
  'a 429 whose body never ends': {
    status: 429,
    step: (_request, response) => {
      response.writeHead(429);
      const chunk = Buffer.alloc(65_536, 'x');
      const more = (): void => {
        while (!response.destroyed && response.write(chunk));
      };
      response.on('drain', more);
      more();
    },
  },
  'a 429 that drips': {
    status: 429,
    step: (_request, response) => {
      response.writeHead(429);
      const timer = setInterval(() => response.write('x'), 5);
      response.on('close', () => clearInterval(timer));
    },
  },
  'a gzip bomb': {
    status: 503,
    step: { status: 503, headers: { 'content-encoding': 'gzip' }, body: bomb, encoding: 'base64' },
  },
  'a body that is no gzip although it says so': {
    status: 503,
    step: { status: 503, headers: { 'content-encoding': 'gzip' }, body: 'no gzip' },
  },
  'a JSON of 200,000 brackets': {
    status: 429,
    step: { status: 429, headers: { 'content-type': 'application/json' }, body: '['.repeat(200_000) },
  },
  'a body that ends too early': {
    status: 502,
    step: { recording: { status: 502, headers: {}, body: 'half' }, dieAfterBytes: 4 },
  },
};

function used(): number {
  const { arrayBuffers, heapUsed } = process.memoryUsage();
  return arrayBuffers + heapUsed;
}

/** What a task took, in time and in the highest memory seen meanwhile. */
async function measured<T>(
  task: () => Promise<T>,
): Promise<{ readonly value: T; readonly ms: number; readonly bytes: number }> {
  const before = used();
  let peak = before;
  const timer = setInterval(() => (peak = Math.max(peak, used())), 5);
  const start = performance.now();
  try {
    const value = await task();
    return { value, ms: performance.now() - start, bytes: Math.max(peak, used()) - before };
  } finally {
    clearInterval(timer);
  }
}

// A busy machine may exceed a bound once; a defect exceeds it every time.
test.each(Object.entries(hostile))(
  'a failed response with %s comes back unread when it is given up, and is retried, within limits of time and memory',
  { retry: 2 },
  async (_title, { status, step }) => {
    const { url } = (server = await serve(step, step, step, OK));
    const within = async <T>(task: () => Promise<T>): Promise<T> => {
      const { value, ms, bytes } = await measured(task);
      expect(ms).toBeLessThan(10_000);
      expect(bytes).toBeLessThan(16 * MIB);
      return value;
    };
    const given = await within(() => createRetryFetch({ fetch, maxRetries: 0 })(url));
    expect([given.status, given.bodyUsed]).toEqual([status, false]);
    // Nothing is read on behalf of a caller who does not read.
    await within(() => sleep(100));
    await given.body?.cancel().catch(() => {});
    const answer = await within(() => createRetryFetch({ fetch, baseDelayMs: 1 })(url, { method: 'POST', body: '{}' }));
    expect(answer.status).toBe(200);
  },
);
