import { createRetryFetch, formatDelay, outcomeOf } from 'retry-transport';

const endsAt = Date.now() + 50_000;
const signal = AbortSignal.timeout(50_000);
const fetch = createRetryFetch();

for (const city of ['Zürich', 'Genève', 'Lugano']) {
  // Each call may wait for the rest of the 50 s.
  const within = fetch.with({ maxElapsedMs: Math.max(0, endsAt - Date.now()) });
  const body = JSON.stringify({ model: 'gpt-5', input: `The weather in ${city}` });
  const headers = { authorization: 'Bearer your-key', 'content-type': 'application/json' };
  try {
    const response = await within('https://api.openai.com/v1/responses', { method: 'POST', headers, body, signal });
    console.log(city, response.status);
  } catch (error) {
    for (const { failure, durationMs } of outcomeOf(error)?.history ?? [])
      console.log(city, failure?.type, formatDelay(durationMs));
  }
}
