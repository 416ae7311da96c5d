import { setupWorker } from 'msw/browser';
import { completions } from 'retry-transport/mocks';
import { replay } from 'retry-transport/mocks/msw';

const answer = { recording: completions.anthropicStream('Here I am again.'), delayMs: 800, chunkDelayMs: 120 };
await setupWorker(
  replay('https://api.anthropic.com/v1/messages', 'anthropic-429-overloaded-bare', 'nginx-502-html', answer),
).start();
