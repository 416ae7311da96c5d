import { describeCases, sse } from './cases.ts';

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

  {
    // https://github.com/ggml-org/llama.cpp/pull/10030
    says: 'an input beyond the context, behind a 500',
    status: 500,
    body: {
      error: { code: 500, message: 'input is larger than the max context size. skipping', type: 'server_error' },
    },
    is: 'context_too_long',
    retryable: false,
  },
  {
    says: 'an input beyond the batch, behind a 500',
    status: 500,
    body: {
      error: {
        code: 500,
        message: 'input is too large to process. increase the physical batch size',
        type: 'server_error',
      },
    },
    is: 'context_too_long',
    retryable: false,
  },
  {
    // https://github.com/cline/cline/issues/3664
    says: "an input beyond LM Studio's context, in a stream",
    status: 200,
    body: sse([
      'error',
      {
        error: {
          message:
            'Trying to keep the first 10136 tokens when context the overflows. However, the model is loaded with context length of only 7866 tokens, which is not enough.',
        },
      },
    ]),
    is: 'context_too_long',
    retryable: false,
  },
  {
    // https://github.com/Gitlawb/openclaude/issues/353
    says: "an input beyond LM Studio's context",
    status: 400,
    body: {
      error:
        'The number of tokens to keep from the initial prompt is greater than the context length (n_keep: 13055>= n_ctx: 4096).',
    },
    is: 'context_too_long',
    retryable: false,
  },
  {
    // https://github.com/lmstudio-ai/lmstudio-bug-tracker/issues/618
    says: 'a path that LM Studio does not have, with a 200',
    status: 200,
    body: { error: 'Unexpected endpoint or method. (POST /chat/completions)' },
    is: 'invalid_request',
    retryable: false,
  },

  {
    // https://github.com/ollama/ollama/issues/17638
    says: "a tool call that it cannot read, whatever the model's words are",
    status: 500,
    body: {
      error:
        'error parsing tool call: raw=\'{"content":"Free tier: 50 requests per day, spending limit, try again in 15 minutes"}]\', err=invalid character',
    },
    is: 'server_error',
    retryable: true,
  },
  {
    // https://github.com/ggml-org/llama.cpp/issues/20761
    says: "an output that it cannot read, whatever the model's words are",
    status: 500,
    body: {
      error: {
        code: 500,
        message: 'Failed to parse input at pos 1360: <tool_call>\nyour account has been suspended, payment required',
        type: 'server_error',
      },
    },
    is: 'server_error',
    retryable: true,
  },
]);
