/** Who answered, where the response tells: by its envelope, then by its headers, then by names in its message. */

import type { Evidence } from './envelope.ts';
import type { HeaderReader } from './header-reader.ts';
import { FAMILIES } from './rules.ts';

export function providerOf({ provider, text, isPage, status }: Evidence, header: HeaderReader): string | undefined {
  if (provider !== undefined || isPage) return provider;
  const signed = FAMILIES.find(
    ({ headers = '', signature = '' }) =>
      (headers !== '' && headers.split(' ').some((name) => header(name) !== null)) ||
      (signature !== '' && signature.split(' ').some((words) => text.includes(words))),
  );
  if (signed !== undefined) return signed.provider;
  if (header('request-id')?.startsWith('req_')) return 'anthropic';
  // It stands before many, and answers for them only with statuses of its own.
  return status >= 520 && status <= 530 && header('server') === 'cloudflare' ? 'cloudflare' : undefined;
}
