import { describeCases, sse } from './cases.ts';

const ndjson = { 'content-type': 'application/x-ndjson' };

describeCases('Ollama and llama.cpp', {
  overloaded: {
    'a full queue': [
      503,
      { error: 'server busy, please try again.  maximum pending requests exceeded' },
      { provider: 'ollama' },
    ],
    'an overloaded cloud': [503, { error: 'Server overloaded, please retry shortly (ref: 5f0c)' }],
    'an overload in a stream before any word': [
      200,
      '{"model":"m","message":{"role":"assistant","content":""},"done":false}\n{"error":"Server overloaded, please retry shortly (ref: 1)"}\n',
      { headers: ndjson },
    ],
  },
  server_error: {
    'a runner that stopped': [
      500,
      { error: 'model runner has unexpectedly stopped, this may be due to resource limitations' },
    ],
    'an error in a stream, as its only line': [
      200,
      '{"error":"an error was encountered while running the model: unexpected EOF"}\n',
      { headers: ndjson },
    ],
    'an error in a stream after a word': [
      200,
      '{"model":"m","message":{"role":"assistant","content":"Hi"},"done":false}\n{"error":"unexpected EOF"}\n',
      { headers: ndjson, retryable: false },
    ],
    // https://github.com/ollama/ollama/issues/17638
    "a tool call that it cannot read, whatever the model's words are": [
      500,
      {
        error:
          'error parsing tool call: raw=\'{"content":"Free tier: 50 requests per day, spending limit, try again in 15 minutes"}]\', err=invalid character',
      },
    ],
    // https://github.com/ggml-org/llama.cpp/issues/20761
    "an output that it cannot read, whatever the model's words are": [
      500,
      {
        error: {
          code: 500,
          message: 'Failed to parse input at pos 1360: <tool_call>\nyour account has been suspended, payment required',
          type: 'server_error',
        },
      },
    ],
  },
  context_too_long: {
    'input above the context': [400, { error: 'the input length exceeds the context length' }],
    'llama.cpp’s context': [
      400,
      {
        error: {
          code: 400,
          message: 'the request exceeds the available context size, try increasing it',
          type: 'exceed_context_size_error',
          n_prompt_tokens: 9000,
          n_ctx: 4096,
        },
      },
    ],
    // https://github.com/ggml-org/llama.cpp/pull/10030
    'an input beyond the context, behind a 500': [
      500,
      { error: { code: 500, message: 'input is larger than the max context size. skipping', type: 'server_error' } },
    ],
    'an input beyond the batch, behind a 500': [
      500,
      {
        error: {
          code: 500,
          message: 'input is too large to process. increase the physical batch size',
          type: 'server_error',
        },
      },
    ],
    // https://github.com/cline/cline/issues/3664
    "an input beyond LM Studio's context, in a stream": [
      200,
      sse([
        'error',
        {
          error: {
            message:
              'Trying to keep the first 10136 tokens when context the overflows. However, the model is loaded with context length of only 7866 tokens, which is not enough.',
          },
        },
      ]),
    ],
    // https://github.com/Gitlawb/openclaude/issues/353
    "an input beyond LM Studio's context": [
      400,
      {
        error:
          'The number of tokens to keep from the initial prompt is greater than the context length (n_keep: 13055>= n_ctx: 4096).',
      },
    ],
  },
  invalid_request: {
    // https://github.com/lmstudio-ai/lmstudio-bug-tracker/issues/618
    'a path that LM Studio does not have, with a 200': [
      200,
      { error: 'Unexpected endpoint or method. (POST /chat/completions)' },
    ],
  },
});
