/** Response headers of any shape, brought into order once, because dozens of names are asked for. */

import type { HeadersLike } from '../transport.ts';

/** The headers of one response. Never throws, whatever stands in their place. */
export interface HeaderReader {
  /** The trimmed value of a header whose name is given in lower case; '' where it is absent. */
  (name: string): string;
  /** What is there, separated by commas; undefined where headers can only be asked. */
  readonly names: string | undefined;
}

export function readHeaders(headers: HeadersLike | undefined): HeaderReader {
  const known = new Map<string, unknown>();
  const source = headers ?? {};
  let asked: { get(name: string): unknown } = hasGet(source) ? source : known;
  try {
    // `Headers` give their own iterator, a record has its own properties.
    const entries = isIterable(source) ? source : Object.entries(asked === known ? source : {});
    for (const [name, value] of entries) known.set(name.toLowerCase(), value);
    if (known.size > 0) asked = known;
  } catch {
    // Then they are asked one by one.
  }
  const read = (name: string): string => {
    try {
      return String(asked.get(name) ?? '').trim();
    } catch {
      return '';
    }
  };
  return Object.assign(read, { names: asked === known ? [...known.keys()].join() : undefined });
}

function isIterable(headers: object): headers is Iterable<readonly [name: string, value: unknown]> {
  return Symbol.iterator in headers;
}

function hasGet(headers: HeadersLike): headers is { get(name: string): string | null } {
  return typeof headers.get === 'function';
}
