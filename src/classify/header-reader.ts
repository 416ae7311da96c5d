/** Headers of any shape as one function that never throws. */

import type { HeadersLike } from '../transport.ts';

/** The trimmed value of a header whose name is given in lower case, or null where it is absent or empty. */
export type HeaderReader = (name: string) => string | null;

export function headerReader(headers: HeadersLike | undefined): HeaderReader {
  const known = headers === undefined || headers === null || hasGet(headers) ? headers : byLowerCase(headers);
  return (name) => {
    try {
      const value = known?.get(name);
      return typeof value === 'string' || typeof value === 'number' ? `${value}`.trim() || null : null;
    } catch {
      return null;
    }
  };
}

function hasGet(headers: HeadersLike): headers is { get(name: string): string | null } {
  return typeof headers.get === 'function';
}

/** Dozens of names are asked for, so a record is brought into order once. */
function byLowerCase(headers: Readonly<Record<string, unknown>>): ReadonlyMap<string, unknown> {
  const values = new Map<string, unknown>();
  for (const name of Object.keys(headers)) values.set(name.toLowerCase(), headers[name]);
  return values;
}
