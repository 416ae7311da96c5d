/**
 * Waits in error bodies. Every provider has an envelope of its own, and gateways put one into another, so the known
 * envelopes are opened to a fixed depth and the known fields looked for in each; nothing else in a body is believed,
 * since bodies echo requests.
 */

import { messageHint } from './message.ts';
import { parseWait } from './wait.ts';

const ENVELOPES = [
  'error',
  'errors',
  'detail',
  'details',
  'metadata',
  'availability',
  'response',
  'choices',
  'headers',
];
const MAX_DEPTH = 8;
/** Strongest first. The first is google.rpc.RetryInfo's; the last is in the copy of its headers that OpenRouter sends along. */
const WAITS = [
  'retryDelay',
  'retry_after_ms',
  'retryAfterMs',
  'retry_after',
  'retryAfter',
  'resets_in_seconds',
  'quotaResetDelay',
  'resets_at',
  'X-RateLimit-Reset',
];
const TEXTS = ['message', 'error', 'detail', 'raw'];

const SEARCHED_CHARACTERS = 65_536;
const MAX_EVENTS = 256;

/** The wait in milliseconds that a parsed body names in one of its fields, or null. `nowMs` is what moments count from. */
export function bodyHint(parsed: unknown, nowMs: number): number | null {
  for (const name of WAITS) {
    for (const value of valuesOf(name, parsed)) {
      const ms = parseWait(name, value, nowMs);
      if (ms === null) continue;
      // Google rounds the field down and leaves the fraction in the message: 56s for 56.185908122s.
      const wordedMs = messageHint(messagesIn(parsed)) ?? 0;
      return wordedMs > ms && wordedMs < ms + 1_000 ? wordedMs : ms;
    }
  }
  return null;
}

/** The texts of a parsed body that are meant for people, one per line. */
export function messagesIn(parsed: unknown): string {
  return typeof parsed === 'string' ? parsed : TEXTS.flatMap((name) => valuesOf(name, parsed)).join('\n');
}

/**
 * What a body, or the beginning of one, says: the value of its JSON (a byte order mark is no hindrance), an array of such
 * values where it is a stream of them as SSE or NDJSON, or else its text. Never throws, looks at no more than 64 KiB.
 */
export function readBody(body: string): unknown {
  const head = body.slice(0, SEARCHED_CHARACTERS).trim();
  const whole = parseJson(head);
  if (whole !== undefined) return whole;
  const events = head
    .match(/(?<=^(?:data: ?)?)\{.*/gm)
    ?.slice(0, MAX_EVENTS)
    .map(parseJson);
  return events?.some((event) => event !== undefined) ? events : head;
}

/** What simple values the field has in a body and in its envelopes. `entries` sees own properties only. */
function valuesOf(field: string, value: unknown, depth = 0): readonly string[] {
  if (typeof value !== 'object' || value === null || depth > MAX_DEPTH) return [];
  return Object.entries(value).flatMap(([name, inner]: [string, unknown]) => {
    if (name === field && (typeof inner === 'string' || typeof inner === 'number')) return [String(inner)];
    return Array.isArray(value) || ENVELOPES.includes(name) ? valuesOf(field, inner, depth + 1) : [];
  });
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
