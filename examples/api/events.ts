import {
  autoRetryEvents,
  type AutoRetryEndEvent,
  type AutoRetryStartEvent,
  createRetryFetch,
  createRetryStore,
  createStreamWatch,
  describeEvent,
  type PendingRetry,
  type ProviderRetryEvent,
  providerRetryEvents,
  RetryController,
  type RetryCountdown,
  type RetryEvent,
  type RetryEventBase,
  type RetryState,
  type RetryStore,
  type StallKind,
  StalledStreamError,
  type StreamWatch,
  type StreamWatchOptions,
  TruncatedStreamError,
  watchRetry,
} from 'retry-transport';

/** Answers with an overload, and then with 200. */
const server = () => {
  const answers = [new Response(null, { status: 503 }), new Response('Hello')];
  return async () => answers.shift() ?? new Response('Hello');
};

// #region events
const listen = (event: RetryEvent): void => {
  const { requestId }: RetryEventBase = event;
  if (event.type === 'recovered') console.log(event.attempts, requestId); // → 2 call-1
  if (event.type === 'retry') console.log(describeEvent(event)); // → overloaded (HTTP 503): retry 1 of 3 now
};
await createRetryFetch(server(), { onEvent: listen, requestId: 'call-1', baseDelayMs: 0 })('https://api.example.com/');
// #endregion

// #region a store for a view
const controller = new RetryController();
const store: RetryStore = createRetryStore(controller);
store.subscribe(() => {
  const state: RetryState = store.getSnapshot();
  if (state.status === 'ended') console.log(state.type); // → recovered
});
await createRetryFetch(server(), { controller, baseDelayMs: 0 })('https://api.example.com/');
// #endregion

// #region a countdown
const line = (wait: RetryCountdown | null): void => {
  if (wait === null) return;
  const { retry, maxRetries }: PendingRetry = wait;
  console.log(`${wait.secondsLeft} s, retry ${retry} of ${maxRetries}`); // → 5 s, retry 1 of 3
};
const waiting = new RetryController();
const stop = watchRetry(waiting, line);
const call = createRetryFetch(server(), { controller: waiting, baseDelayMs: 5_000, jitter: 'none' });
const answer = call('https://api.example.com/');
await new Promise((resolve) => void waiting.subscribe(resolve));
waiting.retryNow();
await answer;
stop();
// #endregion

// #region a watch
// A stream that goes silent, or ends too early, fails; it does not pass as a short answer.
const watched = createRetryFetch({ streamWatch: createStreamWatch() });
console.log(typeof watched); // → function
// #endregion

// #region a stream that must end
const limits: StreamWatchOptions = { idleTimeoutMs: 60_000 };
const streamWatch: StreamWatch = createStreamWatch(limits);
const cut = 'data: {"object":"chat.completion.chunk","choices":[{"delta":{"content":"Hel"}}]}\n\n';
const head = { headers: { 'content-type': 'text/event-stream' } };
const streaming = createRetryFetch(async () => new Response(cut, head), { streamWatch });
const stream = await streaming('https://api.openai.com/v1/chat/completions', {
  method: 'POST',
  body: '{"stream":true}',
});
try {
  const pieces = new TextDecoderStream();
  for await (const text of stream.body?.pipeThrough(pieces) ?? []) console.log(text === cut); // → true
} catch (error) {
  if (error instanceof TruncatedStreamError) console.log(error.failure.type); // → stream_interrupted
}
// #endregion

// #region a stream that went silent
const explain = (error: unknown): string => {
  if (!(error instanceof StalledStreamError)) return String(error);
  const kind: StallKind = error.kind;
  return kind === 'bytes' ? 'nothing came any more' : `only pings since ${error.lastEvent}`;
};
console.log(explain(new Error('something else'))); // → Error: something else
// #endregion

// #region events of another shape: pi
const start: (event: AutoRetryStartEvent | AutoRetryEndEvent) => void = (event) => console.log(event.type); // → auto_retry_start → auto_retry_end
await createRetryFetch(server(), { onEvent: autoRetryEvents(start), baseDelayMs: 0 })('https://api.example.com/');
// #endregion

// #region events of another shape: a conversation
const emit = (event: ProviderRetryEvent): void => console.log(event.type, event.turnId); // → provider-retry 7
const turn = { conversationId: 'c', turnId: '7' };
await createRetryFetch(server(), { onEvent: providerRetryEvents(turn, emit), baseDelayMs: 0 })(
  'https://api.example.com/',
);
// #endregion
