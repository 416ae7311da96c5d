/**
 * Counts the requests of one call: those that an SDK sends, alone or over this package, until it answers or gives up.
 */

import { createRetryFetch } from '../../src/index.ts';
import type { ApiServer } from './api-server.ts';
import type { Client } from './clients/index.ts';
import type { FastTime } from './fast-time.ts';
import type { Situation } from './situations.ts';

/** The layer that retries: the SDK, both, both with the mark on the last response, or this package. */
export type Arrangement = 'alone' | 'both' | 'both-marked' | 'ours';

export interface Count {
  readonly requests: number;
  /** `empty`: a success without text. `asleep`: the SDK has begun to wait for an hour or more. */
  readonly end: 'answer' | 'empty' | 'error' | 'asleep';
}

export async function countRequests(
  server: ApiServer,
  time: FastTime,
  client: Client,
  situation: Situation,
  arrangement: Arrangement,
): Promise<Count> {
  const scene = server.play(...situation.steps[client.api]);
  const woken = new AbortController();
  let isAsleep = false;
  time.onLongWait = () => {
    isAsleep = true;
    setImmediate(() => woken.abort());
  };
  const question = {
    baseUrl: scene.baseUrl,
    fetch:
      arrangement === 'alone'
        ? undefined
        : createRetryFetch({ runtime: time.runtime(), exhausted: arrangement === 'both-marked' ? 'mark' : 'return' }),
    ownRetries: arrangement === 'ours' ? 'off' : 'on',
    signal: woken.signal,
  } as const;
  try {
    const text = await (situation.isStreamed ? client.stream(question) : client.ask(question));
    return { requests: scene.requests.length, end: text === '' ? 'empty' : 'answer' };
  } catch {
    return { requests: scene.requests.length, end: isAsleep ? 'asleep' : 'error' };
  } finally {
    time.onLongWait = undefined;
  }
}
