/** Which provider answered, where the response tells: by its envelope, then by its headers, then by its message. */

import type { HeaderReader } from '../hints/header-reader.ts';
import type { Evidence } from './family.ts';
import { PROVIDERS } from './providers/index.ts';

interface Sign {
  readonly provider: string;
  readonly headers: readonly string[];
  readonly words: readonly string[];
}

let signs: readonly Sign[] | undefined;
/** The words of all signs: most messages have none. */
let anyWord: RegExp | undefined;

export function providerOf({ provider, text, isPage, status }: Evidence, header: HeaderReader): string | undefined {
  if (provider !== undefined || isPage) return provider;
  signs ??= PROVIDERS.map(({ provider: name, headers, signature }) => ({
    provider: name,
    headers: headers?.split(' ') ?? [],
    words: signature?.split(' ') ?? [],
  })).filter((sign) => sign.headers.length + sign.words.length > 0);
  anyWord ??= new RegExp(signs.flatMap(({ words }) => words).join('|'));
  const isWorded = (): boolean => anyWord?.test(text) === true;
  // A message may name another provider than the one that sends it; a header does not.
  const found =
    signs.find(({ headers }) => headers.some((name) => header(name) !== '')) ??
    (isWorded() ? signs.find(({ words }) => words.some((word) => text.includes(word))) : undefined);
  return found?.provider ?? signatureOf(status, header);
}

/** What tells without a body and without a look at every family. */
export function signatureOf(status: number, header: HeaderReader): string | undefined {
  if (header('request-id').startsWith('req_')) return 'anthropic';
  // It stands before many, and answers for them only with statuses of its own.
  return status >= 520 && status <= 530 && header('server') === 'cloudflare' ? 'cloudflare' : undefined;
}
