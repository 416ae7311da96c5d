/** The subjects by name, in the order of the tables. A process loads only the one that it measures. */

import { readFileSync } from 'node:fs';
import type { Subject } from './subject.ts';

const HERE = './subjects/';
const PEERS = '../../tools/peers/';

const FILES: Readonly<Record<string, string>> = {
  'bare fetch': `${HERE}bare.ts`,
  'loop by hand': `${HERE}by-hand.ts`,
  'retry-transport': `${HERE}retry-transport.ts`,
  'p-retry': `${PEERS}subjects/p-retry.ts`,
  'fetch-retry': `${PEERS}subjects/fetch-retry.ts`,
  cockatiel: `${PEERS}subjects/cockatiel.ts`,
  ky: `${PEERS}subjects/ky.ts`,
  openai: `${PEERS}subjects/openai.ts`,
};

export const OURS = 'retry-transport';
export const FLOORS: readonly string[] = ['bare fetch', 'loop by hand'];
export const SUBJECT_NAMES: readonly string[] = Object.keys(FILES);

export async function loadSubject(name: string): Promise<Subject> {
  const file = FILES[name];
  if (file === undefined) throw new Error(`There is no subject "${name}".`);
  const module: { readonly subject: Subject } = await import(new URL(file, import.meta.url).href);
  return module.subject;
}

/** The installed version, not the requested one. */
export function installedVersion(name: string): string {
  const manifest = new URL(`${PEERS}node_modules/${name}/package.json`, import.meta.url);
  const { version }: { readonly version: string } = JSON.parse(readFileSync(manifest, 'utf8'));
  return version;
}
