/**
 * A process that answers when it is told to, while the client's process is busy or stopped. A first request to a path has
 * `trouble` in its query: what to answer. Any further one gets `{}`.
 */

import { writeFileSync } from 'node:fs';
import { setTimeout } from 'node:timers/promises';
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

/** What this process is told: to answer, and then to write an empty file to this path. */
export interface Go {
  readonly answered: string;
}

/** What this process tells. */
export type Told = { readonly port: number } | { readonly arrived: number };

const CODERS = { identity: (text: string) => Buffer.from(text), gzip: gzipSync, br: brotliCompressSync } as const;
/** For so long the other process does not run if it stops itself. */
const STOP_MS = 400;

const tell = (told: Told): boolean | undefined => process.send?.(told);
const seen = new Set<string>();
let waiting: (() => Promise<void>)[] = [];

const { port } = await listen((request, response) => {
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
  waiting.push(() => new Promise((resolve) => response.end(body, resolve)));
  return tell({ arrived: waiting.length });
});

async function answerAll({ answered }: Go): Promise<void> {
  const answers = waiting;
  waiting = [];
  await Promise.all(answers.map((answer) => answer()));
  writeFileSync(answered, '');
  // Again, because it may not have stopped yet.
  for (let turn = 0; turn < 10; turn += 1) {
    await setTimeout(STOP_MS);
    process.kill(process.ppid, 'SIGCONT');
  }
}

process.on('message', (go: Go) => void answerAll(go));
process.on('disconnect', () => process.exit());
tell({ port });
