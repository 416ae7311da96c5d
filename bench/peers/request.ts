/** The request of all scenarios, of the size and shape of a small chat completion. */

export const URL_NOWHERE = 'http://127.0.0.1:9/v1/chat/completions';

const body = JSON.stringify({
  model: 'some-model',
  messages: [{ role: 'user', content: 'Why is the sky blue? Answer in one sentence.' }],
  stream: true,
});

export function requestInit(signal?: AbortSignal): RequestInit {
  const init: RequestInit = { method: 'POST', headers: { 'content-type': 'application/json' }, body };
  if (signal !== undefined) init.signal = signal;
  return init;
}

export const COMPLETION = JSON.stringify({
  id: 'chatcmpl-1',
  object: 'chat.completion',
  choices: [
    { index: 0, message: { role: 'assistant', content: 'Air scatters blue light most.' }, finish_reason: 'stop' },
  ],
});

export const RATE_LIMITED = JSON.stringify({
  error: { message: 'Rate limit reached for requests.', type: 'requests', param: null, code: 'rate_limit_exceeded' },
});
