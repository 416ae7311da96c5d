/**
 * Waits in error bodies. Every provider has an envelope of its own, and gateways put one into another, so the known
 * envelopes are opened to a fixed depth and the known fields looked for in each; nothing else in a body is believed,
 * since bodies echo requests.
 */

import { isObject, parseJson } from '../classify/json.ts';
import { messageHint } from './message.ts';
import { parseWait } from './wait.ts';

const ENVELOPES: ReadonlySet<string> = /* @__PURE__ */ new Set(
  /* @__PURE__ */ 'error errors detail details metadata availability response choices headers'.split(' '),
);
const MAX_DEPTH = 8;
/**
 * Strongest first. The first is google.rpc.RetryInfo's; `X-RateLimit-Reset` is in the copy of its headers that OpenRouter
 * sends along; the last four are texts for people.
 */
const FIELDS: readonly string[] =
  /* @__PURE__ */ 'retryDelay retry_after_ms retryAfterMs retry_after retryAfter resets_in_seconds quotaResetDelay resets_at X-RateLimit-Reset message error detail raw'.split(
    ' ',
  );
const FIRST_TEXT = 9;

/** What a parsed body says in the fields that may name a wait, the strongest first, and in its texts, one per line. */
export interface Words {
  readonly fields: readonly Found[];
  readonly text: string;
}

type Found = readonly [rank: number, value: string];

const SEARCHED_CHARACTERS = 65_536;
const MAX_EVENTS = 256;

/** The wait in milliseconds that a body names in one of its fields, or null. `nowMs` is what moments count from. */
export function bodyHint({ fields, text }: Words, nowMs: number): number | null {
  for (const [rank, value] of fields) {
    const ms = parseWait(FIELDS[rank] ?? '', value, nowMs);
    if (ms === null) continue;
    // Google rounds the field down and leaves the fraction in the message: 56s for 56.185908122s.
    const wordedMs = messageHint(text) ?? 0;
    return wordedMs > ms && wordedMs < ms + 1_000 ? wordedMs : ms;
  }
  return null;
}

/** Collects in one walk what a parsed body says of waits. */
export function readWords(parsed: unknown): Words {
  if (typeof parsed === 'string') return { fields: [], text: parsed };
  const found: Found[] = [];
  collect(parsed, found, 0);
  found.sort(([one], [other]) => one - other);
  const isText = ([rank]: Found): boolean => rank >= FIRST_TEXT;
  return {
    fields: found.filter((field) => !isText(field)),
    text: found
      .filter(isText)
      .map(([, text]) => text)
      .join('\n'),
  };
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

/** Simple values of known fields, in a body and in its envelopes. Own properties only. */
function collect(value: unknown, found: Found[], depth: number): void {
  if (!isObject(value) && !Array.isArray(value)) return;
  for (const name of Object.keys(value)) {
    const inner: unknown = Reflect.get(value, name);
    if (typeof inner === 'object') {
      if (depth < MAX_DEPTH && (Array.isArray(value) || ENVELOPES.has(name))) collect(inner, found, depth + 1);
      continue;
    }
    const rank = typeof inner === 'string' || typeof inner === 'number' ? FIELDS.indexOf(name) : -1;
    if (rank >= 0) found.push([rank, `${inner}`]);
  }
}
