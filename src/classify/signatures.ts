/**
 * Which provider answered, where the response tells: by its envelope, then by its headers, then by its message. The
 * signatures are those of the files in `providers/`.
 */

import type { HeaderReader } from '../hints/header-reader.ts';
import type { Evidence } from './family.ts';
import { HEADERS, SIGNATURES } from './generated-rulebook.ts';

type Sign = readonly [sign: string, provider: string];

let signs: { readonly headers: readonly Sign[]; readonly words: readonly Sign[]; readonly anyWord: RegExp } | undefined;

export function providerOf({ provider, text, isPage, status }: Evidence, header: HeaderReader): string | undefined {
  if (provider !== undefined || isPage) return provider;
  const { headers, words, anyWord } = (signs ??= readSigns());
  // A message may name another provider than its sender; a header does not.
  const found =
    headers.find(([name]) => header(name) !== '') ??
    // Most messages have none of the words.
    (anyWord.test(text) ? words.find(([word]) => text.includes(word)) : undefined);
  return found?.[1] ?? signatureOf(status, header);
}

function readSigns(): NonNullable<typeof signs> {
  const words = signsIn(SIGNATURES);
  return { headers: signsIn(HEADERS), words, anyWord: new RegExp(words.map(([word]) => word).join('|')) };
}

function signsIn(table: Readonly<Record<string, string>>): readonly Sign[] {
  return Object.entries(table).flatMap(([provider, list]) => list.split(' ').map((sign): Sign => [sign, provider]));
}

/** Detects a provider without a body and without searching every family. */
export function signatureOf(status: number, header: HeaderReader): string | undefined {
  if (header('request-id').startsWith('req_')) return 'anthropic';
  // Cloudflare is in front of many servers; only these statuses are its own.
  return status >= 520 && status <= 530 && header('server') === 'cloudflare' ? 'cloudflare' : undefined;
}
