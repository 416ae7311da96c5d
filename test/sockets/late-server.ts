/**
 * A process that answers when it is told to, while the client's process is busy or stopped. A first request to a path has
 * `trouble` in its query: what to answer. Any further one gets `{}`.
 */

import { brotliCompressSync, gzipSync } from 'node:zlib';
import { listen } from '../serve.ts';

/** What a request asks this server for. */
export interface Trouble {
  readonly status: number;
  readonly type: string;
  readonly encoding: 'identity' | 'gzip' | 'br';
  readonly body: string;
  /** Whether the response headers come at once, or with the body. */
  readonly isHeadFirst: boolean;
}

/** What this process is told: to answer, and for how long to stop the other process meanwhile. */
export interface Go {
  readonly stopMs: number;
}

/** What this process tells. */
export type Told = { readonly port: number } | { readonly arrived: number } | { readonly requests: number };

const CODERS = { identity: (text: string) => Buffer.from(text), gzip: gzipSync, br: brotliCompressSync } as const;
/** The first read of a failed body has begun by then, and its limit of 250 ms is not over. */
const AFTER_MS = 20;

const tell = (told: Told): boolean | undefined => process.send?.(told);
const seen = new Set<string>();
let waiting: (() => void)[] = [];
let requests = 0;

const { port } = await listen((request, response) => {
  requests += 1;
  const { pathname, searchParams } = new URL(request.url ?? '', 'http://localhost');
  if (seen.has(pathname)) return response.writeHead(200, { 'content-type': 'application/json' }).end('{}');
  seen.add(pathname);
  const trouble = JSON.parse(searchParams.get('trouble') ?? '') as Trouble;
  const headers = {
    'content-type': trouble.type,
    ...(trouble.encoding !== 'identity' && { 'content-encoding': trouble.encoding }),
  };
  response.writeHead(trouble.status, headers);
  if (trouble.isHeadFirst) response.flushHeaders();
  const body = CODERS[trouble.encoding](trouble.body);
  waiting.push(() => response.end(body));
  return tell({ arrived: waiting.length });
});

process.on('message', ({ stopMs }: Go) =>
  setTimeout(() => {
    if (stopMs > 0) {
      process.kill(process.ppid, 'SIGSTOP');
      setTimeout(() => process.kill(process.ppid, 'SIGCONT'), stopMs);
    }
    for (const answer of waiting) answer();
    waiting = [];
    tell({ requests });
  }, AFTER_MS),
);
process.on('disconnect', () => process.exit());
tell({ port });
