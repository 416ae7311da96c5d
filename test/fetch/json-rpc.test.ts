import { expect, test } from 'vitest';
import { operationOfJsonRpc } from '../../src/fetch/json-rpc.ts';

const call = (method: string): string => JSON.stringify({ jsonrpc: '2.0', id: 1, method, params: {} });

test.each([
  'initialize',
  'ping',
  'tools/list',
  'resources/list',
  'resources/templates/list',
  'resources/read',
  'prompts/list',
  'prompts/get',
])('%s reads', (method) => {
  expect(operationOfJsonRpc(call(method))).toBe('read');
});

test.each([
  'tools/call',
  'sampling/createMessage',
  'tasks/cancel',
  'notifications/initialized',
  'eth_sendTransaction',
  'tools/listen',
  'reping',
  'x/initialize',
  'list',
  '',
])('%j may do anything', (method) => {
  expect(operationOfJsonRpc(call(method))).toBe('tool_call');
});

test('a response to the server may do anything', () => {
  expect(operationOfJsonRpc('{"jsonrpc":"2.0","id":1,"result":{}}')).toBe('tool_call');
});

test.each([
  [['tools/list', 'ping'], 'read'],
  [['tools/list', 'tools/call'], 'tool_call'],
] as const)('a batch of %j is a %s', (methods, operation) => {
  expect(operationOfJsonRpc(`[${methods.map(call).join()}]`)).toBe(operation);
});

test('a batch that is valid only in part may do anything', () => {
  expect(operationOfJsonRpc(`[{"model":"m"},${call('tools/call')}]`)).toBe('tool_call');
});

test('bytes and an object are read like a text', () => {
  expect(operationOfJsonRpc(new TextEncoder().encode(call('tools/call')))).toBe('tool_call');
  expect(operationOfJsonRpc(JSON.parse(call('tools/call')))).toBe('tool_call');
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
  expect(operationOfJsonRpc(body)).toBeUndefined();
});
