/**
 * Makes every observation: over the bare fetch, over `createRetryFetch()` around it, over the same without retries, and
 * over a fetch whose responses are all watched.
 */

import { createRetryFetch, type RetryConfig } from '../../src/index.ts';
import { type Observation, OBSERVATIONS, type Place, type Subject } from './observations.ts';
import { SHAPES } from './shapes.ts';
import { watching } from './watched.ts';

/** A fetch and the classes that belong to it. */
export type Classes = Omit<Subject, 'wrap'>;

/** What came of each observation, over each of the fetches. */
export type Seen = Record<string, Record<string, unknown>>;

/** Long enough for three retries, and short enough to notice a call that hangs. */
const LIMIT_MS = 10_000;

function within(observing: Promise<unknown>): Promise<unknown> {
  return new Promise((resolve) => {
    const timer = setTimeout(() => resolve('did not end'), LIMIT_MS);
    observing.then(resolve, (error: unknown) => resolve({ failed: String(error) })).finally(() => clearTimeout(timer));
  });
}

/**
 * @param hasNodeBodies whether the body of a response is a stream of Node, which is not watched
 * @param unhandled where the listener for unhandled rejections puts what it sees
 */
export async function observeAll(
  classes: Classes,
  place: Place,
  hasNodeBodies: boolean,
  unhandled: string[],
): Promise<Seen> {
  const retrying = (config: RetryConfig): Subject => {
    const wrap: Subject['wrap'] = (inner) => createRetryFetch({ fetch: inner, baseDelayMs: 1, ...config });
    return { ...classes, fetch: createRetryFetch({ fetch: classes.fetch, baseDelayMs: 1, ...config }), wrap };
  };
  const subjects: Readonly<Record<string, Subject>> = {
    bare: { ...classes, wrap: (inner) => inner },
    retries: retrying({}),
    'no retries': retrying({ maxRetries: 0 }),
    ...(!hasNodeBodies && { watched: { ...classes, fetch: watching(classes.fetch), wrap: watching } }),
  };
  const seen: Seen = {};
  for (const [title, observe] of Object.entries<Observation>({ ...OBSERVATIONS, ...SHAPES })) {
    const outcomes: Record<string, unknown> = {};
    for (const [name, subject] of Object.entries(subjects)) {
      unhandled.length = 0;
      const outcome = await within(observe(subject, place));
      await new Promise((resolve) => setTimeout(resolve));
      outcomes[name] = { outcome, unhandled: [...unhandled] };
    }
    seen[title] = outcomes;
  }
  return seen;
}
