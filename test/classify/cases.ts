/** Failures written out as tables: what a server says, and what that is. */

import { describe, expect, test } from 'vitest';
import { classify } from '../../src/classify/classify.ts';
import type { FailureType } from '../../src/failure/failure.ts';

/** A body is text as it is; anything else as JSON. */
export type Case = readonly [status: number, body?: unknown, more?: More];

interface More {
  readonly headers?: Readonly<Record<string, string>>;
  /** @default whether the type is one of `RETRIED` */
  readonly retryable?: boolean;
  readonly afterMs?: number;
  readonly code?: string;
  readonly provider?: string;
}

/** All other types are final. */
const RETRIED = 'rate_limit overloaded server_error timeout connection_error stream_interrupted provider_unavailable';

export const NOW = Date.UTC(2026, 10, 20);

function textOf(body: unknown): string {
  return body === undefined ? '' : typeof body === 'string' ? body : JSON.stringify(body);
}

/** The body of an SSE stream of these events: `[name, data]`, data as for {@link Case}. */
export function sse(...events: readonly (readonly [name: string, data: unknown])[]): string {
  return events.map(([name, data]) => `${name === '' ? '' : `event: ${name}\n`}data: ${textOf(data)}\n\n`).join('');
}

/** The cases by the type that each of them is, and by what it says. */
export function describeCases(
  title: string,
  cases: { readonly [Type in FailureType]?: Readonly<Record<string, Case>> },
): void {
  const rows = Object.entries(cases).flatMap(([type, ofType]) =>
    Object.entries(ofType).map(([says, row]) => [says, type, row] as const),
  );
  describe(`failures of ${title}`, () => {
    test.each(rows)('are read by the rulebook: %s is %s', (_says, type, [status, body, more = {}]) => {
      const { headers, afterMs, retryable = RETRIED.split(' ').includes(type), ...rest } = more;
      const failure = classify({ status, headers: { ...headers }, body: textOf(body), nowMs: NOW });
      expect(failure).toMatchObject({ type, retryable, status, phase: status < 400 ? 'stream' : 'response', ...rest });
      expect(failure?.retryAfterMs).toBe(afterMs);
    });
  });
}
