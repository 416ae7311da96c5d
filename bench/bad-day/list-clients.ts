/** All clients, ours last. Their packages are imported, so this is for a process that shows results. */

import { readdirSync } from 'node:fs';
import type { Client } from './client.ts';

/** Helpers of several clients. */
const SHARED: readonly string[] = ['chat-by-hand.ts'];

/** The files of the clients. */
export const clientFiles = (): readonly string[] =>
  readdirSync(new URL('clients/', import.meta.url))
    .filter((file) => file.endsWith('.ts') && !SHARED.includes(file))
    .toSorted();

export async function clients(): Promise<readonly Client[]> {
  const modules: readonly { readonly default: Client }[] = await Promise.all(
    clientFiles().map((file) => import(`./clients/${file}`)),
  );
  const all = modules.map(({ default: client }) => client);
  return [...all.filter(({ isOurs }) => isOurs !== true), ...all.filter(({ isOurs }) => isOurs === true)];
}
