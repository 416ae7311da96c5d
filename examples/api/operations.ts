import {
  createFallback,
  createKeyRotation,
  createRetryFetch,
  type FallbackChain,
  type FallbackOptions,
  type FallbackRequest,
  type FallbackTarget,
  type KeyRotationOptions,
  type Operation,
  type OperationContext,
  type OperationRetryConfig,
  RetrySession,
  retryStream,
  type StreamRetryConfig,
  withRetry,
} from 'retry-transport';

// #region any function
const operation: Operation<string> = async ({ attempt }: OperationContext) => {
  if (attempt === 1) throw Object.assign(new Error('read ECONNRESET'), { code: 'ECONNRESET' });
  return `attempt ${attempt}`;
};
const config: OperationRetryConfig = { maxRetries: 2, baseDelayMs: 0 };
console.log(await withRetry(operation, config)); // → attempt 2
// #endregion

// #region a stream of objects
async function* words({ attempt }: OperationContext): AsyncGenerator<string> {
  if (attempt === 1) throw Object.assign(new Error('read ECONNRESET'), { code: 'ECONNRESET' });
  yield `word ${attempt}`;
}
const streamConfig: StreamRetryConfig<string> = { baseDelayMs: 0, isContent: (word) => word !== '' };
for await (const word of retryStream(words, streamConfig)) console.log(word); // → word 2
// #endregion

// #region a session
const session = new RetrySession({ baseDelayMs: 0 });
console.log(await session.run(async () => 'done'), session.retries); // → done 0
// #endregion

// #region another model
const haiku: FallbackTarget = { name: 'haiku', model: 'claude-haiku-5', kind: 'error' };
const options: FallbackOptions = { targets: [haiku], maxRetriesBeforeFallback: 0 };
const fallback: FallbackChain = createFallback(options);
console.log(typeof createRetryFetch({ fallback })); // → function
// #endregion

// #region another server
const elsewhere: FallbackTarget = {
  name: 'elsewhere',
  rewrite: (request: FallbackRequest) => ({
    ...request,
    url: request.url.replace('api.example.com', 'eu.example.com'),
  }),
};
const asked: string[] = [];
const moved = createRetryFetch({
  fetch: async (url) => {
    asked.push(new URL(String(url)).host);
    return new Response(null, { status: asked.length === 1 ? 503 : 200 });
  },
  fallback: createFallback({ targets: [elsewhere], maxRetriesBeforeFallback: 0 }),
  baseDelayMs: 0,
});
await moved('https://api.example.com/v1/chat/completions', { method: 'POST', body: '{"model":"m"}' });
console.log(asked.join()); // → api.example.com,eu.example.com
// #endregion

// #region several keys
const keys: KeyRotationOptions = { keys: ['key-1', 'key-2'] };
console.log(typeof createRetryFetch({ fallback: createKeyRotation(keys) })); // → function
// #endregion
