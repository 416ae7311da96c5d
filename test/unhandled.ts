/** Unhandled rejections end a Node process, so a test that leaves one behind has failed. */

import { afterEach, beforeEach } from 'vitest';
import { settle } from './script.ts';

/** Fails each test of the file that leaves a rejection unhandled. */
export function failOnUnhandled(): void {
  let unhandled: unknown[] = [];
  const note = (error: unknown): void => void unhandled.push(error);
  beforeEach(() => {
    unhandled = [];
    process.on('unhandledRejection', note);
  });
  afterEach(async () => {
    await settle();
    await settle();
    process.off('unhandledRejection', note);
    if (unhandled.length > 0) throw new AggregateError(unhandled, 'Left unhandled');
  });
}
