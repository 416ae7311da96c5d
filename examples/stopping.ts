import { createRetryFetch, outcomeOf } from 'retry-transport';

const fetch = createRetryFetch({
  maxTotalDelayMs: 120_000,
  maxElapsedMs: 300_000,
  onEvent: (event) => {
    if (event.type !== 'failed') return;
    const possible = event.possibleAt === undefined ? '' : `, possible at ${new Date(event.possibleAt).toISOString()}`;
    console.log(`gave up: ${event.because}${possible}`);
  },
});

// Your own signal covers the whole call and its waits.
const response = await fetch('https://api.openai.com/v1/models', { signal: AbortSignal.timeout(600_000) });
console.log(response.status, await response.text());
for (const { attempt, failure, delayMs } of outcomeOf(response)?.history ?? [])
  console.log(attempt, failure?.type, delayMs);
