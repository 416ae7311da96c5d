/** General words of a refusal inside a 5xx, most as servers have sent them, and transient failures whose words are alike. */

import { describe, expect, test } from 'vitest';
import { classify } from '../../src/classify/classify.ts';

/** Each of the messages with its status. */
const rowsOf = (messages: Readonly<Record<number, readonly string[]>>) =>
  Object.entries(messages).flatMap(([status, texts]) => texts.map((message) => [Number(status), message] as const));

const read = (status: number, body: unknown) => classify({ status, body: JSON.stringify(body) });

describe('a 5xx that refuses the request in general words is not retried', () => {
  test.each(
    rowsOf({
      500: [
        'response_format type must be one of text or json_object, but got: json_schema',
        'execute() got an unexpected keyword argument "target_url"',
        'ModelLoadError: failed to load p_v1.pt. Please ensure model is saved using torchscript.',
        'litellm.InternalServerError: OpenAIException - no models are enabled',
        'AWS authorization failure: the identity lacks a right',
        'Streaming is required for operations that may take longer than 10 minutes.',
        '1 validation error for FileTable: Input should be a valid dictionary',
        'Hosted_vllmException - create() got an unexpected keyword argument "context_management"',
        "OpenAIException - 'ascii' codec can't encode characters in position 7-13",
        'audio too long for a single pass; enable long-audio mode',
        'The max allowed tokens per batch is 600000. Your batch has 707403.',
        'ValidationException: text: Input should be a valid string',
        ...['Invalid OAuth 2.0 Access Token', 'no such file or directory: /models/m-1', 'The input cannot be empty'],
        ...['the tokenizer has no chat template', "The model's safety guardrails were triggered.", 'input is empty'],
        ...['Failed to load image or audio file', 'Application consent revoked'],
        ...['input new_sensitive (1026)', "AI isn't configured; ask the administrator."],
        ...['No tool calls but found tool output', 'Duplicate item found with id msg_123.'],
        ...['Unsupported image format: tiff', "You don't have permission to use this endpoint"],
        ...['no such column: resource_time_is_manual', 'wallet already exists', 'Audio file missing'],
        ...['Missing environment variables', 'No trading permissions.'],
        ...['This video may be inappropriate for some users.', 'LLM raktas nesukonfigūruotas.'],
        ...['Clé API Gemini manquante.', 'TMDB_API_KEY faltante', 'GEMINI_API_KEY saknas', 'Der API-Schlüssel fehlt'],
        ...['未找到 xelatex，请先安装', '服务端缺少 OPENAI_API_KEY 环境变量。'],
        ...['当前模型不支持图片', '模型配置缺失', 'サーバー設定エラー'],
        ...['rpc error: code = Unknown desc = unimplemented', '账号不足，请补充账号'],
        "llama runner process has terminated: error loading model: unknown model architecture: 'm1'",
        "'m-vision' is no longer compatible with your version of Ollama and has been replaced by a newer version",
        'mlx runner failed: Error: MLX runner not available: build with mlx tag (exit: exit status 1)',
        'Traceback (most recent call last): File "/app/model.py", line 89, in predict KeyError: "messages"',
        'the API version is no longer supported by this gateway',
        ...['This binary was not compiled with grammar support', 'this model requires a newer version of the server'],
        ...['this key only allows chat models', 'Unable to access model m-1.', "KeyError: 'prompt'"],
        'the selected key has no permission for this model',
      ],
      502: [
        'A positive credit balance is required for all requests, so fallback providers remain available.',
        'No compatible official account is available for this image request',
        'Request entity too large for the upstream provider.',
        ...["name 'unique_schemas' is not defined", 'no inference route for agent', 'speech service 401'],
        'The model could not answer (404)',
        'upstream stream error: The `content[].thinking` in the thinking mode must be passed back to the API.',
        'upstream error: tool results must be provided after the tool calls',
      ],
      503: [
        'alpha-forge command not found in PATH. Install AlphaForge',
        'Reauthentication is needed. Please run gcloud auth application-default login to reauthenticate.',
        ...['response blocked by content filter', '账户数据库同步未配置', 'Summaries are not enabled'],
        ...['push notifications are disabled', 'voice not found', 'Service misconfigured', 'AI features are disabled'],
        ...['登录 Cookie 已过期', 'GEMINI_API_KEY가 설정되지 않았습니다.', '分组 default 下对于模型 无可用渠道'],
        'No available channels for model  in group default',
        'No available accounts: this group only allows Claude Code clients',
        'Token error: No accounts available with quota for model: m-1',
        'The tokenizer is missing a chat template',
      ],
    }),
  )('a %i stops the call: %s', (status, message) => {
    expect(read(status, { error: { message } })?.retryable).toBe(false);
  });

  test('a name counts where the message says nothing', () => {
    expect(read(503, { code: 'PARTNER_SUSPENDED' })?.retryable).toBe(false);
    expect(read(500, { error: { code: 'server_not_configured', message: 'upstream' } })?.retryable).toBe(false);
  });

  test('details count as the message does', () => {
    expect(read(500, { error: 'Failed to upload', details: 'Invalid API key' })?.retryable).toBe(false);
    expect(read(500, { error: 'Failed to fetch', details: 'YouTube API error: 403' })?.retryable).toBe(false);
  });

  test('its type is that of its words, as with any other status', () => {
    expect(read(503, { error: { message: 'Images are not supported' } })?.type).toBe('unsupported_feature');
    expect(read(500, { error: { message: 'unknown model architecture: m-1' } })?.type).toBe('model_not_found');
    expect(read(500, { error: { message: 'the name is required' } })?.type).toBe('invalid_request');
  });
});

describe('a 5xx whose words are alike, but which may pass, is retried', () => {
  test.each(
    rowsOf({
      500: [
        "invalid character 'å' looking for beginning of value (request id: 20231121193930285582120)",
        'llama-server returned invalid tool call arguments for parse_tex: unexpected end of JSON input',
        'Failed to generate completions: instance_id=758 not found for endpoint',
        ...['Unknown error processing the request message', 'Model output must be a valid JSON object'],
        ...['CUDA error: invalid configuration argument', 'dial tcp: lookup api on 10.0.0.2:53: no such host'],
        ...['KV slot not found', 'token is not valid yet: clock skew', 'You must wait for a free slot'],
        'instance m-1 not found',
        'llama runner process has terminated: error loading model: llama-server killed',
        'llama runner process has terminated: signal: killed',
        'could not load model: rpc error: code = Canceled desc =',
        'Failed to load model. The model has crashed without additional information. (Exit code: 6)',
        'An error occurred, there is no answer. Please contact support',
        'error loading model: failed to allocate buffer of size 1941258240',
        ...['unable to load model: not enough memory right now', 'Failed to load model: the server is busy'],
        ...['the model runner is no longer responding', 'runner process no longer running: -1'],
        ...['Failed to load model: EngineCore died unexpectedly', 'The request must be retried'],
        'failed to load model: context deadline exceeded',
      ],
      502: [
        ...['Error: getaddrinfo ENOTFOUND api.example.com', 'Unknown host name: api.example.com'],
        ...['LLM returned invalid category', 'unreachable (503), after a refusal (401)'],
      ],
      503: [
        'no reachable llm source is configured for this model',
        'Endpoint is scaled to zero. A cold start is required.',
        'every indexer is disabled after failures (until 14:05)',
        ...['Streaming is not supported right now', 'session not found', 'not found', 'no healthy upstream'],
        ...['The model must be loaded first, loading now', 'This model is disabled for maintenance'],
        ...['Requests are not allowed at this time, retry later', '连接失败，请检查网络配置'],
        'Cannot load model while another model is loading',
        'high load on model m-1',
      ],
      504: ['The input is required'],
      529: ['The model must not be empty'],
    }),
  )('a %i is sent again: %s', (status, message) => {
    expect(read(status, { error: { message } })?.retryable).toBe(true);
  });

  test('a name about a connection does not make it final', () => {
    expect(read(502, { error: { code: 'upstream_config_unavailable', message: 'try' } })?.retryable).toBe(true);
  });

  test('its name counts before its words', () => {
    const body = { error: { type: 'overloaded_error', message: 'the queue must be empty' } };
    expect(read(503, body)).toMatchObject({ type: 'overloaded', retryable: true });
  });
});
