import {
  type AnswerBroken,
  type AttemptDelayed,
  type AttemptSent,
  type CallCancelled,
  type CallFailed,
  type CallOutcome,
  type CallRecovered,
  createRetryFetch,
  describeEvent,
  type EventOf,
  outcomeOf,
  type PendingRetry,
  RetryController,
  type RetryCountdown,
  type RetryEvent,
  type RetryListener,
  type RetryPlanned,
  type RetryState,
  StalledStreamError,
  type TargetChanged,
  TruncatedStreamError,
  watchRetry,
} from 'retry-transport';
import {
  type AutoRetryEndEvent,
  autoRetryEvents,
  type AutoRetryStartEvent,
  type ProviderRetryEvent,
  providerRetryEvents,
} from 'retry-transport/events';

/** Answers with an overload, and then with 200. */
const server = () => {
  const answers = [new Response(null, { status: 503 }), new Response('Hello')];
  return async () => answers.shift() ?? new Response('Hello');
};

// #region events
const listen: RetryListener = (event: RetryEvent): void => {
  const { callId }: EventOf<string> = event;
  if (event.type === 'recovered') console.log(event.attempts, callId); // → 2 call-1
  if (event.type === 'retry') console.log(describeEvent(event)); // → overloaded (HTTP 503): retry 1 of 3 now
};
await createRetryFetch({ fetch: server(), onEvent: listen, callId: 'call-1', baseDelayMs: 0 })(
  'https://api.example.com/',
);
// #endregion

// #region each event
const planned = ({ retry, maxRetries, delayMs }: RetryPlanned): string => `retry ${retry}/${maxRetries} in ${delayMs}`;
const delayed = ({ attempt, nextAttemptAt }: AttemptDelayed): string => `attempt ${attempt} at ${nextAttemptAt}`;
const sent = ({ attempt }: AttemptSent): string => `attempt ${attempt}`;
const moved = ({ from, to }: TargetChanged): string => `${to} instead of ${from}`;
const ended = (end: CallRecovered | CallFailed | CallCancelled): string => `${end.type} after ${end.attempts}`;
const broken = ({ because }: AnswerBroken): string => because;
/** In words of your own. */
export function lineOf(event: RetryEvent): string {
  switch (event.type) {
    case 'retry':
      return planned(event);
    case 'delayed':
      return delayed(event);
    case 'attempt':
      return sent(event);
    case 'fallback':
      return moved(event);
    case 'broken':
      return broken(event);
    case 'recovered':
    case 'failed':
    case 'cancelled':
      return ended(event);
  }
}
const log = (event: RetryEvent): void => {
  if (event.type === 'retry') console.log(lineOf(event)); // → retry 1/3 in 0
};
await createRetryFetch({ fetch: server(), onEvent: [log], baseDelayMs: 0 })('https://api.example.com/');
// #endregion

// #region how a call ended
const down = createRetryFetch({ fetch: async () => new Response(null, { status: 503 }), baseDelayMs: 0 });
const end: CallOutcome | AnswerBroken | undefined = outcomeOf(await down('https://api.example.com/'));
console.log(end?.type, end?.attempts); // → failed 4
// #endregion

// #region the state for a view
const controller = new RetryController();
controller.onChange(() => {
  const state: RetryState = controller.state;
  if (state.status === 'ended') console.log(state.outcome.type); // → recovered
});
await createRetryFetch({ fetch: server(), controller, baseDelayMs: 0 })('https://api.example.com/');
controller.clear();
// #endregion

// #region a countdown
const line = (wait: RetryCountdown | null): void => {
  if (wait === null) return;
  const { retry, maxRetries }: PendingRetry = wait;
  console.log(`${wait.secondsLeft} s, retry ${retry} of ${maxRetries}`); // → 5 s, retry 1 of 3
};
const waiting = new RetryController();
const stop = watchRetry(waiting, line);
const call = createRetryFetch({ fetch: server(), controller: waiting, baseDelayMs: 5_000, jitter: 'none' });
const answer = call('https://api.example.com/');
await new Promise((resolve) => void waiting.subscribe(resolve));
waiting.retryNow();
await answer;
stop();
// #endregion

// #region a stream that must end
const cut = 'data: {"object":"chat.completion.chunk","choices":[{"delta":{"content":"Hel"}}]}\n\n';
const head = { headers: { 'content-type': 'text/event-stream' } };
const streaming = createRetryFetch({ fetch: async () => new Response(cut, head) });
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
  return error.kind === 'bytes' ? 'nothing came any more' : `only pings since ${error.lastEvent}`;
};
console.log(explain(new Error('something else'))); // → Error: something else
// #endregion

// #region events of another shape: pi
const start: (event: AutoRetryStartEvent | AutoRetryEndEvent) => void = (event) => console.log(event.type); // → auto_retry_start → auto_retry_end
await createRetryFetch({ fetch: server(), onEvent: autoRetryEvents(start), baseDelayMs: 0 })(
  'https://api.example.com/',
);
// #endregion

// #region events of another shape: a conversation
const emit = (event: ProviderRetryEvent): void => console.log(event.type, event.turnId); // → provider-retry 7
const turn = { conversationId: 'c', turnId: '7' };
await createRetryFetch({ fetch: server(), onEvent: providerRetryEvents(turn, emit), baseDelayMs: 0 })(
  'https://api.example.com/',
);
// #endregion
