/**
 * The server on the loopback. It plays scenes: a POST of steps gives an address, at which each request is answered by
 * the next step. For the browser it also serves the page and the installed files.
 */

import { readFile } from 'node:fs/promises';
import type { ServerResponse } from 'node:http';
import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { type Served, serve } from '../../test/serve.ts';
import type { Step } from './inside/place.ts';

/**
 * Each request has its own connection: a browser repeats a request that was lost on a connection that it had used
 * before.
 */
const CLOSE = { connection: 'close', 'cache-control': 'no-store' };

/** Long enough for each part to arrive separately. */
const GAP_MS = 5;

interface PlayedScene {
  readonly steps: readonly Step[];
  readonly bodies: string[];
}

/** `folder`: its installed files are served under `/installed/`; `page` is served as `/page`. */
export function startServer(folder: string, page: string): Promise<Served> {
  const scenes: PlayedScene[] = [];
  return serve(async (request, response, sent) => {
    const { pathname } = new URL(request.url ?? '', 'http://localhost');
    const body = sent.toString();
    if (pathname === '/page') return send(response, 200, 'text/html', page);
    const file = /^\/installed\/((?:[\w@-][\w.@-]*\/)*[\w@-][\w.@-]*\.m?js)$/.exec(pathname)?.[1];
    if (file !== undefined) return send(response, 200, 'text/javascript', await readFile(join(folder, file), 'utf8'));
    if (pathname === '/scenes') {
      const steps: readonly Step[] = JSON.parse(body);
      return send(response, 200, 'text/plain', `/scene/${scenes.push({ steps, bodies: [] }) - 1}`);
    }
    const [, index, rest] = /^\/scene\/(\d+)(\/.*)?$/.exec(pathname) ?? [];
    const scene = scenes[Number(index)];
    if (scene === undefined) return send(response, 404, 'text/plain', `Nothing is at ${pathname}.`);
    if (rest === '/requests') return send(response, 200, 'application/json', JSON.stringify(scene.bodies));
    scene.bodies.push(body);
    return play(response, scene.steps[scene.bodies.length - 1]);
  });
}

async function play(response: ServerResponse, step: Step | undefined): Promise<void> {
  if (step === undefined) return send(response, 500, 'text/plain', 'This request was not expected.');
  const { status, headers, body, mishap } = step;
  if (mishap === 'hang' && body.length === 0) return;
  if (mishap === undefined || body.length > 0) response.writeHead(status, { ...headers, ...CLOSE });
  for (const part of body) {
    response.write(part);
    await setTimeout(GAP_MS);
  }
  if (mishap === 'cut') response.destroy();
  else if (mishap === undefined) response.end();
}

function send(response: ServerResponse, status: number, type: string, body: string): void {
  response.writeHead(status, { 'content-type': `${type}; charset=utf-8`, ...CLOSE }).end(body);
}
