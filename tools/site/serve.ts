/** Serves the built site on a free loopback port; run by itself, until it is stopped. */

import { createReadStream, statSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { extname, join, normalize } from 'node:path';
import { fileURLToPath } from 'node:url';
import { OUTPUT } from './folders.ts';

const TYPES: Readonly<Record<string, string>> = {
  '.html': 'text/html; charset=utf-8',
  '.js': 'text/javascript',
  '.css': 'text/css',
  '.svg': 'image/svg+xml',
  '.png': 'image/png',
  '.json': 'application/json',
  '.txt': 'text/plain; charset=utf-8',
  '.md': 'text/markdown; charset=utf-8',
  '.woff2': 'font/woff2',
};

export interface ServedSite {
  readonly url: string;
  readonly close: () => Promise<void>;
}

/** The site as it was built with the default base. */
export async function serveSite(port = 0): Promise<ServedSite> {
  const server = createServer((request, response) => {
    const { pathname } = new URL(request.url ?? '/', 'http://localhost');
    const path = normalize(decodeURI(pathname)).replace(/\/$/, '/index.html');
    const file = [join(OUTPUT, path), join(OUTPUT, `${path}.html`)].find((name) => isFile(name));
    if (file === undefined) {
      response.writeHead(404).end('not here');
      return;
    }
    response.writeHead(200, { 'content-type': TYPES[extname(file)] ?? 'application/octet-stream' });
    createReadStream(file).pipe(response);
  });
  await new Promise<void>((resolve) => server.listen(port, '127.0.0.1', resolve));
  const close = () => new Promise<void>((resolve) => void server.close(() => resolve()));
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/`, close };
}

function isFile(name: string): boolean {
  return statSync(name, { throwIfNoEntry: false })?.isFile() ?? false;
}

if (process.argv[1] === fileURLToPath(import.meta.url)) console.log((await serveSite(4173)).url);
