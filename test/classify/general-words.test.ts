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
        'Invalid user_id: cannot be empty or whitespace-only',
        'Unknown argument ensure_ascii for function tojson at row 11, column 37',
        'llama-server process has terminated: exit status 1: error: invalid argument: --load-mode.',
        'yue2.model_gguf must be relative to the Yue2 model root',
        'response_format type must be one of text or json_object, but got: json_schema',
        'execute() got an unexpected keyword argument "target_url"',
        'llama runner process has terminated: llama-server binary not found (checked: /usr/lib/ollama).',
        'no available backend found. ERR: [wasm] Aborted(Error: ENOENT: no such file or directory, open "/m.onnx")',
        'Kokoro extension is not installed. Please install it to use Kokoro TTS features.',
        'ModelLoadError: failed to load p_v1.pt. Please ensure model is saved using torchscript.',
        'Chat provider for model copilot/m-1 is not registered.',
        'litellm.InternalServerError: OpenAIException - no models are enabled',
        'AWS authorization failure: the identity lacks a right',
        'Streaming is required for operations that may take longer than 10 minutes.',
        '1 validation error for FileTable: Input should be a valid dictionary',
        'Hosted_vllmException - create() got an unexpected keyword argument "context_management"',
        "OpenAIException - 'ascii' codec can't encode characters in position 7-13",
        'audio too long for a single pass; enable long-audio mode',
        'The max allowed tokens per batch is 600000. Your batch has 707403.',
        'ValidationException: text: Input should be a valid string',
        ...['incorrect padding', 'Invalid OAuth 2.0 Access Token', 'Invalid time value'],
        ...['invalid WAV RIFF header: audiocpp_upload_3.mp3', 'invalid interface name: "0bad"'],
        ...['unknown RVC voice id: notarealvoice', 'column "source_line_item_id" does not exist'],
        ...['no such file or directory: /models/m-1', 'RAWG_API_KEY is not set on the server.'],
        ...['The input cannot be empty', 'Missing required field "id" in tasks/task-1.md'],
        ...['the tokenizer has no chat template', "The model's safety guardrails were triggered.", 'input is empty'],
        ...[
          'could not open WAV input: speech.wav',
          'Failed to load image or audio file',
          'Application consent revoked',
        ],
        ...['input new_sensitive (1026)', "AI isn't configured; ask the administrator.", 'no cookies configured'],
        ...['No proxy configuration found for requested model', 'FAL_API_KEY não configurada'],
        ...['open /etc/resolv.conf: permission denied', 'No tool calls but found tool output'],
        ...["missing tensor 'output_norm.weight'", 'Duplicate item found with id msg_123.'],
        ...['Unsupported image format: tiff', "You don't have permission to use this endpoint", 'No prompt provided'],
        ...['organization not found', 'column interventions.agence does not exist'],
        ...['no such column: resource_time_is_manual', 'wallet already exists', 'unknown object ID m-1'],
        ...['Audio file missing', 'Missing environment variables', 'Server configuration error'],
        ...['No trading permissions.', 'AWS credentials were not found'],
        ...['This video may be inappropriate for some users.', 'UserStore does not implement findByResetToken'],
        ...['Only absolute URLs are supported', 'LLM raktas nesukonfigūruotas.', 'Clé API Gemini manquante.'],
        ...['TMDB_API_KEY faltante', 'GEMINI_API_KEY saknas', 'Der API-Schlüssel fehlt', '未找到 xelatex，请先安装'],
        ...['服务端缺少 OPENAI_API_KEY 环境变量。', '当前模型不支持图片', '模型配置缺失', 'サーバー設定エラー'],
        ...['rpc error: code = Unknown desc = unimplemented', 'invalid version', '账号不足，请补充账号'],
      ],
      502: [
        'A positive credit balance is required for all requests, so fallback providers remain available.',
        'No compatible official account is available for this image request',
        'Request entity too large for the upstream provider.',
        ...['no Exotel credentials configured', "name 'unique_schemas' is not defined", 'no inference route for agent'],
        ...['speech service 401', 'The model could not answer (404)'],
      ],
      503: [
        'alpha-forge command not found in PATH. Install AlphaForge',
        'model gpt-image-2 is only supported on /v1/images/generations and /v1/images/edits',
        'No model loaded in Gallery. Open the app and load a model first.',
        'Reauthentication is needed. Please run gcloud auth application-default login to reauthenticate.',
        ...['AI Prompt is disabled', 'response blocked by content filter', '账户数据库同步未配置'],
        ...['Summaries are not enabled', 'push notifications are disabled'],
        ...['Configured account requires re-authentication', 'voice not found', 'Service misconfigured'],
        ...['AI features are disabled', '登录 Cookie 已过期', 'GEMINI_API_KEY가 설정되지 않았습니다.'],
        ...['分组 default 下对于模型 无可用渠道', 'No available channels for model  in group default'],
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
        'Failed to parse tool call arguments as JSON: [json.exception.parse_error.101] parse error at line 1',
        'The model produced invalid content. Consider modifying your prompt.',
        'runtime error: invalid memory address or nil pointer dereference',
        'Internal error. Please provide the request ID abc to our support team.',
        'Failed to generate completions: instance_id=758 not found for endpoint',
        "__init__() missing 2 required positional arguments: 'supervisor_address'",
        ...['quiz llm returned invalid structured output', 'Authentication backend unknown error.'],
        ...['Unknown error processing the request message', 'Missing content in model response'],
        ...['Invalid response format from AI', 'invalid tool call', 'Invalid JSON from model'],
        ...['Model output must be a valid JSON object', 'CUDA error: invalid configuration argument'],
        ...['dial tcp: lookup api on 10.0.0.2:53: no such host', 'Error: No such container: llama-1'],
        ...['Output cannot be empty', 'KV slot not found', 'Expected status 200 but got 503'],
        ...['token is not valid yet: clock skew', 'Failed to validate api key token.', 'unknown model error'],
        ...['unknown type of error occurred', 'You must wait for a free slot', 'too many open files'],
        ...['instance m-1 not found', 'missing closing quote', 'Unknown job status', '缺少 JSON 逗号'],
      ],
      502: [
        'An invalid response was received from the upstream server',
        'Could not reach Ollama. Please ensure Ollama is running.',
        'fetch failed (cause: ENOTFOUND: getaddrinfo ENOTFOUND api.example.com)',
        'Did not observe any item within 60000ms (and no fallback has been configured)',
        ...['The server closed before authentication', 'Error: getaddrinfo ENOTFOUND api.example.com'],
        ...['Unknown host name: api.example.com', 'Expected tool call but found text', 'All API Keys failed'],
        ...['LLM returned invalid category', 'unreachable (503), after a refusal (401)'],
        'No se pudo descargar la imagen',
      ],
      503: [
        'no reachable llm source is configured for this model',
        'The number of concurrent requests exceeds the limit',
        'Endpoint is scaled to zero. A cold start is required.',
        'every indexer is disabled after failures (until 14:05)',
        ...['Streaming is not supported right now', 'no active accounts: 36 are blocked by their limits'],
        ...['session not found', 'not found', 'Unable to verify API key right now.', 'API key validation unavailable'],
        ...['A tool call requires_action', 'Server is starting. Please use the status page.'],
        ...['Grammar compilation is temporarily unavailable', 'no healthy upstream', 'model not loaded yet'],
        ...['The model must be loaded first, loading now', 'This model is disabled for maintenance'],
        ...['Requests are not allowed at this time, retry later', 'The number of max allowed connections is reached'],
        ...['[m-1] [403]: HTTP 403 (reset after 1m 29s)', '未找到可用渠道', '连接失败，请检查网络配置'],
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

describe('what local servers and pools of accounts say', () => {
  test.each(
    rowsOf({
      500: [
        "error loading model: missing tensor 'output.weight'",
        "llama runner process has terminated: error loading model: unknown model architecture: 'm1'",
        'could not load model - all backends returned error: 25 errors occurred',
        "'m-vision' is no longer compatible with your version of Ollama and has been replaced by a newer version",
        'mlx runner failed: Error: MLX runner not available: build with mlx tag (exit: exit status 1)',
        'No available Claude accounts support the requested model: m-1',
        'Traceback (most recent call last): File "/app/model.py", line 89, in predict KeyError: "messages"',
        'the API version is no longer supported by this gateway',
        ...['unable to load model: /models/blobs/sha256-1bb3', 'Failed to load model from file: /models/m-1.gguf'],
        ...['This binary was not compiled with grammar support', 'this model requires a newer version of the server'],
        ...['model architecture not supported: m-1', 'Cannot load model m-1: unsupported quantization'],
        ...['this key only allows chat models', 'Unable to access model m-1.', "KeyError: 'prompt'"],
        ...['invalid model file: bad magic', 'the selected key has no permission for this model'],
        ...['unsupported model architecture', 'user has no access token'],
      ],
      502: [
        'upstream stream error: The `content[].thinking` in the thinking mode must be passed back to the API.',
        'upstream error: tool results must be provided after the tool calls',
        'account has no Codex backend access token',
      ],
      503: [
        'No available accounts: this group only allows Claude Code clients',
        'Token error: No accounts available with quota for model: m-1',
        ...['no providers support the parameter tools', 'The tokenizer is missing a chat template'],
        'This group only supports Gemini models',
      ],
    }),
  )('a cause that stays is not retried, %i: %s', (status, message) => {
    expect(read(status, { error: { message } })?.retryable).toBe(false);
  });

  test.each(
    rowsOf({
      500: [
        'llama runner process has terminated: error loading model: llama-server killed',
        'llama runner process has terminated: signal: killed',
        'failed to load model: timed out waiting for server to start',
        'error loading model: unable to allocate CUDA0 buffer',
        'could not load model: rpc error: code = Canceled desc =',
        'could not load model: rpc error: code = Unavailable desc = connection refused',
        'Failed to load model. The model has crashed without additional information. (Exit code: 6)',
        'An error occurred, there is no answer. Please contact support',
        'error loading model: failed to allocate buffer of size 1941258240',
        ...['unable to load model: not enough memory right now', 'Failed to load model: the server is busy'],
        ...['the model runner is no longer responding', 'runner process no longer running: -1', "KeyError: 'choices'"],
        ...['Failed to load model: EngineCore died unexpectedly', 'The response must be parsed as JSON'],
        ...['CUDA out of memory', 'worker is no longer alive', 'The request must be retried'],
        ...['failed to download model: connection reset by peer', 'failed to load model: context deadline exceeded'],
      ],
      503: [
        'No available accounts: all accounts are rate limited',
        ...['Loading model', 'model is loading, try again later', 'no available accounts', 'all accounts are busy'],
        ...['no accounts available, retry later', 'this node only allows 5 requests at a time'],
        ...['server only allows one request at a time', 'pool has no available accounts'],
        ...['model m-1 has no healthy instances', 'Cannot load model while another model is loading'],
        'high load on model m-1',
      ],
      502: ['All backends returned error'],
    }),
  )('a cause that passes is retried, %i: %s', (status, message) => {
    expect(read(status, { error: { message } })?.retryable).toBe(true);
  });
});
