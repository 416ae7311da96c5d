import { describeCases } from './cases.ts';

const error = (message: string, type: string, code: number): unknown => ({
  object: 'error',
  message,
  type,
  param: null,
  code,
});

describeCases('vLLM', {
  context_too_long: {
    // https://github.com/NousResearch/hermes-agent/issues/68451
    'an error in a stream without an error object': [
      200,
      'data: {"choices":null,"error_type":"BadRequestError","error_message":"The prompt exceeds the maximum model length"}\n\n',
    ],
  },
  overloaded: {
    'an overload in a stream without an error object': [
      200,
      'data: {"choices":null,"error_type":"overloaded","error_message":"The engine is overloaded"}\n\n',
    ],
  },
  invalid_request: {
    'a bad request': [
      400,
      {
        error: {
          message: 'temperature must be non-negative, got -1.',
          type: 'BadRequestError',
          param: 'temperature',
          code: 400,
        },
      },
    ],
    'a bad request in a stream': [
      200,
      `data: ${JSON.stringify({ error: { message: 'temperature must be non-negative', type: 'BadRequestError', param: null, code: 400 } })}\n\ndata: [DONE]\n\n`,
      { headers: { 'content-type': 'text/event-stream' } },
    ],
  },
  server_error: {
    'an internal error in a stream': [
      200,
      `data: ${JSON.stringify({ error: error('EngineCore encountered an issue.', 'InternalServerError', 500) })}\n\n`,
      { headers: { 'content-type': 'text/event-stream' } },
    ],
    'an error object in a JSON answer': [200, error('EngineCore encountered an issue.', 'InternalServerError', 500)],
  },
});
