import type { ServerResponse } from 'node:http';
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import OpenAI from 'openai';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { createRetryFetch, type Fetch } from '../../../src/index.ts';
import { type Answer, type Served, serve } from '../../../test/serve.ts';

/** What happens to the answer of a tool that has run. */
const LOSSES = {
  'a reset before the headers': (response: ServerResponse) => void response.destroy(),
  'a reset after the headers': (response: ServerResponse) => {
    response.writeHead(200, { 'content-type': 'text/event-stream' }).flushHeaders();
    setTimeout(() => response.destroy(), 5);
  },
  'a reset in the middle of a JSON answer': (response: ServerResponse) => {
    response.writeHead(200, { 'content-type': 'application/json' }).write('{"jsonrpc":"2.0",');
    setTimeout(() => response.destroy(), 5);
  },
  'a 502': (response: ServerResponse) => void response.writeHead(502).end('Bad gateway'),
} as const;

interface Message {
  readonly id?: number;
  readonly method?: string;
}

let server: Served;
let origin: string;
/** What happens to the next answer of each method. */
let losses: Partial<Record<string, (response: ServerResponse) => void>>;
/** The methods that were received, in order. */
let received: string[];

beforeEach(async () => {
  losses = {};
  received = [];
  server = await serve(answer);
  origin = server.origin;
});

afterEach(() => server.close());

const answer: Answer = (request, response, sent) => {
  if (request.method !== 'POST') return response.writeHead(405).end();
  const { id, method = request.url ?? '' }: Message = JSON.parse(sent.toString());
  received.push(method);
  const lose = losses[method];
  delete losses[method];
  if (lose !== undefined) return lose(response);
  if (id === undefined && request.url === '/mcp') return response.writeHead(202).end();
  const body = request.url === '/mcp' ? { jsonrpc: '2.0', id, result: RESULTS[method] } : COMPLETION;
  return response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(body));
};

const RESULTS: Readonly<Record<string, unknown>> = {
  initialize: {
    protocolVersion: '2025-06-18',
    capabilities: { tools: {} },
    serverInfo: { name: 'mail', version: '1' },
  },
  'tools/list': { tools: [{ name: 'send_mail', inputSchema: { type: 'object' } }] },
  'tools/call': { content: [{ type: 'text', text: 'sent' }] },
};

const COMPLETION = { id: '1', choices: [{ message: { role: 'assistant', content: 'Hello' }, finish_reason: 'stop' }] };

async function connect(fetch: Fetch): Promise<Client> {
  const client = new Client({ name: 'test', version: '1' });
  await client.connect(new StreamableHTTPClientTransport(new URL(`${origin}/mcp`), { fetch }));
  return client;
}

const count = (method: string): number => received.filter((each) => each === method).length;

test.each(Object.entries(LOSSES))(
  'a tool of MCP runs once, whatever becomes of its answer: %s',
  async (_what, lose) => {
    const client = await connect(createRetryFetch());
    losses['tools/call'] = lose;
    const called = client.callTool({ name: 'send_mail', arguments: {} }, undefined, { timeout: 2_000 });
    await expect(called).rejects.toThrow(Error);
    expect(count('tools/call')).toBe(1);
    await client.close();
  },
);

test.each(['initialize', 'tools/list'])('%s is asked again', async (method) => {
  losses[method] = LOSSES['a 502'];
  const client = await connect(createRetryFetch({ baseDelayMs: 1 }));
  expect((await client.listTools()).tools.map(({ name }) => name)).toEqual(['send_mail']);
  expect(count(method)).toBe(2);
  await client.close();
});

test('the example on the page runs', async () => {
  const { fetch: original } = globalThis;
  vi.stubGlobal('fetch', (url: string | URL, init?: RequestInit) =>
    original(String(url).replace('https://mcp.example.com', origin), init),
  );
  const said = vi.spyOn(console, 'log').mockReturnValue();
  await import('../mcp/example.ts');
  expect(said).toHaveBeenCalledExactlyOnceWith([{ type: 'text', text: 'sent' }]);
  expect(received.filter((method) => method.startsWith('tools/'))).toEqual(['tools/list', 'tools/call']);
});

test('as the global fetch for model requests, it sends a payment once and asks OpenAI again', async () => {
  vi.stubGlobal('fetch', createRetryFetch({ retryOnly: 'model-requests', baseDelayMs: 1 }));
  losses['/v1/payment_intents'] = LOSSES['a reset before the headers'];
  const payment = fetch(`${origin}/v1/payment_intents`, { method: 'POST', body: '{"amount":100}' });
  await expect(payment).rejects.toThrow('fetch failed');
  expect(count('/v1/payment_intents')).toBe(1);
  losses['/v1/chat/completions'] = LOSSES['a reset before the headers'];
  const openai = new OpenAI({ apiKey: 'sk-loopback', baseURL: `${origin}/v1`, maxRetries: 0 });
  const { choices } = await openai.chat.completions.create({ model: 'm', messages: [{ role: 'user', content: 'Hi' }] });
  expect(choices[0]?.message.content).toBe('Hello');
  expect(count('/v1/chat/completions')).toBe(2);
});
