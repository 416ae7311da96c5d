import { describeCases } from './cases.ts';

const ndjson = { 'content-type': 'application/x-ndjson' };

describeCases('Ollama and llama.cpp', [
  {
    says: 'a full queue',
    status: 503,
    body: { error: 'server busy, please try again.  maximum pending requests exceeded' },
    is: 'overloaded',
    retryable: true,
    provider: 'ollama',
  },
  {
    says: 'an overloaded cloud',
    status: 503,
    body: { error: 'Server overloaded, please retry shortly (ref: 5f0c)' },
    is: 'overloaded',
    retryable: true,
  },
  {
    says: 'a runner that stopped',
    status: 500,
    body: { error: 'model runner has unexpectedly stopped, this may be due to resource limitations' },
    is: 'server_error',
    retryable: true,
  },
  {
    says: 'input above the context',
    status: 400,
    body: { error: 'the input length exceeds the context length' },
    is: 'context_too_long',
    retryable: false,
  },
  {
    says: 'llama.cpp’s context',
    status: 400,
    body: {
      error: {
        code: 400,
        message: 'the request exceeds the available context size, try increasing it',
        type: 'exceed_context_size_error',
        n_prompt_tokens: 9000,
        n_ctx: 4096,
      },
    },
    is: 'context_too_long',
    retryable: false,
  },
  {
    says: 'an error in a stream, as its only line',
    status: 200,
    headers: ndjson,
    body: '{"error":"an error was encountered while running the model: unexpected EOF"}\n',
    is: 'server_error',
    retryable: true,
  },
  {
    says: 'an overload in a stream before any word',
    status: 200,
    headers: ndjson,
    body: '{"model":"m","message":{"role":"assistant","content":""},"done":false}\n{"error":"Server overloaded, please retry shortly (ref: 1)"}\n',
    is: 'overloaded',
    retryable: true,
  },
  {
    says: 'an error in a stream after a word',
    status: 200,
    headers: ndjson,
    body: '{"model":"m","message":{"role":"assistant","content":"Hi"},"done":false}\n{"error":"unexpected EOF"}\n',
    is: 'server_error',
    retryable: false,
  },
]);
