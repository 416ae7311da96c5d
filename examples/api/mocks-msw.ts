import { completions } from 'retry-transport/mocks';
import { replay, type ReplayHandler } from 'retry-transport/mocks/msw';

// A handler for `setupServer` in Node, and for `setupWorker` in a browser.
const handler: ReplayHandler = replay('https://api.openai.com/*', 'nginx-502-html', completions.openai('Hello'));
console.log(handler.requests.length); // → 0
