import type { HttpCall } from '../../src/http/http-call.ts';
import { resolveHttp } from '../../src/http/http-policy.ts';
import { watchStream } from '../../src/http/watch.ts';
import type { RetryConfig } from '../../src/index.ts';
import { operationFrom } from '../../src/options/operation.ts';

interface WatchedCall {
  readonly asksForText?: boolean;
  readonly signal?: AbortSignal;
  readonly secrets?: readonly string[];
  readonly onBreak?: (because: string, error: unknown) => void;
}

/** Watches the stream of a call, by default of one to a model. */
export function watchBody(response: Response, answers: RetryConfig['answers'], call: WatchedCall = {}): void {
  const { asksForText = true, signal, secrets = [], onBreak = () => {} } = call;
  const face: HttpCall = {
    policy: resolveHttp('createRetryFetch', { answers }),
    signal,
    method: 'POST',
    url: asksForText ? 'https://api.openai.com/v1/chat/completions' : 'https://api.example.com/events',
    body: undefined,
    words: { operation: undefined, modelShape: 'none' },
    readWords: async () => {},
    replayable: true,
    secrets,
    operation: operationFrom('read', () => 'read'),
  };
  watchStream(face, response, (because, error) => onBreak(because, error));
}
