import { describeCases } from './cases.ts';

const error = (message: string, type: string, code: number): unknown => ({
  object: 'error',
  message,
  type,
  param: null,
  code,
});

describeCases('vLLM', [
  // https://github.com/NousResearch/hermes-agent/issues/68451
  {
    says: 'an error in a stream without an error object',
    status: 200,
    body: 'data: {"choices":null,"error_type":"BadRequestError","error_message":"The prompt exceeds the maximum model length"}\n\n',
    is: 'context_too_long',
    retryable: false,
  },
  {
    says: 'an overload in a stream without an error object',
    status: 200,
    body: 'data: {"choices":null,"error_type":"overloaded","error_message":"The engine is overloaded"}\n\n',
    is: 'overloaded',
    retryable: true,
  },
  {
    says: 'a model that does not exist',
    status: 404,
    body: error('The model `x` does not exist.', 'NotFoundError', 404),
    is: 'model_not_found',
    retryable: false,
  },
  {
    says: 'a context in the wording of last year',
    status: 400,
    body: error(
      "This model's maximum context length is 1024 tokens. However, you requested 1029 tokens.",
      'BadRequestError',
      400,
    ),
    is: 'context_too_long',
    retryable: false,
  },
  {
    says: 'a bad request',
    status: 400,
    body: {
      error: {
        message: 'temperature must be non-negative, got -1.',
        type: 'BadRequestError',
        param: 'temperature',
        code: 400,
      },
    },
    is: 'invalid_request',
    retryable: false,
  },
  {
    says: 'a bad request in a stream',
    status: 200,
    headers: { 'content-type': 'text/event-stream' },
    body: `data: ${JSON.stringify({ error: { message: 'temperature must be non-negative', type: 'BadRequestError', param: null, code: 400 } })}\n\ndata: [DONE]\n\n`,
    is: 'invalid_request',
    retryable: false,
  },
  {
    says: 'an internal error in a stream',
    status: 200,
    headers: { 'content-type': 'text/event-stream' },
    body: `data: ${JSON.stringify({ error: error('EngineCore encountered an issue.', 'InternalServerError', 500) })}\n\n`,
    is: 'server_error',
    retryable: true,
  },
  {
    says: 'an error object in a JSON answer',
    status: 200,
    body: error('EngineCore encountered an issue.', 'InternalServerError', 500),
    is: 'server_error',
    retryable: true,
  },
]);
