/** The settings of this library, for each client that takes a fetch. */

import { createGate, createRetryFetch, presets, type RetryConfig } from '../../src/index.ts';
import type { Program, Setting } from './client.ts';

const answers = { idleTimeoutMs: 180_000, outputTimeoutMs: 300_000 };

/** `more`: what README adds for this client. */
export function ours(over: (origin: string, fetch: typeof globalThis.fetch) => Program, more: RetryConfig = {}) {
  const configs: readonly (readonly [Setting['name'], () => RetryConfig])[] = [
    ['defaults', () => ({})],
    ['as README prints it', () => ({ ...presets.recommended, answers, ...more })],
    ['fleet', () => ({ ...presets.fleet, gate: createGate(), answers })],
    ['job', () => ({ ...presets.background, answers: { holdUntil: 'end' } })],
  ];
  const settings = configs.map(([name, config]): Setting => ({
    name,
    create: (origin) => over(origin, createRetryFetch(config())),
  }));
  return { package: 'retry-transport', documentation: 'README.md', isOurs: true, settings } as const;
}
