import { ExponentialBackoff, handleAll, handleWhen, type Policy, retry } from 'cockatiel';
import { type Client, defaultsAndBest, PATIENCE, type Program } from '../client.ts';
import { overRepeat } from './chat-by-hand.ts';

class HttpError extends Error {
  readonly status: number;
  constructor(status: number, text: string) {
    super(`HTTP ${status}: ${text}`);
    this.status = status;
  }
}

async function send(url: string, init: RequestInit): Promise<Response> {
  const response = await fetch(url, init);
  if (!response.ok) throw new HttpError(response.status, await response.text());
  return response;
}

interface Options {
  readonly policy: Policy;
  readonly maxAttempts: number;
  readonly waits: { readonly initialDelay?: number; readonly maxDelay?: number };
}

/** Three attempts, as its README has them. */
const asInstalled: Options = { policy: handleAll, maxAttempts: 3, waits: {} };

function overPolicy(origin: string, { policy, maxAttempts, waits } = asInstalled): Program {
  const retrying = retry(policy, { maxAttempts, backoff: new ExponentialBackoff(waits) });
  return overRepeat(origin, (work) => retrying.execute(work), send);
}

const best: Options = {
  policy: handleWhen((error) => !(error instanceof HttpError) || error.status === 429 || error.status >= 500),
  maxAttempts: PATIENCE.retries,
  waits: { initialDelay: PATIENCE.firstDelayMs, maxDelay: PATIENCE.longestDelayMs },
};
export default {
  name: 'cockatiel',
  package: 'cockatiel',
  api: 'chat',
  documentation: 'https://github.com/connor4312/cockatiel#retry',
  settings: defaultsAndBest(overPolicy, best),
} satisfies Client;
