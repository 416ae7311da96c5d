/**
 * Makes every observation in this process and prints them. Runs on Node, Deno and Bun.
 *
 * node observe.ts <origin> <refused url> global|undici|node-fetch
 */

import { type Classes, observeAll } from './observe-all.ts';

const [origin = '', refusedUrl = '', name = 'global'] = process.argv.slice(2);

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

const unhandled: string[] = [];
process.on('unhandledRejection', (reason) => unhandled.push(String(reason)));
// node-fetch emits an error that nothing listens to.
process.on('uncaughtException', (error) => unhandled.push(String(error)));

const seen = await observeAll(await classesOf(), { origin, refusedUrl }, name === 'node-fetch', unhandled);
process.stdout.write(`${JSON.stringify(seen)}\n`);
process.exit(0);
