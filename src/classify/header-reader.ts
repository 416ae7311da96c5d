/** Headers of any shape as one function that never throws. */

import { headerValue } from '../hints/header-value.ts';
import type { HeadersLike } from '../transport.ts';

/** The value of a header whose name is given in lower case, or null where it is absent or empty. */
export type HeaderReader = (name: string) => string | null;

export function headerReader(headers: HeadersLike | undefined): HeaderReader {
  return (name) => {
    try {
      return headerValue(headers, name) || null;
    } catch {
      return null;
    }
  };
}
