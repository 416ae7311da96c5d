import {
  AnthropicLLM,
  type BaseLLM,
  type Completion,
  type CompletionEvent,
  type CompletionRequest,
  createLLM,
  type FinishReason,
  LLMError,
  type LLMErrorDetails,
  type LLMOptions,
  type LLMProvider,
  type Message,
  OpenAILLM,
  type StreamEvent,
  StreamTranslator,
  type Tool,
  type ToolCall,
  type ToolCallPiece,
  ToolCallPieces,
  type Usage,
} from 'retry-transport/llm';
import { completions, replayFetch } from 'retry-transport/mocks';

// #region a completion
const provider: LLMProvider = 'openai';
const options: LLMOptions = { apiKey: 'your-key', fetch: replayFetch(completions.openai('Hello')) };
const llm: BaseLLM = createLLM(provider, options);
const messages: readonly Message[] = [{ role: 'user', content: 'Say hello.' }];
const request: CompletionRequest = { model: 'gpt-5', messages };
const completion: Completion = await llm.generateCompletion(request);
const finishReason: FinishReason = completion.finishReason;
const usage: Usage | undefined = completion.usage;
console.log(completion.text, finishReason, typeof usage); // → Hello stop object
// #endregion

// #region a completion, event by event
const anthropic = new AnthropicLLM({ apiKey: 'your-key', fetch: replayFetch(completions.anthropicStream('Hello')) });
const asked = { model: 'claude-sonnet-5', maxTokens: 64, messages: [{ role: 'user', content: 'Say hello.' }] } as const;
let text = '';
for await (const event of anthropic.streamCompletion(asked)) {
  const { type }: CompletionEvent = event;
  if (event.type === 'text') text += event.text;
  if (type === 'end') console.log(text); // → Hello
}
// #endregion

// #region any server with the API of OpenAI
const local = new OpenAILLM({ baseURL: 'http://localhost:11434/v1', fetch: replayFetch(completions.openai('Hi')) });
console.log((await local.generateCompletion({ model: 'qwen3', messages: [{ role: 'user', content: 'Hi' }] })).text); // → Hi
// #endregion

// #region tools
const weather: Tool = { name: 'weather', parameters: { type: 'object', properties: { city: { type: 'string' } } } };
const describeCall = (call: ToolCall): string => `${call.name}(${call.arguments})`;
console.log(describeCall({ id: '1', name: weather.name, arguments: '{"city":"Oslo"}' })); // → weather({"city":"Oslo"})
// #endregion

// #region an error of a completion
const broken = new OpenAILLM({ apiKey: 'your-key', fetch: replayFetch('openai-429-insufficient-quota') });
try {
  await broken.generateCompletion({ model: 'gpt-5', messages: [{ role: 'user', content: 'Hi' }] });
} catch (error) {
  if (!(error instanceof LLMError)) throw error;
  const { history }: LLMErrorDetails = error;
  console.log(error.failure.type, Array.isArray(history)); // → quota_exhausted true
}
// #endregion

// #region the stream of a provider of your own
class Lines extends StreamTranslator {
  readonly #pieces = new ToolCallPieces();

  override *translate({ data }: StreamEvent): Iterable<CompletionEvent> {
    const piece: ToolCallPiece = { index: 0, id: '1', name: 'say', arguments: data };
    this.#pieces.add(piece);
    yield* this.say('text', data);
  }

  protected override isComplete(): boolean {
    return this.#pieces.take().length > 0;
  }
}
console.log([...new Lines().translate({ name: '', data: 'Hello', value: 'Hello' })].map((event) => event.type).join()); // → text
// #endregion
