import { createRetryFetch, GateRefusedError, outcomeOf, presets } from 'retry-transport';

const retrying = createRetryFetch(presets.recommended);

/**
 * Answers a request of your server within `limitMs`, however many calls to a model it makes. Set `limitMs` a few
 * seconds below `maxDuration`, so that your server, and not its host, says what happened.
 */
export async function answerWithin(limitMs: number, work: (fetch: typeof globalThis.fetch) => Promise<Response>) {
  const startedAt = Date.now();
  const deadline = AbortSignal.timeout(limitMs);
  // A wait that would end too late is not begun: the call ends at once, and its last response says why.
  const fetch: typeof globalThis.fetch = (input, init) => {
    const maxElapsedMs = Math.max(1, startedAt + limitMs - Date.now());
    return retrying.with({ maxElapsedMs })(input, { ...init, signal: init?.signal ?? deadline });
  };
  try {
    return await work(fetch);
  } catch (error) {
    if (!deadline.aborted && !(error instanceof GateRefusedError)) throw error;
    const attempts = outcomeOf(error)?.attempts ?? 0;
    return Response.json({ error: 'The model is busy. Try again in a minute.', attempts }, { status: 503 });
  }
}
