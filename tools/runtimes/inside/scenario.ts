/**
 * The checks for every runtime: the promises of the package, over answers in memory and over the runtime's own fetch
 * and sockets. It uses nothing that only one runtime has.
 */

import {
  classify,
  createRetryFetch,
  FetchTransport,
  RetryController,
  RetryTransport,
  type RetryConfig,
  outcomeOf,
} from 'retry-transport';
import { createLLM } from 'retry-transport/llm';
import { parseRetryAfterHeader } from 'retry-transport/retry-after';
import { equal, type Outcome, runChecks, thrownBy } from './check.ts';
import { inMemory, overSockets, type Place } from './place.ts';
import {
  answer,
  answerStream,
  completion,
  cutAnswer,
  cutConnection,
  cutStream,
  endlessStream,
  hanging,
  overloadedStream,
  rateLimit,
  shortAnswer,
  spentQuota,
} from './steps.ts';

export interface Surroundings {
  /** The origin of the server that plays the answers. */
  readonly origin: string;
  /** An address without a server. */
  readonly refusedUrl: string;
}

const HOUR_MS = 3_600_000;
const POST = { method: 'POST', body: '{"stream":true}' };
const quick = { baseDelayMs: 1, maxDelayMs: 5, jitter: 'none' } as const satisfies RetryConfig;
const patient = { maxRetryAfterMs: 2 * HOUR_MS } as const satisfies RetryConfig;

export const toTheEnd = { answers: { holdUntil: 'end' } } as const satisfies RetryConfig;

export function runScenario({ origin, refusedUrl }: Surroundings): Promise<readonly Outcome[]> {
  const sockets = overSockets(origin);
  return runChecks([...checksIn(inMemory), ...checksIn(sockets), ...checksOfTheRuntime(sockets, refusedUrl)]);
}

function checksIn(place: Place): [name: string, check: () => Promise<void>][] {
  const checks: Readonly<Record<string, () => Promise<void>>> = {
    async 'a rate limit is waited out, and the very Response comes back'() {
      const scene = await place.play(rateLimit(5), answer);
      const given: Response[] = [];
      const retryFetch = createRetryFetch({
        fetch: async (input, init) => {
          const response = await scene.fetch(input, init);
          given.push(response);
          return response;
        },
      });
      const response = await retryFetch(scene.url, POST);
      equal(given.indexOf(response), 1, 'which of the inner responses came back');
      equal(await response.text(), answer.body.join(''), 'body');
      equal(await scene.requests(), [POST.body, POST.body], 'requests');
    },

    async 'an exhausted quota costs one request'() {
      const scene = await place.play(spentQuota, answer);
      const response = await createRetryFetch({ fetch: scene.fetch })(scene.url, POST);
      equal([response.status, await response.text()], [429, spentQuota.body.join('')], 'response');
      equal((await scene.requests()).length, 1, 'requests');
    },

    async 'a stream that opens with an overload is asked for again'() {
      const scene = await place.play(overloadedStream, answerStream);
      const response = await createRetryFetch({ fetch: scene.fetch, ...quick })(scene.url, POST);
      equal(await response.text(), answerStream.body.join(''), 'stream');
      equal((await scene.requests()).length, 2, 'requests');
    },

    async 'a stream that breaks after its first words is asked for again if it is held to its end'() {
      const scene = await place.play(cutAnswer, answerStream);
      const response = await createRetryFetch({ fetch: scene.fetch, ...quick, ...toTheEnd })(scene.url, POST);
      equal(await response.text(), answerStream.body.join(''), 'stream');
      equal((await scene.requests()).length, 2, 'requests');
    },

    async 'a watched stream that ends after its first words is an error that says so'() {
      const scene = await place.play(shortAnswer);
      const response = await createRetryFetch({
        fetch: scene.fetch,
        answers: { checkEnd: true, idleTimeoutMs: 180_000, outputTimeoutMs: 300_000 },
      })(scene.url, POST);
      const error = await thrownBy(response.text());
      equal(error instanceof Error && error.name, 'TruncatedStreamError', 'name of the error');
      equal((await scene.requests()).length, 1, 'requests');
    },

    async 'an abort during the wait rejects with its reason'() {
      const scene = await place.play(rateLimit(HOUR_MS), answer);
      const caller = new AbortController();
      const reason = new Error('The reader has left.');
      const onRetry = (): void => void setTimeout(() => caller.abort(reason), 1);
      const retryFetch = createRetryFetch({ fetch: scene.fetch, ...patient, onRetry });
      equal(
        (await thrownBy(retryFetch(scene.url, { ...POST, signal: caller.signal }))) === reason,
        true,
        'same reason',
      );
      equal((await scene.requests()).length, 1, 'requests');
    },

    async 'retryNow ends a wait of an hour'() {
      const scene = await place.play(rateLimit(HOUR_MS), answer);
      const controller = new RetryController();
      const onRetry = (): void => void setTimeout(() => controller.retryNow(), 1);
      const response = await createRetryFetch({ fetch: scene.fetch, ...patient, controller, onRetry })(scene.url, POST);
      equal(response.status, 200, 'status');
      equal((outcomeOf(response)?.history ?? []).length, 2, 'attempts in the history');
    },

    async 'RetryTransport asks a FetchTransport again'() {
      const scene = await place.play(rateLimit(5), answer, rateLimit(5), answer);
      const transport = new RetryTransport(new FetchTransport({ fetch: scene.fetch }));
      equal(await (await transport.post(scene.url, { question: 6 })).json(), { answer: 42 }, 'answer to post');
      equal(await (await transport.get(scene.url)).json(), { answer: 42 }, 'answer to get');
      equal(await scene.requests(), ['{"question":6}', '{"question":6}', '', ''], 'requests');
    },
  };
  return Object.entries(checks).map(([name, check]) => [`${place.name}: ${name}`, check]);
}

function checksOfTheRuntime(sockets: Place, refusedUrl: string): [name: string, check: () => Promise<void>][] {
  return Object.entries({
    async 'the global fetch is what is asked when none is given'() {
      const { url, requests } = await sockets.play(rateLimit(5), answer, rateLimit(5), answer);
      equal((await createRetryFetch()(url, POST)).status, 200, 'status of the fetch');
      equal((await new RetryTransport(new FetchTransport()).post(url, {})).status, 200, 'status of the transport');
      equal((await requests()).length, 4, 'requests');
    },

    async 'a request with a key is sent, and follows no redirect'() {
      const redirect = { status: 307, headers: { location: '/elsewhere' }, body: [] };
      const { url, requests } = await sockets.play(answer, redirect);
      const transport = new FetchTransport({ headers: { 'x-api-key': 'invented-key' } });
      equal((await transport.post(url, {})).status, 200, 'status');
      const end = await transport.post(url, {}).then(
        (response) => response.ok,
        () => false,
      );
      equal(end, false, 'whether the redirect was a success');
      equal((await requests()).length, 2, 'requests');
    },

    async 'a refused connection is a connection_error, and retried'() {
      const error = await thrownBy(fetch(refusedUrl));
      const failure = classify({ error });
      const said = error instanceof Error ? `${error.name}: ${error.message}` : String(error);
      equal([failure?.type, failure?.retryable], ['connection_error', true], `what “${said}” is`);
      const last = await thrownBy(createRetryFetch({ ...quick, maxRetries: 2 })(refusedUrl));
      equal(last instanceof Error && (outcomeOf(last)?.history ?? []).length, 3, 'attempts in the history');
    },

    async 'a connection that is cut before the answer is retried'() {
      const { url, requests } = await sockets.play(cutConnection, answer);
      equal((await createRetryFetch(quick)(url, POST)).status, 200, 'status');
      equal((await requests()).length, 2, 'requests');
    },

    async 'a stream that is cut before its first content is asked for again'() {
      const { url, requests } = await sockets.play(cutStream, answerStream);
      const response = await createRetryFetch(quick)(url, POST);
      equal(await response.text(), answerStream.body.join(''), 'stream');
      equal((await requests()).length, 2, 'requests');
    },

    async 'an attempt that hangs is ended by attemptTimeoutMs, and retried'() {
      const { url, requests } = await sockets.play(hanging, answer);
      // On a busy machine a further attempt may take too long as well.
      const retrying = createRetryFetch({ ...quick, attemptTimeoutMs: 500, maxRetries: 20 });
      equal((await retrying(url, POST)).status, 200, 'status');
      equal((await requests()).length > 1, true, 'whether it was sent again');
    },

    async 'an abort in flight rejects with its reason'() {
      const { url, requests } = await sockets.play(hanging);
      const caller = new AbortController();
      const reason = new Error('The reader has left.');
      const thrown = thrownBy(createRetryFetch(quick)(url, { ...POST, signal: caller.signal }));
      while ((await requests()).length === 0);
      caller.abort(reason);
      equal((await thrown) === reason, true, 'same reason');
      equal((await requests()).length, 1, 'requests');
    },

    async 'an abort before a released stream is read leaves no rejection unhandled'() {
      const { url } = await sockets.play(endlessStream);
      const caller = new AbortController();
      const response = await createRetryFetch(quick)(url, { ...POST, signal: caller.signal });
      equal([response.status, response.bodyUsed], [200, false], 'an unread answer');
      await new Promise((resolve) => setTimeout(resolve, 50));
      caller.abort();
      // A runtime ends the program within this time.
      await new Promise((resolve) => setTimeout(resolve, 50));
    },

    async 'retry-transport/retry-after reads a header'() {
      equal(parseRetryAfterHeader('Sat, 21 Nov 2026 12:00:10 GMT', Date.UTC(2026, 10, 21, 12)), 10_000, 'wait in ms');
    },

    async 'retry-transport/llm gets its answer at the second request'() {
      const { url, requests } = await sockets.play(rateLimit(5), completion);
      const llm = createLLM('openai', { apiKey: 'invented-key', baseURL: url, retry: {} });
      const { text } = await llm.generateCompletion({ model: 'm', messages: [{ role: 'user', content: '6 × 7?' }] });
      equal(text, '42', 'text');
      equal((await requests()).length, 2, 'requests');
    },
  });
}
