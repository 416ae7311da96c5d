/** Serves pages on free loopback ports: built, which loads ten times faster, or from their sources. */

import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { build, createServer, type InlineConfig, preview } from 'vite';

export interface Served {
  readonly url: string;
  readonly close: () => Promise<void>;
}

const address = { port: 0, host: '127.0.0.1' };

export async function serveBuild(config: InlineConfig): Promise<Served> {
  const outDir = await mkdtemp(join(tmpdir(), 'retry-transport-browser-'));
  const built: InlineConfig = { ...config, build: { outDir, emptyOutDir: true }, logLevel: 'error' };
  await build(built);
  const server = await preview({ ...built, preview: address });
  const close = async (): Promise<void> => {
    await server.close();
    await rm(outDir, { recursive: true });
  };
  return { url: server.resolvedUrls?.local[0] ?? '', close };
}

export async function serveSources(config: InlineConfig): Promise<Served> {
  const server = await createServer({ ...config, server: address, logLevel: 'error' });
  await server.listen();
  return { url: server.resolvedUrls?.local[0] ?? '', close: () => server.close() };
}
