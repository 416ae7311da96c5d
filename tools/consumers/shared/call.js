// What a program of any kind does with the package: one call that fails with 429 and is answered at the second attempt.
import { createRetryFetch, outcomeOf } from 'retry-transport';

// At the level of the module and over the global fetch, which is replaced afterwards, as frameworks do.
const retryFetch = createRetryFetch();

/** @returns {Promise<string>} the answer, after one retry */
export async function retriedCall() {
  const answers = [
    new Response('{"error":{"type":"rate_limit_error"}}', { status: 429, headers: { 'retry-after': '0' } }),
    new Response('{"answer":"Hello"}'),
  ];
  const { fetch } = globalThis;
  Object.assign(globalThis, { fetch: async () => answers.shift() ?? Response.error() });
  try {
    const response = await retryFetch('https://api.example.test/v1/messages', { method: 'POST', body: '{}' });
    const attempts = outcomeOf(response)?.history.length;
    const { answer } = /** @type {{ answer: string }} */ (await response.json());
    if (answer !== 'Hello' || attempts !== 2) throw new Error(`Expected one retry, got ${attempts ?? 1} attempts.`);
    return answer;
  } finally {
    Object.assign(globalThis, { fetch });
  }
}
