/**
 * Waits in error bodies. Every provider has an envelope of its own, and gateways put one into another, so the known
 * envelopes are opened to a fixed depth and the known fields looked for in each; nothing else in a body is believed,
 * since bodies echo requests.
 */

import { parseJson } from './json.ts';
import { messageHint } from './message.ts';
import { parseWait } from './wait.ts';

const ENVELOPES: readonly string[] =
  /* @__PURE__ */ 'error errors detail details metadata availability response choices headers'.split(' ');
const MAX_DEPTH = 8;
/**
 * Strongest first. The first is google.rpc.RetryInfo's; `retryafterseconds` is OpenRouter's, and the last is in the copy
 * of its headers that it sends along.
 */
const WAITS: readonly string[] =
  /* @__PURE__ */ 'retrydelay retryafterms retryafter retryafterseconds resetseconds resetsinseconds quotaresetdelay resetsat xratelimitreset'.split(
    ' ',
  );
const TEXTS = ['message', 'error', 'detail', 'raw'];

/**
 * The simple values in a body and in its envelopes, by name: in lower case and without `-` and `_`, which everybody
 * writes another way.
 */
export type Words = ReadonlyMap<string, readonly string[]>;

const SEARCHED_CHARACTERS = 65_536;
const MAX_EVENTS = 256;

/** The wait in milliseconds that a body names in one of its fields, or null. `nowMs` is what moments count from. */
export function bodyHint(words: Words, nowMs: number): number | null {
  for (const name of WAITS) {
    for (const value of words.get(name) ?? []) {
      const ms = parseWait(name, value, nowMs);
      if (ms === null) continue;
      // Google rounds the field down and leaves the fraction in the message: 56s for 56.185908122s.
      const wordedMs = messageHint(messagesIn(words), nowMs) ?? 0;
      return wordedMs > ms && wordedMs < ms + 1_000 ? wordedMs : ms;
    }
  }
  return null;
}

/** The texts of a body that are meant for people, one per line. */
export function messagesIn(words: Words): string {
  return TEXTS.flatMap((name) => words.get(name) ?? []).join('\n');
}

/** Collects in one walk what a parsed body says. */
export function readWords(parsed: unknown): Words {
  const words = new Map<string, string[]>();
  collect(typeof parsed === 'string' ? { message: parsed } : parsed, words, 0);
  return words;
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

/** `entries` sees own properties only. */
function collect(value: unknown, words: Map<string, string[]>, depth: number): void {
  if (typeof value !== 'object' || value === null || depth > MAX_DEPTH) return;
  const members: readonly [string, unknown][] = Object.entries(value);
  for (const [name, inner] of members) {
    if (typeof inner === 'string' || typeof inner === 'number') {
      const key = name.toLowerCase().replace(/[-_]/g, '');
      const values = words.get(key) ?? [];
      values.push(String(inner));
      words.set(key, values);
    } else if (Array.isArray(value) || ENVELOPES.includes(name)) collect(inner, words, depth + 1);
  }
}
