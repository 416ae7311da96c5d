/**
 * Makes every observation in this process and prints them: over the bare fetch, over `createRetryFetch()` around it,
 * over the same without retries, and over a fetch whose responses are all watched. Runs on Node, Deno and Bun.
 *
 * node observe.ts <origin> <refused url> global|undici|node-fetch
 */

import { createRetryFetch, type RetryConfig } from '../../src/index.ts';
import { type Observation, OBSERVATIONS, type Subject } from './observations.ts';
import { SHAPES } from './shapes.ts';
import { watching } from './watched.ts';

const [origin = '', refusedUrl = '', name = 'global'] = process.argv.slice(2);

type Classes = Omit<Subject, 'wrap'>;

async function classesOf(): Promise<Classes> {
  if (name === 'undici') {
    const { fetch, Request, Response, Headers, FormData } = await import('undici');
    return { fetch, Request, Response, Headers, FormData } as unknown as Classes;
  }
  if (name === 'node-fetch') {
    const { default: fetch, Request, Response, Headers, FormData } = await import('node-fetch');
    return { fetch, Request, Response, Headers, FormData } as unknown as Classes;
  }
  const { fetch, Request, Response, Headers, FormData } = globalThis;
  return { fetch, Request, Response, Headers, FormData };
}

const classes = await classesOf();

function retrying(config: RetryConfig): Subject {
  const wrap: Subject['wrap'] = (inner) => createRetryFetch(inner, { baseDelayMs: 1, ...config });
  return { ...classes, fetch: createRetryFetch(classes.fetch, { baseDelayMs: 1, ...config }), wrap };
}

const subjects: Readonly<Record<string, Subject>> = {
  bare: { ...classes, wrap: (inner) => inner },
  retries: retrying({}),
  'no retries': retrying({ maxRetries: 0 }),
  // The body of a response of node-fetch is a stream of Node.
  ...(name !== 'node-fetch' && { watched: { ...classes, fetch: watching(classes.fetch), wrap: watching } }),
};

/** Long enough for three retries, and short enough to notice a call that hangs. */
const LIMIT_MS = 10_000;

function within(observing: Promise<unknown>): Promise<unknown> {
  return new Promise((resolve) => {
    const timer = setTimeout(() => resolve('did not end'), LIMIT_MS);
    observing.then(resolve, (error: unknown) => resolve({ failed: String(error) })).finally(() => clearTimeout(timer));
  });
}

const unhandled: string[] = [];
process.on('unhandledRejection', (reason) => unhandled.push(String(reason)));
// node-fetch emits an error that nothing listens to.
process.on('uncaughtException', (error) => unhandled.push(String(error)));

const seen: Record<string, Record<string, unknown>> = {};
for (const [title, observe] of Object.entries<Observation>({ ...OBSERVATIONS, ...SHAPES })) {
  const outcomes: Record<string, unknown> = {};
  for (const [subject, classesOfSubject] of Object.entries(subjects)) {
    unhandled.length = 0;
    const outcome = await within(observe(classesOfSubject, { origin, refusedUrl }));
    await new Promise((resolve) => setTimeout(resolve));
    outcomes[subject] = { outcome, unhandled: [...unhandled] };
  }
  seen[title] = outcomes;
}
process.stdout.write(`${JSON.stringify(seen)}\n`);
process.exit(0);
