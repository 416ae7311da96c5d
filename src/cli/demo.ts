/** The demonstration: requests through a bad minute of a provider, over real sockets, to their answers. */

import { FetchTransport, RetryTransport } from '../index.ts';
import { completionText } from './completion-text.ts';
import { startDemoServer } from './demo-server.ts';
import { scenarioOf, type ScenarioName } from './scenarios.ts';
import type { SessionContext } from './session.ts';

const TOKEN_INTERVAL_MS = 40;

const REQUEST = {
  model: 'demonstration',
  max_tokens: 256,
  stream: true,
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
    const transport = new RetryTransport(new FetchTransport(), { ...config, controller });
    const headers = { 'anthropic-version': '2023-06-01', 'content-type': 'application/json' };
    for (let call = 0; call < calls; call += 1) {
      const response = await transport.post(server.url, REQUEST, headers, signal);
      if (!response.ok || response.body === null) return;
      for await (const text of completionText(response.body)) await display.answer(text, signal);
    }
  } finally {
    await server.close();
  }
}
