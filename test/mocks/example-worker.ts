import { setupWorker } from 'msw/browser';
import { completions, replay } from 'retry-transport/mocks';

const answer = { recording: completions.anthropicStream('Here I am again.'), delayMs: 800, chunkDelayMs: 120 };
await setupWorker(
  replay('https://api.anthropic.com/v1/messages', 'anthropic-429-overloaded-bare', 'nginx-502-html', answer),
).start();
