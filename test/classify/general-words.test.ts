/** General words of a refusal inside a 5xx, most as servers have sent them, and transient failures whose words are alike. */

import { describe, expect, test } from 'vitest';
import { classify } from '../../src/classify/classify.ts';

const read = (status: number, body: unknown) => classify({ status, body: JSON.stringify(body) });

describe('a 5xx that refuses the request in general words is not retried', () => {
  test.each([
    [500, 'incorrect padding'],
    [500, 'Invalid OAuth 2.0 Access Token'],
    [500, 'Invalid user_id: cannot be empty or whitespace-only'],
    [500, 'Invalid time value'],
    [500, 'invalid WAV RIFF header: audiocpp_upload_3.mp3'],
    [500, 'invalid interface name: "0bad"'],
    [500, 'unknown RVC voice id: notarealvoice'],
    [500, 'Unknown argument ensure_ascii for function tojson at row 11, column 37'],
    [500, 'llama-server process has terminated: exit status 1: error: invalid argument: --load-mode.'],
    [500, 'yue2.model_gguf must be relative to the Yue2 model root'],
    [500, 'response_format type must be one of text or json_object, but got: json_schema'],
    [500, 'execute() got an unexpected keyword argument "target_url"'],
    [500, 'column "source_line_item_id" does not exist'],
    [500, 'llama runner process has terminated: llama-server binary not found (checked: /usr/lib/ollama).'],
    [500, 'no such file or directory: /models/m-1'],
    [500, 'RAWG_API_KEY is not set on the server.'],
    [500, 'no available backend found. ERR: [wasm] Aborted(Error: ENOENT: no such file or directory, open "/m.onnx")'],
    [500, 'The input cannot be empty'],
    [500, 'Missing required field "id" in tasks/task-1.md'],
    [500, 'the tokenizer has no chat template'],
    [502, 'A positive credit balance is required for all requests, so fallback providers remain available.'],
    [502, 'no Exotel credentials configured'],
    [503, 'alpha-forge command not found in PATH. Install AlphaForge'],
    [500, 'Kokoro extension is not installed. Please install it to use Kokoro TTS features.'],
    [500, 'ModelLoadError: failed to load p_v1.pt. Please ensure model is saved using torchscript.'],
    [500, "The model's safety guardrails were triggered."],
    [502, "name 'unique_schemas' is not defined"],
    [503, 'AI Prompt is disabled'],
    [500, 'input is empty'],
    [503, 'model gpt-image-2 is only supported on /v1/images/generations and /v1/images/edits'],
    [500, 'could not open WAV input: speech.wav'],
    [500, 'Failed to load image or audio file'],
    [500, 'Chat provider for model copilot/m-1 is not registered.'],
    [500, 'Application consent revoked'],
    [500, 'input new_sensitive (1026)'],
    [503, 'response blocked by content filter'],
    [500, "AI isn't configured; ask the administrator."],
    [503, '账户数据库同步未配置'],
    [503, 'Summaries are not enabled'],
    [503, 'push notifications are disabled'],
    [500, 'no cookies configured'],
    [500, 'litellm.InternalServerError: OpenAIException - no models are enabled'],
    [502, 'no inference route for agent'],
    [502, 'No compatible official account is available for this image request'],
    [500, 'No proxy configuration found for requested model'],
    [500, 'FAL_API_KEY não configurada'],
    [500, 'AWS authorization failure: the identity lacks a right'],
    [500, 'open /etc/resolv.conf: permission denied'],
    [500, 'No tool calls but found tool output'],
    [500, 'Streaming is required for operations that may take longer than 10 minutes.'],
    [502, 'Request entity too large for the upstream provider.'],
    [503, 'Configured account requires re-authentication'],
    [503, 'No model loaded in Gallery. Open the app and load a model first.'],
    [500, '1 validation error for FileTable: Input should be a valid dictionary'],
    [500, 'Hosted_vllmException - create() got an unexpected keyword argument "context_management"'],
    [500, "OpenAIException - 'ascii' codec can't encode characters in position 7-13"],
    [500, "missing tensor 'output_norm.weight'"],
    [500, 'Duplicate item found with id msg_123.'],
    [503, 'voice not found'],
    [500, 'Unsupported image format: tiff'],
    [500, "You don't have permission to use this endpoint"],
    [503, 'Service misconfigured'],
    [500, 'No prompt provided'],
    [503, 'Reauthentication is needed. Please run gcloud auth application-default login to reauthenticate.'],
    [500, 'organization not found'],
    [500, 'column interventions.agence does not exist'],
    [500, 'no such column: resource_time_is_manual'],
    [500, 'wallet already exists'],
    [500, 'unknown object ID m-1'],
    [500, 'Audio file missing'],
    [500, 'Missing environment variables'],
    [500, 'Server configuration error'],
    [503, 'AI features are disabled'],
    [500, 'audio too long for a single pass; enable long-audio mode'],
    [500, 'The max allowed tokens per batch is 600000. Your batch has 707403.'],
    [500, 'ValidationException: text: Input should be a valid string'],
    [500, 'No trading permissions.'],
    [500, 'AWS credentials were not found'],
    [500, 'This video may be inappropriate for some users.'],
    [500, 'UserStore does not implement findByResetToken'],
    [500, 'Only absolute URLs are supported'],
    [500, 'LLM raktas nesukonfigūruotas.'],
    [500, 'Clé API Gemini manquante.'],
    [500, 'TMDB_API_KEY faltante'],
    [500, 'GEMINI_API_KEY saknas'],
    [500, 'Der API-Schlüssel fehlt'],
    [500, '未找到 xelatex，请先安装'],
    [500, '服务端缺少 OPENAI_API_KEY 环境变量。'],
    [503, '登录 Cookie 已过期'],
    [500, '当前模型不支持图片'],
    [500, '模型配置缺失'],
    [500, 'サーバー設定エラー'],
    [503, 'GEMINI_API_KEY가 설정되지 않았습니다.'],
    [500, 'rpc error: code = Unknown desc = unimplemented'],
    [500, 'invalid version'],
    [500, '账号不足，请补充账号'],
    [503, '分组 default 下对于模型 无可用渠道'],
    [503, 'No available channels for model  in group default'],
    [502, 'speech service 401'],
    [502, 'The model could not answer (404)'],
  ])('a %i stops the call: %s', (status, message) => {
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
  test.each([
    [500, "invalid character 'å' looking for beginning of value (request id: 20231121193930285582120)"],
    [500, 'llama-server returned invalid tool call arguments for parse_tex: unexpected end of JSON input'],
    [500, 'Failed to parse tool call arguments as JSON: [json.exception.parse_error.101] parse error at line 1'],
    [500, 'The model produced invalid content. Consider modifying your prompt.'],
    [500, 'quiz llm returned invalid structured output'],
    [500, 'Authentication backend unknown error.'],
    [500, 'Unknown error processing the request message'],
    [500, 'Missing content in model response'],
    [500, 'Invalid response format from AI'],
    [500, 'invalid tool call'],
    [500, 'Invalid JSON from model'],
    [500, 'Model output must be a valid JSON object'],
    [500, 'CUDA error: invalid configuration argument'],
    [500, 'runtime error: invalid memory address or nil pointer dereference'],
    [500, 'Internal error. Please provide the request ID abc to our support team.'],
    [500, 'dial tcp: lookup api on 10.0.0.2:53: no such host'],
    [500, 'Error: No such container: llama-1'],
    [500, 'Output cannot be empty'],
    [500, 'Failed to generate completions: instance_id=758 not found for endpoint'],
    [500, 'KV slot not found'],
    [500, 'Expected status 200 but got 503'],
    [500, 'token is not valid yet: clock skew'],
    [502, 'The server closed before authentication'],
    [503, 'Streaming is not supported right now'],
    [503, 'no active accounts: 36 are blocked by their limits'],
    [502, 'An invalid response was received from the upstream server'],
    [502, 'Error: getaddrinfo ENOTFOUND api.example.com'],
    [502, 'Could not reach Ollama. Please ensure Ollama is running.'],
    [502, 'Unknown host name: api.example.com'],
    [502, 'Expected tool call but found text'],
    [503, 'session not found'],
    [503, 'not found'],
    [503, 'Unable to verify API key right now.'],
    [500, 'Failed to validate api key token.'],
    [503, 'API key validation unavailable'],
    [502, 'All API Keys failed'],
    [502, 'fetch failed (cause: ENOTFOUND: getaddrinfo ENOTFOUND api.example.com)'],
    [502, 'Did not observe any item within 60000ms (and no fallback has been configured)'],
    [503, 'no reachable llm source is configured for this model'],
    [500, "__init__() missing 2 required positional arguments: 'supervisor_address'"],
    [503, 'A tool call requires_action'],
    [500, 'unknown model error'],
    [500, 'unknown type of error occurred'],
    [503, 'Server is starting. Please use the status page.'],
    [500, 'You must wait for a free slot'],
    [500, 'too many open files'],
    [503, 'The number of concurrent requests exceeds the limit'],
    [503, 'Grammar compilation is temporarily unavailable'],
    [503, 'no healthy upstream'],
    [503, 'model not loaded yet'],
    [503, 'The model must be loaded first, loading now'],
    [503, 'Endpoint is scaled to zero. A cold start is required.'],
    [503, 'This model is disabled for maintenance'],
    [503, 'Requests are not allowed at this time, retry later'],
    [504, 'The input is required'],
    [529, 'The model must not be empty'],
    [500, 'instance m-1 not found'],
    [500, 'missing closing quote'],
    [500, 'Unknown job status'],
    [502, 'LLM returned invalid category'],
    [503, 'every indexer is disabled after failures (until 14:05)'],
    [503, 'The number of max allowed connections is reached'],
    [502, 'unreachable (503), after a refusal (401)'],
    [503, '[m-1] [403]: HTTP 403 (reset after 1m 29s)'],
    [503, '未找到可用渠道'],
    [503, '连接失败，请检查网络配置'],
    [500, '缺少 JSON 逗号'],
    [502, 'No se pudo descargar la imagen'],
  ])('a %i is sent again: %s', (status, message) => {
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
  test.each([
    [500, 'unable to load model: /models/blobs/sha256-1bb3'],
    [500, "error loading model: missing tensor 'output.weight'"],
    [500, "llama runner process has terminated: error loading model: unknown model architecture: 'm1'"],
    [500, 'Failed to load model from file: /models/m-1.gguf'],
    [500, 'could not load model - all backends returned error: 25 errors occurred'],
    [500, "'m-vision' is no longer compatible with your version of Ollama and has been replaced by a newer version"],
    [500, 'mlx runner failed: Error: MLX runner not available: build with mlx tag (exit: exit status 1)'],
    [500, 'This binary was not compiled with grammar support'],
    [500, 'this model requires a newer version of the server'],
    [500, 'model architecture not supported: m-1'],
    [500, 'Cannot load model m-1: unsupported quantization'],
    [502, 'account has no Codex backend access token'],
    [503, 'No available accounts: this group only allows Claude Code clients'],
    [500, 'this key only allows chat models'],
    [500, 'No available Claude accounts support the requested model: m-1'],
    [503, 'no providers support the parameter tools'],
    [503, 'Token error: No accounts available with quota for model: m-1'],
    [500, 'Unable to access model m-1.'],
    [502, 'upstream stream error: The `content[].thinking` in the thinking mode must be passed back to the API.'],
    [500, 'Traceback (most recent call last): File "/app/model.py", line 89, in predict KeyError: "messages"'],
    [500, "KeyError: 'prompt'"],
    [502, 'upstream error: tool results must be provided after the tool calls'],
    [500, 'invalid model file: bad magic'],
    [500, 'the selected key has no permission for this model'],
    [503, 'The tokenizer is missing a chat template'],
    [500, 'the API version is no longer supported by this gateway'],
    [503, 'This group only supports Gemini models'],
    [500, 'unsupported model architecture'],
    [500, 'user has no access token'],
  ])('a cause that stays is not retried, %i: %s', (status, message) => {
    expect(read(status, { error: { message } })?.retryable).toBe(false);
  });

  test.each([
    [500, 'llama runner process has terminated: error loading model: llama-server killed'],
    [500, 'llama runner process has terminated: signal: killed'],
    [500, 'failed to load model: timed out waiting for server to start'],
    [500, 'unable to load model: not enough memory right now'],
    [500, 'error loading model: unable to allocate CUDA0 buffer'],
    [500, 'could not load model: rpc error: code = Canceled desc ='],
    [500, 'could not load model: rpc error: code = Unavailable desc = connection refused'],
    [503, 'Loading model'],
    [503, 'model is loading, try again later'],
    [503, 'no available accounts'],
    [503, 'No available accounts: all accounts are rate limited'],
    [503, 'all accounts are busy'],
    [503, 'no accounts available, retry later'],
    [500, 'Failed to load model: the server is busy'],
    [500, 'the model runner is no longer responding'],
    [500, 'runner process no longer running: -1'],
    [500, "KeyError: 'choices'"],
    [503, 'this node only allows 5 requests at a time'],
    [503, 'server only allows one request at a time'],
    [500, 'Failed to load model. The model has crashed without additional information. (Exit code: 6)'],
    [500, 'Failed to load model: EngineCore died unexpectedly'],
    [500, 'The response must be parsed as JSON'],
    [500, 'An error occurred, there is no answer. Please contact support'],
    [500, 'CUDA out of memory'],
    [503, 'pool has no available accounts'],
    [503, 'model m-1 has no healthy instances'],
    [500, 'worker is no longer alive'],
    [500, 'The request must be retried'],
    [500, 'failed to download model: connection reset by peer'],
    [503, 'Cannot load model while another model is loading'],
    [502, 'All backends returned error'],
    [503, 'high load on model m-1'],
    [500, 'error loading model: failed to allocate buffer of size 1941258240'],
    [500, 'failed to load model: context deadline exceeded'],
  ])('a cause that passes is retried, %i: %s', (status, message) => {
    expect(read(status, { error: { message } })?.retryable).toBe(true);
  });
});
