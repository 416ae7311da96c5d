/**
 * Waits in error bodies. Every provider has its own envelope, and gateways nest them, so the known envelopes are opened
 * to a fixed depth and the known fields are read in each. Other members are ignored, because bodies quote requests.
 */

import { type JsonObject, isObject, parseJson } from '../runtime/values.ts';
import { messageHint } from './message.ts';
import { parseWait } from './wait.ts';

/** The members that may contain an error, in lower case. `delta`: Cohere, at the end of a stream. */
const ENVELOPE =
  /^(errors?|fault|details?|metadata|availability|response|choices|headers|innererror|violations|base_resp|delta)$/;
export const MAX_DEPTH = 8;

/** A member of a body, and its position. */
export interface Member {
  /** In lower case. */
  readonly key: string;
  readonly value: unknown;
  /** The envelope that contains it; '' at the top. */
  readonly envelope: string;
  readonly depth: number;
  readonly owner: JsonObject;
}

/** Visits the own members of a body and of the envelopes in it, in order. */
export function walkBody(body: unknown, visit: (member: Member) => void, envelope = '', depth = 0): void {
  if (depth > MAX_DEPTH) return;
  if (Array.isArray(body)) {
    for (const item of body) walkBody(item, visit, envelope, depth + (Array.isArray(item) ? 1 : 0));
    return;
  }
  if (!isObject(body)) return;
  for (const name of Object.keys(body)) {
    const key = name.toLowerCase();
    const value = body[name];
    visit({ key, value, envelope, depth, owner: body });
    if (ENVELOPE.test(key)) walkBody(value, visit, key, depth + 1);
  }
}

/**
 * The members that name a wait, strongest first, without `-` and `_`, which differ between providers. The first is from
 * google.rpc.RetryInfo, `retryafterseconds` from OpenRouter, `estimatedtime` from Hugging Face for a model that loads.
 */
const WAITS =
  'retrydelay retrydelayms retryafterms retryafter retryafters retryafterseconds resetseconds resetsinseconds quotaresetdelay resetsat xratelimitreset estimatedtime';
/** The place of all members whose value counts only if it is a moment: so the end of the name says. */
const OTHER_MOMENTS = 'at';
const TEXT = /^(message|error|detail|raw|description)$/;

/** The values of the members of a body that may name a wait, strongest first, by the name without `-` and `_`. */
export type Waits = ReadonlyMap<string, string[]>;

/** A place for the waits of one body. The end of a name gives the unit: `ms` milliseconds, `at` a moment, otherwise seconds. */
export function waitMembers(): Waits {
  return new Map([...WAITS.split(' '), OTHER_MOMENTS].map((name) => [name, []]));
}

const bareName = (name: string): string => name.replace(/[-_]/g, '');

/** The parts of a body that may name a wait: members by name, and texts. */
export interface Words {
  readonly waits: Waits;
  readonly text: string;
}

const SEARCHED_CHARACTERS = 65_536;
const MAX_EVENTS = 256;

/** The wait in milliseconds that a member of the body names, or null. Moments count from `nowMs`. */
export function bodyHint({ waits, text }: Words, nowMs: number): number | null {
  for (const [name, values] of waits) {
    for (const value of values) {
      const ms = parseWait(name, value, nowMs);
      if (ms === null) continue;
      // Google rounds the field down, and the message has the fraction: 56s for 56.185908122s.
      const wordedMs = messageHint(text, nowMs) ?? 0;
      return wordedMs > ms && wordedMs < ms + 1_000 && wordedMs % 1_000 !== 0 ? wordedMs : ms;
    }
  }
  return null;
}

/**
 * A gateway's own name for the moment of the next request (`nextAccessTime`, `retry_at`, `availableUntil`). The value counts
 * only if it is a moment, and less than the members that are known.
 */
const MOMENT_NAME =
  /^(?:next|retry|resets?|available|blocked|locked|throttled|quotareset|ratelimitreset)[a-z]*(?:at|time|timestamp|until|date)$/;

/** Keeps a member that names a wait. */
export function keepWait(waits: Waits, { key, value }: Member): void {
  if (typeof value !== 'string' && typeof value !== 'number') return;
  const name = bareName(key);
  const place = waits.get(name) ?? (MOMENT_NAME.test(name) ? waits.get(OTHER_MOMENTS) : undefined);
  place?.push(String(value).slice(0, MAX_FIELD));
}

/** No duration and no date is longer. */
const MAX_FIELD = 128;

/** Keeps the members and texts of a parsed body or a text that may name a wait. */
export function readWords(parsed: unknown): Words {
  if (typeof parsed === 'string') return { waits: new Map(), text: parsed };
  const waits = waitMembers();
  const texts: string[] = [];
  walkBody(parsed, (member) => {
    keepWait(waits, member);
    if (typeof member.value === 'string' && TEXT.test(member.key)) texts.push(member.value);
  });
  return { waits, text: texts.join('\n') };
}

/**
 * Parses a body, or the beginning of one: JSON, also with a byte order mark; SSE or NDJSON as an array of values;
 * otherwise the text. Never throws, reads at most 64 KiB.
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
