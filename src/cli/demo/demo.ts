/** The demonstration: requests through a bad minute of a provider, over real sockets, to their answers. */

import { type CompletionRequest, createLLM, LLMError } from '../../llm/index.ts';
import { startDemoServer } from './demo-server.ts';
import { scenarioOf, type ScenarioName } from './scenarios.ts';
import type { SessionContext } from '../display/session.ts';

const TOKEN_INTERVAL_MS = 40;

const REQUEST: CompletionRequest = {
  model: 'demonstration',
  maxTokens: 256,
  messages: [{ role: 'user', content: 'What does a good client do when the server is overloaded?' }],
};

/** Plays a scenario. `speed`: 2 is twice as fast. */
export async function playDemo(
  name: ScenarioName,
  speed: number,
  { controller, signal, display }: SessionContext,
): Promise<void> {
  const { steps, config, calls } = scenarioOf(name, speed);
  const server = await startDemoServer(steps, { tokenIntervalMs: TOKEN_INTERVAL_MS / speed });
  try {
    const baseURL = new URL(server.url).origin;
    const llm = createLLM('anthropic', { apiKey: 'demonstration', baseURL, retry: { ...config, controller } });
    for (let call = 0; call < calls; call += 1) {
      for await (const event of llm.streamCompletion({ ...REQUEST, signal })) {
        if (event.type === 'text') await display.answer(event.text, signal);
        if (event.type === 'error') throw event.error;
      }
    }
  } catch (error) {
    // What was given up has been shown already, as the event that ended it.
    if (!(error instanceof LLMError) || error.isPartial) throw error;
  } finally {
    await server.close();
  }
}
