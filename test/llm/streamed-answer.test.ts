import { fc, test as property } from '@fast-check/vitest';
import { describe, expect, test, vi } from 'vitest';
import {
  AnthropicLLM,
  type BaseLLM,
  type CompletionEvent,
  type LLMOptions,
  OpenAILLM,
  type StreamEvent,
  StreamTranslator,
} from '../../src/llm/index.ts';
import { settle, thrownBy } from '../script.ts';
import {
  anthropicHello,
  anthropicHelloParts,
  anthropicOverloaded,
  anthropicText,
  ask,
  collect,
  openAIChunk,
  openAIHello,
  piecewise,
  sse,
  streamed,
  streamOf,
} from './answers.ts';

const anthropic = (options: LLMOptions): BaseLLM => new AnthropicLLM(options);
const openAI = (options: LLMOptions): BaseLLM => new OpenAILLM(options);
const reading =
  (translator: StreamTranslator) =>
  (options: LLMOptions): BaseLLM =>
    new (class extends AnthropicLLM {
      protected override createTranslator(): StreamTranslator {
        return translator;
      }
    })(options);

/** A transport of the caller's own watches no stream. */
async function partsOf(response: Response, create = anthropic): Promise<CompletionEvent[]> {
  const reply = async (): Promise<Response> => response;
  return collect(create({ transport: { get: reply, post: reply } }).streamCompletion(ask));
}

const errorPart = (failure: object) => ({ type: 'error', error: { name: 'LLMError', isPartial: true, failure } });

test('an answer is delivered in parts', async () => {
  expect(await partsOf(streamed(...anthropicHello))).toEqual(anthropicHelloParts);
});

property.prop([
  fc.array(fc.integer({ min: 1, max: 40 }), { minLength: 1, maxLength: 60 }),
  fc.constantFrom('\n', '\r\n', '\r'),
])('the parts are the same wherever the bytes are cut', async (lengths, lineEnd) => {
  const events = [...anthropicHello.slice(0, 3), anthropicText('zwölf Öfen … 😀'), ...anthropicHello.slice(5)];
  const bytes = new TextEncoder().encode(sse(...events).replaceAll('\n', lineEnd));
  const pieces: Uint8Array[] = [];
  for (let start = 0, cut = 0; start < bytes.length; cut += 1) {
    const end = start + (lengths[cut % lengths.length] ?? 1);
    pieces.push(bytes.slice(start, end));
    start = end;
  }
  const [text, ...rest] = await partsOf(piecewise(pieces).response());
  expect(text).toEqual({ type: 'text', text: 'zwölf Öfen … 😀' });
  expect(rest).toEqual(anthropicHelloParts.slice(2));
});

test('an error of the translator is thrown as it is', async () => {
  const bug = new RangeError('Invalid index');
  class BrokenTranslator extends StreamTranslator {
    override translate(): never {
      throw bug;
    }
    protected isComplete(): boolean {
      return true;
    }
  }
  expect(await thrownBy(partsOf(streamed(...anthropicHello), reading(new BrokenTranslator())))).toBe(bug);
});

test('the empty line after the last event may be missing', async () => {
  const body = sse(...anthropicHello).trimEnd();
  expect(await partsOf(streamOf(body))).toEqual(anthropicHelloParts);
});

test('after the end of the answer no part follows, and the rest is read, so that its connection can be used again', async () => {
  const source = piecewise([sse(...anthropicHello, anthropicText('more')), sse(anthropicText('more'))]);
  expect(await partsOf(source.response())).toEqual(anthropicHelloParts);
  await settle();
  expect([source.pulls(), source.isCancelled()]).toEqual([3, false]);
});

test('a rest that does not come is cancelled', async () => {
  const time = new AbortController();
  vi.spyOn(AbortSignal, 'timeout').mockReturnValue(time.signal);
  vi.useFakeTimers();
  const source = piecewise([sse(...anthropicHello)], 'hang');
  expect(await partsOf(source.response())).toEqual(anthropicHelloParts);
  await vi.advanceTimersByTimeAsync(300);
  vi.useRealTimers();
  expect(source.isCancelled()).toBe(true);
});

describe('before any output, a failure is thrown', () => {
  test.each([
    ['as the first event', [anthropicOverloaded], 'overloaded'],
    ['after the preamble', [...anthropicHello.slice(0, 3), anthropicOverloaded], 'overloaded'],
    ['with its name alone', ['{"message":"Overloaded"}'], 'stream_interrupted'],
    ['as an end that comes too early', anthropicHello.slice(0, 3), 'stream_interrupted'],
    ['as nothing at all', [], 'stream_interrupted'],
  ])('when it comes %s', async (_, events, type) => {
    expect(await thrownBy(partsOf(streamed(...events)))).toMatchObject({
      name: 'LLMError',
      isPartial: false,
      failure: { type, status: 200 },
    });
  });

  test.each([
    ['OpenAI, before [DONE]', '{"error":{"message":"The server had an error","type":"server_error"}}', 'server_error'],
    [
      'OpenRouter, beside an empty choice',
      '{"error":{"code":429,"message":"Rate limited"},"choices":[{"delta":{"content":""},"finish_reason":"error"}]}',
      'rate_limit',
    ],
    [
      'vLLM, which is final',
      '{"error":{"message":"This model\'s maximum context length is 1024 tokens.","type":"BadRequestError","code":400}}',
      'context_too_long',
    ],
    ['an answer without content', '[DONE]', 'stream_interrupted'],
  ])('in the dialect of %s', async (_, event, type) => {
    const thrown = await thrownBy(partsOf(streamed(event, '[DONE]'), openAI));
    expect(thrown).toMatchObject({ isPartial: false, failure: { type, status: 200 } });
  });

  test.each([
    ['without JSON', 'event: error\ndata: upstream\ndata: overloaded\n\n'],
    ['with a message in JSON', 'event: error\ndata: {"message":"The model is overloaded."}\n\n'],
    ['with JSON over several lines', 'event: error\ndata: {"error":{"type":\ndata: "overloaded_error"}}\n\n'],
  ])('as an event with only a name, %s', async (_, body) => {
    expect(await thrownBy(partsOf(streamOf(body)))).toMatchObject({ failure: { type: 'overloaded' } });
  });

  test.each([
    [
      'over several lines',
      '{\n  "error": {\n    "code": 503,\n    "message": "The model is overloaded.",\n    "status": "UNAVAILABLE"\n  }\n}\n',
    ],
    ['without the end of its line', '{"error":{"type":"overloaded_error","message":"Overloaded"}}'],
  ])('as JSON outside of any event, %s', async (_, body) => {
    expect(await thrownBy(partsOf(streamOf(body)))).toMatchObject({ failure: { type: 'overloaded' } });
    const halves = piecewise([body.slice(0, 25), body.slice(25)]);
    expect(await thrownBy(partsOf(halves.response()))).toMatchObject({ failure: { type: 'overloaded' } });
  });

  test('as a connection that breaks', async () => {
    const cause = new TypeError('terminated');
    const thrown = await thrownBy(partsOf(piecewise([sse(anthropicHello[0])], cause).response()));
    expect(thrown).toMatchObject({ isPartial: false, cause, failure: { type: 'stream_interrupted', retryable: true } });
  });
});

describe('after output, a failure is the last part', () => {
  const [begun, text] = [[...anthropicHello.slice(0, 2), anthropicText('Hel')], { type: 'text', text: 'Hel' }];

  test.each([
    ['an error', [...begun, anthropicOverloaded, anthropicText('lo')], { type: 'overloaded', retryable: false }],
    ['an end that comes too early', begun, { type: 'stream_interrupted', retryable: false }],
    [
      'a message that was cut right before its last event',
      [...begun, ...anthropicHello.slice(5, 7)],
      { type: 'stream_interrupted' },
    ],
  ])('when it is %s', async (_, events, failure) => {
    expect(await partsOf(streamed(...events))).toMatchObject([text, errorPart(failure)]);
  });

  test('a connection that breaks', async () => {
    const source = piecewise([sse(...begun)], new TypeError('terminated'));
    expect(await partsOf(source.response())).toMatchObject([
      text,
      errorPart({ type: 'stream_interrupted', retryable: false }),
    ]);
  });

  test('a tool call that was cut, although no part of it was delivered', async () => {
    const block = {
      type: 'content_block_start',
      index: 0,
      content_block: { type: 'tool_use', id: 'a', name: 'look', input: {} },
    };
    expect(await partsOf(streamed(block, anthropicOverloaded))).toMatchObject([errorPart({ type: 'overloaded' })]);
  });

  test('an error that comes between the finish reason and the end', async () => {
    const error = '{"error":{"message":"The server had an error","type":"server_error"}}';
    const parts = await partsOf(streamed(openAIChunk({ content: 'Hel' }), openAIChunk({}, 'stop'), error), openAI);
    expect(parts).toMatchObject([text, errorPart({ type: 'server_error', retryable: false })]);
  });

  test('an error that a server appends as plain JSON', async () => {
    const body = `${sse(openAIChunk({ content: 'Hel' }), openAIChunk({}, 'stop'))}{"error":{"code":503,"status":"UNAVAILABLE"}}`;
    expect(await partsOf(streamOf(body), openAI)).toMatchObject([text, errorPart({ status: 200 })]);
  });
});

describe('an unreadable chunk', () => {
  const chunk = (content: string): string => sse(openAIChunk({ content }));
  const damaged = { type: 'stream_interrupted', message: expect.stringContaining('not a JSON object') };

  test.each([
    ['that was cut', 'data: {"choices":[{"delta":{"content":"not \n\n'],
    ['that is text', 'data: upstream restarted\n\n'],
    ['that is JSON, but no object', 'data: "not "\n\n'],
    ['that is a list', 'data: [{"choices":[{"delta":{"content":"not "}}]}]\n\n'],
    ['whose line was broken in two', `data: {"choices":[{"delta":{"content":"not\n"}}]}\n\n`],
  ])('%s ends the answer in an error', async (_, lost) => {
    const body = `${chunk('Transfer ')}${lost}${chunk('the money')}${sse(openAIChunk({}, 'stop'), '[DONE]')}`;
    expect(await partsOf(streamOf(body), openAI)).toMatchObject([
      { type: 'text', text: 'Transfer ' },
      errorPart({ ...damaged, retryable: false }),
    ]);
  });

  test('before any output is thrown', async () => {
    const body = `data: {"choices":\n\n${chunk('the money')}${sse('[DONE]')}`;
    expect(await thrownBy(partsOf(streamOf(body), openAI))).toMatchObject({
      isPartial: false,
      failure: { ...damaged, retryable: true },
    });
  });

  test('from Anthropic ends the answer in an error', async () => {
    const body = `${sse(...anthropicHello.slice(0, 2), anthropicText('Hel'))}event: content_block_delta\ndata: {"type"\n\n${sse(...anthropicHello.slice(5))}`;
    expect(await partsOf(streamOf(body))).toMatchObject([{ type: 'text' }, errorPart(damaged)]);
  });

  test('is not an empty event that keeps the connection open', async () => {
    const body = `: ping\n\ndata:\n\n${chunk('Hello')}event: ping\ndata: \n\n${sse(openAIChunk({}, 'stop'))}`;
    expect(await partsOf(streamOf(body), openAI)).toEqual([
      { type: 'text', text: 'Hello' },
      { type: 'end', finishReason: 'stop' },
    ]);
  });

  test('is not a text that a translator understands', async () => {
    class TextTranslator extends StreamTranslator {
      *translate({ data }: StreamEvent): Iterable<CompletionEvent> {
        yield* this.say('text', data);
      }
      protected isComplete(): boolean {
        return true;
      }
    }
    expect(await partsOf(streamOf('data: Hello\n\n'), reading(new TextTranslator()))).toEqual([
      { type: 'text', text: 'Hello' },
      { type: 'end', finishReason: 'stop' },
    ]);
  });
});

test('an answer in another format is told as that, and not as a stream that broke off', async () => {
  const page = new Response('<p>Welcome\n', { headers: { 'content-type': 'text/html' } });
  expect(await thrownBy(partsOf(page))).toMatchObject({
    failure: {
      type: 'unknown',
      retryable: false,
      message: 'The answer holds no completion: content-type text/html, 11 characters',
    },
  });
});

test('a text about errors is not an error', async () => {
  const said = 'An error: {"error":{"type":"overloaded_error"}} has failed.';
  const parts = await partsOf(streamed(openAIChunk({ content: said }), ...openAIHello.slice(3)), openAI);
  expect(parts.map(({ type }) => type)).toEqual(['text', 'usage', 'end']);
  const spoken = await partsOf(
    streamed(...anthropicHello.slice(0, 2), anthropicText(said), ...anthropicHello.slice(5)),
  );
  expect(spoken.map(({ type }) => type)).toEqual(['text', 'usage', 'end']);
});

test('an answer without [DONE] but with a finish reason is complete', async () => {
  const parts = await partsOf(streamed(...openAIHello.slice(0, -1)), openAI);
  expect(parts.at(-1)).toEqual({ type: 'end', finishReason: 'stop' });
});
