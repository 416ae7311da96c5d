import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import { createRetryFetch } from 'retry-transport';

const fetch = createRetryFetch();
const client = new Client({ name: 'my-agent', version: '1.0.0' });
await client.connect(new StreamableHTTPClientTransport(new URL('https://mcp.example.com/mcp'), { fetch }));

// Asked again after a 502, a reset or a rate limit.
const { tools } = await client.listTools();
// Sent once: the tool may have run although its answer was lost.
const result = await client.callTool({ name: tools[0]?.name ?? 'send_mail', arguments: { to: 'me@example.com' } });
console.log(result.content);
