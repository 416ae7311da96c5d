import { connect } from 'node:net';
import { afterEach, describe, expect, it } from 'vitest';
import { createLLM } from '../../../src/llm/index.ts';
import { type DemoServer, type DemoStep, startDemoServer } from '../../../src/cli/demo/demo-server.ts';

let server: DemoServer;
afterEach(() => server.close());

const REFUSAL: DemoStep = {
  kind: 'response',
  status: 429,
  headers: { 'content-type': 'application/json' },
  body: '{"error":{}}',
};

async function start(...steps: [DemoStep, ...DemoStep[]]): Promise<void> {
  server = await startDemoServer(steps, { tokenIntervalMs: 1 });
}

const post = (): Promise<Response> => fetch(server.url, { method: 'POST', body: '{}' });

describe('startDemoServer', () => {
  it('answers with its steps in order and repeats the last', async () => {
    await start(REFUSAL, { ...REFUSAL, status: 502 });
    const statuses: number[] = [];
    for (let count = 0; count < 3; count += 1) {
      const response = await post();
      statuses.push(response.status);
      expect(await response.text()).toBe('{"error":{}}');
      expect(response.headers.get('content-type')).toBe('application/json');
    }
    expect(statuses).toEqual([429, 502, 502]);
    expect(server.requests).toBe(3);
  });

  it('resets a connection', async () => {
    await start({ kind: 'reset' });
    const error: unknown = await post().catch((reason: unknown) => reason);
    expect(error).toBeInstanceOf(TypeError);
    expect(error).toHaveProperty('cause.code', expect.stringMatching(/^(ECONNRESET|UND_ERR_SOCKET)$/));
  });

  it('streams a completion token by token', async () => {
    await start({ kind: 'completion', text: 'one two  three\n' });
    const response = await post();
    expect(response.headers.get('content-type')).toContain('text/event-stream');
    await response.body?.cancel();
    const tokens: string[] = [];
    const llm = createLLM('anthropic', { baseURL: new URL(server.url).origin });
    const request = { model: 'demonstration', messages: [{ role: 'user', content: 'Hello' }] } as const;
    for await (const event of llm.streamCompletion(request)) if (event.type === 'text') tokens.push(event.text);
    expect(tokens).toEqual(['one', ' two', '  three\n']);
  });

  it('streams an empty completion to its end', async () => {
    await start({ kind: 'completion', text: '' });
    expect(await (await post()).text()).toContain('event: message_stop');
  });

  it('answers no other request, and uses no step for it', async () => {
    await start(REFUSAL);
    for (const response of [await fetch(server.url), await fetch(new URL('/', server.url), { method: 'POST' })]) {
      expect(response.status).toBe(404);
      expect(await response.text()).toContain('Only POST /v1/messages is answered here.');
    }
    expect(server.requests).toBe(0);
  });

  it('listens on the loopback only', async () => {
    await start(REFUSAL);
    expect(new URL(server.url).hostname).toBe('127.0.0.1');
  });

  it('stops writing to a reader that went away, and can be closed during a stream', async () => {
    server = await startDemoServer([{ kind: 'completion', text: 'one two' }], { tokenIntervalMs: 60_000 });
    const { port } = new URL(server.url);
    const socket = connect(Number(port), '127.0.0.1');
    socket.write('POST /v1/messages HTTP/1.1\r\nhost: x\r\ncontent-length: 0\r\n\r\n');
    await new Promise((resolve) => socket.once('data', resolve));
    const ended = new Promise((resolve) => socket.once('close', resolve));
    await server.close();
    await ended;
    expect(socket.destroyed).toBe(true);
  });
});
