/** Who answered, where the response tells: by its envelope, then by its headers, then by names in its message. */

import type { Evidence } from './envelope.ts';
import type { HeaderReader } from './header-reader.ts';
import { FAMILIES } from './rules.ts';

interface Sign {
  readonly provider: string;
  readonly headers: readonly string[];
  readonly words: readonly string[];
}

let signs: readonly Sign[] | undefined;

export function providerOf({ provider, text, isPage, status }: Evidence, header: HeaderReader): string | undefined {
  if (provider !== undefined || isPage) return provider;
  signs ??= FAMILIES.map(({ provider: name, headers, signature }) => ({
    provider: name,
    headers: headers?.split(' ') ?? [],
    words: signature?.split(' ') ?? [],
  }));
  const isHere = (name: string): boolean => header(name) !== null;
  const isSaid = (words: string): boolean => text.includes(words);
  const signed = signs.find(({ headers, words }) => headers.some(isHere) || words.some(isSaid));
  return signed?.provider ?? signatureOf(status, header);
}

/** What tells without a body and without a look at every family. */
export function signatureOf(status: number, header: HeaderReader): string | undefined {
  if (header('request-id')?.startsWith('req_')) return 'anthropic';
  // It stands before many, and answers for them only with statuses of its own.
  return status >= 520 && status <= 530 && header('server') === 'cloudflare' ? 'cloudflare' : undefined;
}
