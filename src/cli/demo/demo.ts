/** The demo: requests over real sockets to a server that fails for a while, retried until they are answered. */

import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { type CompletionRequest, createLLM, LLMError } from '../../llm/index.ts';
import { startProxy } from '../../proxy/index.ts';
import { startDemoServer } from './demo-server.ts';
import { type Scenario, scenarioOf, type ScenarioName } from './scenarios.ts';
import type { SessionContext } from '../display/session.ts';

const TOKEN_INTERVAL_MS = 40;

const REQUEST: CompletionRequest = {
  model: 'demonstration',
  maxTokens: 256,
  messages: [{ role: 'user', content: 'What does a good client do when the server is overloaded?' }],
};

/** Plays a scenario. `speed`: 2 is twice as fast. */
export async function playDemo(name: ScenarioName, speed: number, context: SessionContext): Promise<void> {
  const scenario = scenarioOf(name, speed);
  const server = await startDemoServer(scenario.steps, { tokenIntervalMs: TOKEN_INTERVAL_MS / speed });
  try {
    const { origin } = new URL(server.url);
    await (scenario.throughProxy === true ? callByCurl : callByLibrary)(origin, scenario, context);
  } finally {
    await server.close();
  }
}

async function callByLibrary(
  baseURL: string,
  { config, calls }: Scenario,
  { controller, signal, display }: SessionContext,
): Promise<void> {
  const llm = createLLM('anthropic', { apiKey: 'demonstration', baseURL, retry: { ...config, controller } });
  try {
    for (let call = 0; call < calls; call += 1) {
      for await (const event of llm.streamCompletion({ ...REQUEST, signal })) {
        if (event.type === 'text') await display.answer(event.text, signal);
        if (event.type === 'error') throw event.error;
      }
    }
  } catch (error) {
    // The last event has already shown a call that was given up.
    if (!(error instanceof LLMError) || error.isPartial) throw error;
  }
}

async function callByCurl(
  target: string,
  { config }: Scenario,
  { controller, signal, display }: SessionContext,
): Promise<void> {
  const proxy = await startProxy({ target, retry: { ...config, controller } });
  try {
    const url = `${proxy.url}/v1/messages`;
    const argv = ['--silent', '--show-error', '--data', '{"model":"demonstration"}', url];
    await display.answer(`$ curl -d '{"model":"demonstration"}' ${url}\n`, signal);
    const { stdout } = await promisify(execFile)('curl', ['--disable', '--noproxy', '*', ...argv], { signal });
    await display.answer(stdout, signal);
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT')
      throw new Error('curl is not installed; the other scenarios need no other program', { cause: error });
    throw error;
  } finally {
    await proxy.cancel();
  }
}
