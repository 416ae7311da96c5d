/** Response headers of any shape, brought into order once, because dozens of names are asked for. */

import type { HeadersLike } from '../transport.ts';

/** The headers of one response. Never throws, whatever stands in their place. */
export class HeaderReader {
  /** False where no header speaks of a rate limit, so that none has to be asked. */
  readonly mayLimit: boolean;
  readonly #values: { get(name: string): unknown };

  constructor(headers: HeadersLike | undefined) {
    const values = new Map<string, unknown>();
    let mayLimit = false;
    try {
      for (const [name, value] of entriesOf(headers)) {
        const known = name.toLowerCase();
        mayLimit ||= known.includes('ratelimit');
        values.set(known, value);
      }
    } catch {
      // Then they are asked one by one.
    }
    const isOpaque = values.size === 0 && hasGet(headers);
    this.mayLimit = mayLimit || isOpaque;
    this.#values = isOpaque ? headers : values;
  }

  /** The trimmed value of a header whose name is given in lower case; '' where it is absent. */
  get(name: string): string {
    try {
      const value = this.#values.get(name);
      return typeof value === 'string' || typeof value === 'number' ? `${value}`.trim() : '';
    } catch {
      return '';
    }
  }
}

/** Headers that are read already stay as they are. */
export function readHeaders(headers: HeadersLike | HeaderReader | undefined): HeaderReader {
  return headers instanceof HeaderReader ? headers : new HeaderReader(headers);
}

/** Of a record its own properties, of `Headers` what they iterate over. */
function entriesOf(headers: HeadersLike | undefined): Iterable<readonly [name: string, value: unknown]> {
  if (headers === undefined || headers === null) return [];
  if (isIterable(headers)) return headers;
  return hasGet(headers) ? [] : Object.entries(headers);
}

function isIterable(headers: object): headers is Iterable<readonly [name: string, value: unknown]> {
  return Symbol.iterator in headers;
}

function hasGet(headers: HeadersLike | undefined): headers is { get(name: string): string | null } {
  return typeof headers?.get === 'function';
}
