/** Failures written out as tables: what a server says, and what that is. */

import { describe, expect, test } from 'vitest';
import { classify } from '../../src/classify/classify.ts';
import type { FailureType } from '../../src/failure/failure.ts';

export interface Case {
  readonly says: string;
  readonly status: number;
  /** Text as it is; anything else as JSON. */
  readonly body?: unknown;
  readonly headers?: Readonly<Record<string, string>>;
  readonly is: FailureType;
  readonly retryable: boolean;
  readonly afterMs?: number;
  readonly code?: string;
  readonly provider?: string;
}

export const NOW = Date.UTC(2026, 10, 20);

function textOf(body: unknown): string {
  return body === undefined ? '' : typeof body === 'string' ? body : JSON.stringify(body);
}

/** The body of an SSE stream of these events: `[name, data]`, data as for {@link Case}. */
export function sse(...events: readonly (readonly [name: string, data: unknown])[]): string {
  return events.map(([name, data]) => `${name === '' ? '' : `event: ${name}\n`}data: ${textOf(data)}\n\n`).join('');
}

export function describeCases(title: string, cases: readonly Case[]): void {
  describe(`failures of ${title}`, () => {
    test.each(cases.map((row): [string, Case] => [row.says, row]))('are read by the rulebook: %s', (_says, row) => {
      const failure = classify({ status: row.status, headers: { ...row.headers }, body: textOf(row.body), nowMs: NOW });
      expect(failure).toMatchObject({
        type: row.is,
        retryable: row.retryable,
        status: row.status,
        phase: row.status < 400 ? 'stream' : 'response',
        ...(row.code === undefined ? {} : { code: row.code }),
        ...(row.provider === undefined ? {} : { provider: row.provider }),
      });
      expect(failure?.retryAfterMs).toBe(row.afterMs);
    });
  });
}
