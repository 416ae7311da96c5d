/** What a request in JSON-RPC does, as MCP sends it. A tool may have run although its answer was lost. */

import { objectsOf, ownText } from '../runtime/values.ts';

/** Methods of MCP that change nothing: modelcontextprotocol.io/specification. */
const SAFE_METHOD = /^(?:initialize|ping|prompts\/get|.+\/(?:list|read))$/;

/** The label of a message in JSON-RPC, or of a batch of them; undefined for any other value. */
export function operationOfJsonRpc(json: unknown): 'tool_call' | 'read' | undefined {
  const messages = objectsOf(Array.isArray(json) ? json : [json]);
  // A server may run the valid part of a batch.
  if (!messages.some((message) => ownText(message, 'jsonrpc') !== '')) return undefined;
  return messages.every((message) => SAFE_METHOD.test(ownText(message, 'method'))) ? 'read' : 'tool_call';
}
