import { presets } from '../../../src/index.ts';
import { startProxy, type Proxy } from '../../../src/proxy/index.ts';
import type { Client, Setting } from '../client.ts';
import { openaiChat } from './openai.ts';

/** The proxy as its page recommends it first (`--preset agent-proxy`), before an unmodified openai. */
function throughProxy(): Setting {
  let proxy: Proxy | undefined;
  return {
    name: 'proxy',
    async create(origin) {
      proxy = await startProxy({ target: origin, retry: presets.patient, keepAliveAfterMs: 8_000 });
      return openaiChat(proxy.url);
    },
    close: async () => proxy?.cancel(),
  };
}

export default {
  name: 'retry-transport proxy + openai',
  package: 'retry-transport',
  api: 'chat',
  documentation: 'docs/proxy.md',
  isOurs: true,
  settings: [throughProxy()],
} satisfies Client;
