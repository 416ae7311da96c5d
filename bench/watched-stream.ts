/**
 * Measures what `checkEnd` and the two clocks of `answers` cost a healthy stream: `node bench/watched-stream.ts`. Both sides run in turn in one
 * process, AB, BA, AB, …, so that a slow second of the machine affects both.
 *
 * - Over loopback: a server in another process writes an answer in chunks of a size, and a client reads
 *   `response.body` to its end. The figure is the throughput by the wall clock as a share of that of bare fetch.
 * - In memory: a body of chunks that are there already. The figure is the processor time that the watch adds to each.
 */

import { fork } from 'node:child_process';
import { once } from 'node:events';
import type { ServerResponse } from 'node:http';
import { fileURLToPath } from 'node:url';
import { createRetryFetch } from '../src/index.ts';
import { serve } from '../test/serve.ts';
import { alternate, differencesOf, ratiosOf, readEach } from './peers/alternate.ts';
import { startTimes, type Times } from './peers/cpu-time.ts';
import { type Figure, figureOf } from './peers/statistics.ts';

/** How an answer is cut into chunks. `0`: one event each. */
const CHUNK_BYTES = [0, 500, 1_000, 4_000] as const;
const ANSWER_BYTES = 1_000_000;
/** In memory. With fewer, most of a sample would run before the code is compiled. */
const CHUNKS_PER_SAMPLE = 5_000;
const PROTOCOLS = ['chat', 'anthropic'] as const;
type Protocol = (typeof PROTOCOLS)[number];

const WORDS = 'The keeping of mirrors, as shipping and mapping, may fail; "quoted" words \\n follow the text. '.split(
  ' ',
);

function eventOf(protocol: Protocol, index: number): string {
  const word = `${WORDS[index % WORDS.length]} `;
  if (protocol === 'chat') {
    const choices = [{ index: 0, delta: { content: word }, logprobs: null, finish_reason: null }];
    return `data: ${JSON.stringify({ id: 'chatcmpl-1', object: 'chat.completion.chunk', created: 1, model: 'm', choices })}\n\n`;
  }
  const data = { type: 'content_block_delta', index: 0, delta: { type: 'text_delta', text: word } };
  return `event: content_block_delta\ndata: ${JSON.stringify(data)}\n\n`;
}

/** A whole answer, in chunks of a size. */
function chunksOf(protocol: Protocol, size: number): Buffer[] {
  const [begin, end] =
    protocol === 'chat'
      ? [
          'data: {"object":"chat.completion.chunk","choices":[{"index":0,"delta":{"role":"assistant","content":""},"finish_reason":null}]}\n\n',
          'data: {"object":"chat.completion.chunk","choices":[{"index":0,"delta":{},"finish_reason":"stop"}]}\n\ndata: [DONE]\n\n',
        ]
      : [
          'event: message_start\ndata: {"type":"message_start","message":{"content":[]}}\n\n',
          'event: message_stop\ndata: {"type":"message_stop"}\n\n',
        ];
  const events = [begin];
  for (let bytes = 0; bytes < ANSWER_BYTES; bytes += events.at(-1)?.length ?? 0)
    events.push(eventOf(protocol, events.length));
  events.push(end);
  if (size === 0) return events.map((event) => Buffer.from(event));
  const whole = Buffer.from(events.join(''));
  return Array.from({ length: Math.ceil(whole.length / size) }, (_, at) => whole.subarray(at * size, (at + 1) * size));
}

async function answer(response: ServerResponse, path: string): Promise<void> {
  const [, protocol, size] = path.split('/');
  response.writeHead(200, { 'content-type': 'text/event-stream' });
  for (const chunk of chunksOf(protocol === 'chat' ? 'chat' : 'anthropic', Number(size))) {
    if (response.destroyed) return;
    if (!response.write(chunk)) await drained(response);
    // As a proxy does, which passes on what it has read in one turn. In the same turn Node would join the chunks.
    else await new Promise((resolve) => setImmediate(resolve));
  }
  response.end();
}

function drained(response: ServerResponse): Promise<void> {
  return new Promise((resolve) => {
    const end = (): void => {
      response.off('drain', end).off('close', end);
      resolve();
    };
    response.on('drain', end).on('close', end);
  });
}

async function startServer(): Promise<void> {
  const { origin } = await serve((request, response) => answer(response, request.url ?? ''));
  process.send?.(origin);
  process.on('disconnect', () => process.exit());
}

const INIT = { method: 'POST', body: '{"model":"m"}' };
const options = {
  answers: { holdUntil: 'headers', checkEnd: true, idleTimeoutMs: 180_000, outputTimeoutMs: 300_000 },
} as const;
const watched = createRetryFetch({ fetch: (...args: Parameters<typeof fetch>) => fetch(...args), ...options });

/** Reads a body to its end. */
async function countChunks(response: Response): Promise<number> {
  const reader = response.body?.getReader();
  let chunks = 0;
  for (let part = await reader?.read(); part?.done === false; part = await reader?.read()) chunks += 1;
  return chunks;
}

interface Sample extends Times {
  readonly chunks: number;
}

async function overLoopback(origin: string, rounds: number): Promise<void> {
  for (const protocol of PROTOCOLS) {
    for (const size of CHUNK_BYTES) {
      const url = `${origin}/${protocol}/${size}`;
      const sample = (call: typeof fetch) => async (): Promise<Sample> => {
        const times = startTimes();
        const chunks = await countChunks(await call(url, INIT));
        return { ...times(), chunks };
      };
      await alternate(sample(fetch), sample(watched), 3);
      const pairs = await alternate(sample(fetch), sample(watched), rounds);
      const rate = figureOf(ratiosOf(readEach(pairs, ({ wallMs }) => 1 / wallMs)));
      const bareUs = figureOf(pairs.baseline.map(({ wallMs, chunks }) => (wallMs * 1_000) / chunks)).median;
      const addedUs = figureOf(differencesOf(readEach(pairs, ({ cpuMs, chunks }) => (cpuMs * 1_000) / chunks))).median;
      print(
        `loopback, ${protocol}, ${sizeOf(size)}`,
        `${rate.median} × bare (${spreadOf(rate)}); bare ${bareUs} µs, +${addedUs} µs of processor time per chunk`,
      );
    }
  }
}

async function inMemory(rounds: number): Promise<void> {
  for (const protocol of PROTOCOLS) {
    for (const size of CHUNK_BYTES) {
      const chunks = chunksOf(protocol, size);
      const respond = async (): Promise<Response> => {
        let at = 0;
        const pull = (controller: ReadableByteStreamController): void => {
          const chunk = chunks[at];
          at += 1;
          if (chunk === undefined) controller.close();
          else controller.enqueue(new Uint8Array(chunk));
        };
        const body = new ReadableStream({ type: 'bytes', pull }, { highWaterMark: 0 });
        return new Response(body, { headers: { 'content-type': 'text/event-stream' } });
      };
      const call = createRetryFetch({ fetch: respond, ...options });
      const sample = (get: () => Promise<Response>) => async (): Promise<number> => {
        const times = startTimes();
        let count = 0;
        while (count < CHUNKS_PER_SAMPLE) count += await countChunks(await get());
        return (times().cpuMs * 1_000) / count;
      };
      const watch = sample(async () => call('https://api.example.com/v1/chat/completions', INIT));
      await alternate(sample(respond), watch, 10);
      const pairs = await alternate(sample(respond), watch, rounds);
      const added = figureOf(differencesOf(pairs));
      const bareUs = figureOf(pairs.baseline).median;
      print(
        `in memory, ${protocol}, ${sizeOf(size)}`,
        `+${added.median} µs per chunk (${spreadOf(added)}); bare ${bareUs} µs`,
      );
    }
  }
}

const sizeOf = (size: number): string => (size === 0 ? 'one event per chunk' : `chunks of ${size} bytes`);

const spreadOf = ({ quartiles }: Figure): string => `${quartiles?.low}–${quartiles?.high}`;

function print(what: string, figure: string): void {
  process.stdout.write(`${what.padEnd(72)}${figure}\n`);
}

async function run(): Promise<void> {
  const rounds = Number(process.argv[2] ?? 21);
  if (!process.argv.includes('--loopback')) await inMemory(rounds);
  const child = fork(fileURLToPath(import.meta.url), ['--serve']);
  const [origin] = await once(child, 'message');
  await overLoopback(origin, rounds);
  child.disconnect();
}

if (process.argv.includes('--serve')) await startServer();
else await run();
