/**
 * An async generator queues `return()` behind a pending `next()`: a consumer that leaves while it waits for the server
 * would wait on, with the request open. Here leaving aborts the work instead.
 */

import { abortWith, throwIfAborted } from '../runtime/abort.ts';

/**
 * Iterates over `generate`, under a signal that aborts when `signal` does, and when `return()` or `throw()` is called
 * while `next()` is pending. That `next()` then ends the iteration.
 */
export function abortOnReturn<T>(
  signal: AbortSignal | undefined,
  generate: (signal: AbortSignal) => AsyncIterable<T>,
): AsyncGenerator<T, void, undefined> {
  const work = new AbortController();
  let isWorking = false;
  let hasLeft = false;

  async function* iterate(): AsyncGenerator<T, void, undefined> {
    const release = abortWith(signal, work);
    isWorking = true;
    try {
      for await (const item of generate(work.signal)) {
        // More may have arrived before an abort.
        throwIfAborted(work.signal);
        isWorking = false;
        yield item;
        isWorking = true;
      }
    } catch (error) {
      if (!hasLeft) throw error;
    } finally {
      isWorking = false;
      release();
    }
  }

  function leave(): void {
    if (!isWorking) return;
    hasLeft = true;
    work.abort();
  }

  const iteration = iterate();
  const [end, raise] = [iteration.return.bind(iteration), iteration.throw.bind(iteration)];
  iteration.return = (value) => (leave(), end(value));
  iteration.throw = (error) => (leave(), raise(error));
  return iteration;
}
