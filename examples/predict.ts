import { calculateBackoff, createRetryFetch, formatDelay, presets } from 'retry-transport';
import { retryHint } from 'retry-transport/retry-after';

// One wait: retries count from 0, and `random` is an argument.
const shortest = calculateBackoff(2, 1_000, 60_000, 2, 0.2, () => 0);
const longest = calculateBackoff(2, 1_000, 60_000, 2, 0.2, () => 1);
console.log(`the third wait: ${shortest} to ${longest} ms`);

// The wait that a server asks for, and where it says so.
console.log(retryHint({ body: '{"error":{"message":"Please try again in 1.898s."}}' }));

// A whole policy: the server is always down, and the clock jumps over the waits.
let now = 0;
const down = createRetryFetch({
  fetch: async () => new Response(null, { status: 503 }),
  ...presets.patient,
  runtime: { now: () => now, sleep: async (ms) => void (now += ms) },
  onEvent: (event) => {
    if (event.type === 'failed') console.log(`${event.attempts} attempts in ${formatDelay(event.elapsedMs)}`);
  },
});
await down('https://api.example.com/v1/chat');
