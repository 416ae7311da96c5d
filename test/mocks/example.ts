import { setupServer } from 'msw/node';
import { createRetryFetch } from 'retry-transport';
import { completions } from 'retry-transport/mocks';
import { replay } from 'retry-transport/mocks/msw';

const url = 'https://api.anthropic.com/v1/messages';
const messages = replay(url, 'anthropic-429-overloaded-bare', 'nginx-502-html', completions.anthropic('Hello'));
const server = setupServer(messages);

server.listen();
const fetch = createRetryFetch({ baseDelayMs: 1 });
const response = await fetch(url, { method: 'POST', body: '{}' });
console.log(response.status, 'after', messages.requests.length, 'requests'); // 200 after 3 requests
server.close();
