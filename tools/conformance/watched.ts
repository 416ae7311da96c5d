import { createRetryFetch } from '../../src/index.ts';

/** The bodies of the observations end anywhere, so their end is not checked. */
const answers = { checkEnd: false, idleTimeoutMs: 180_000, outputTimeoutMs: 300_000 };

/** A fetch whose every body is watched: it says that each response is a stream, until the response is handed over. */
export function watching(inner: typeof globalThis.fetch): typeof globalThis.fetch {
  const asStreams: typeof globalThis.fetch = async (...args) => {
    const response = await inner(...args);
    return Object.defineProperty(response, 'headers', {
      value: { get: (name: string) => (name.toLowerCase() === 'content-type' ? 'text/event-stream' : null) },
      configurable: true,
    });
  };
  const fetch = createRetryFetch({ fetch: asStreams, maxRetries: 0, answers });
  const watchingFetch: typeof globalThis.fetch = async (...args) => {
    const response = await fetch(...args);
    Reflect.deleteProperty(response, 'headers');
    return response;
  };
  const { name, length } = inner;
  return Object.defineProperties(watchingFetch, { name: { value: name }, length: { value: length } });
}
