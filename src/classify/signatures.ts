/**
 * Which provider answered, where the response tells: by its envelope, then by its headers, then by its message. The
 * signatures are those of `providers.ts`.
 */

import type { HeaderReader } from '../hints/header-reader.ts';
import type { Evidence } from './family.ts';
import { HEADERS, SIGNATURES } from './generated-rulebook.ts';
import { Phrases } from './phrases.ts';

interface Signs {
  readonly headers: readonly (readonly [provider: string, names: readonly string[]])[];
  readonly words: Phrases<string>;
}

let signs: Signs | undefined;

export function providerOf({ provider, text, isPage, status }: Evidence, header: HeaderReader): string | undefined {
  if (provider !== undefined || isPage) return provider;
  const { headers, words } = (signs ??= readSigns());
  // A message may name another provider than its sender; a header does not.
  const [sender] = headers.find(([, names]) => names.some((name) => header(name) !== '')) ?? [];
  return sender ?? words.find(text) ?? signatureOf(status, header);
}

function readSigns(): Signs {
  const words = Object.entries(SIGNATURES).map(([name, list]) => [
    name,
    list.replaceAll('.', '\\.').replaceAll(' ', '~'),
  ]);
  return {
    headers: Object.entries(HEADERS).map(([name, list]) => [name, list.split(' ')]),
    words: new Phrases(Object.fromEntries(words)),
  };
}

/** Detects a provider without a body and without searching every family. */
export function signatureOf(status: number, header: HeaderReader): string | undefined {
  if (header('request-id').startsWith('req_')) return 'anthropic';
  // Cloudflare is in front of many servers; only these statuses are its own.
  return status >= 520 && status <= 530 && header('server') === 'cloudflare' ? 'cloudflare' : undefined;
}
