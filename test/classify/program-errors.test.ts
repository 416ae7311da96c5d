import { expect, test } from 'vitest';
import { classify } from '../../src/classify/classify.ts';

const isRetried = (text: string) => classify({ error: new Error(text) })?.retryable;

test.each([
  "Failed to start server 'playwright': spawn npx ENOENT",
  'McpServerUnavailable: request timed out after 30000 ms',
  'MCPClient#onStderr ERROR - HTTP error 500: {"error":"Internal Error occured while trying to handle the call"}',
  'Connection failed: spawn Unknown system error -8',
  'Failed to create chat model: unexpected error',
  'Embedding model failed to initialize',
  "No module named 'litellm.proxy'",
  'bash: ollama: command not found',
  'Gemini CLI is not installed or unavailable',
  'Connection to server got closed. Server will not be restarted.',
  'The Copilot Language Server crashed 5 times in the last 3 minutes',
  'TypeError: this.client.chat.completions.create is not a function',
  'Object of type AIMessage is not JSON serializable',
  "'ChatCompletion' object has no attribute 'get'",
  "AttributeError: 'OpenAI' object has no attribute 'responses'",
  'pydantic_core._pydantic_core.ValidationError: 1 validation error for Settings',
  'Invalid input: expected string, received undefined',
  'Missing environment variable: ANTHROPIC_API_KEY',
  'No LLM provider selected',
  'Failed to create session: connection failed',
  "error TS2345: Argument of type 'Response' is not assignable",
  "Error: Cannot find module './providers/openai'",
  'sqlite3.OperationalError: database is locked',
  'database connection timeout while saving response',
  'json: cannot unmarshal string into Go struct field Response.choices of type int',
  'java.lang.IllegalStateException: No ChatModel bean available',
  'cudaErrorNoKernelImageForDevice: no kernel image is available for execution on the device',
  'CUDA error: device-side assert triggered during inference',
  'error loading model: unable to allocate backend buffer',
  'Test timed out waiting for model response',
  "AssertionError: expected response to equal 'hi'",
  'Failed to initialize tool registry: connection failed',
  'MCP transport error: process exited',
])('an error of a program or of its set-up is not retried: %s', (text) => {
  expect(isRetried(text)).toBe(false);
});

test.each(['Failed to create model response: timeout', 'Failed to start a reply: connection reset by peer'])(
  'a failed call with similar words is retried: %s',
  (text) => {
    expect(isRetried(text)).toBe(true);
  },
);

test.each([
  'Error from MCP server: fetch failed',
  'Streamable HTTP error: fetch failed',
  "Server error '502 Bad Gateway' for url 'http://127.0.0.1:8000/mcp'",
  'Error: connect ECONNREFUSED 127.0.0.1:6379',
  'internal server error: no available node, plugin runtime not found',
  'The agent returned an error result: No conversation found with session ID: s-1',
])('the network of another system says nothing of a model: %s', (text) => {
  expect(isRetried(text)).toBe(false);
});

test.each([
  'openai.APIConnectionError: Connection error.\n  File "/lib/redis/cache.py", line 12, in get',
  "HTTPConnectionPool(host='host.docker.internal', port=11434): Max retries exceeded with url: /api/chat",
])('a text that also names a model, or a host of Docker, is still retried: %s', (text) => {
  expect(isRetried(text)).toBe(true);
});
