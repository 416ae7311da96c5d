import { expect, test } from 'vitest';
import { wordsOf } from '../../src/http/request-words.ts';
import type { OperationLabel } from '../../src/index.ts';

const operationOf = (body: unknown): OperationLabel | undefined => wordsOf(body)?.operation;

const call = (method: string): string => JSON.stringify({ jsonrpc: '2.0', id: 1, method, params: {} });

test.each([
  ...['initialize', 'ping', 'tools/list', 'resources/list', 'resources/templates/list', 'resources/read'],
  ...['prompts/list', 'prompts/get'],
])('%s reads', (method) => {
  expect(operationOf(call(method))).toBe('read');
});

test.each([
  ...['tools/call', 'sampling/createMessage', 'tasks/cancel', 'notifications/initialized', 'eth_sendTransaction'],
  ...['tools/listen', 'reping', 'x/initialize', 'list', ''],
])('%j may do anything', (method) => {
  expect(operationOf(call(method))).toBe('tool_call');
});

test('a response to the server may do anything', () => {
  expect(operationOf('{"jsonrpc":"2.0","id":1,"result":{}}')).toBe('tool_call');
});

test.each([
  [['tools/list', 'ping'], 'read'],
  [['tools/list', 'tools/call'], 'tool_call'],
] as const)('a batch of %j is a %s', (methods, operation) => {
  expect(operationOf(`[${methods.map(call).join()}]`)).toBe(operation);
});

test('a batch that is valid only in part may do anything', () => {
  expect(operationOf(`[{"model":"m"},${call('tools/call')}]`)).toBe('tool_call');
});

test('bytes and an object are read like a text', () => {
  expect(operationOf(new TextEncoder().encode(call('tools/call')))).toBe('tool_call');
  expect(operationOf(JSON.parse(call('tools/call')))).toBe('tool_call');
  expect(operationOf([JSON.parse(call('tools/list')), JSON.parse(call('tools/call'))])).toBe('tool_call');
});

test.each<[unknown]>([
  [undefined],
  [''],
  ['[]'],
  ['{"model":"m","messages":[{"content":"{\\"jsonrpc\\":\\"2.0\\"}"}]}'],
  ['{"tools":[{"jsonrpc":"2.0"}]}'],
  ['{"jsonrpc":"2.0"'],
  [new FormData()],
  [new ReadableStream()],
])('%j is no JSON-RPC', (body) => {
  expect(operationOf(body)).toBeUndefined();
});
